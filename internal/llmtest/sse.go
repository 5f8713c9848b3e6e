package llmtest

import "bytes"

// Comment is a comment line of an event stream, the keep-alive of many servers. The text must have no line end.
func Comment(text string) Event { return Raw(": " + text + "\n\n") }

// framed is v as one server-sent event, named in its event field unless the name is empty.
func framed(name string, v any) []byte {
	var b bytes.Buffer
	if name != "" {
		b.WriteString("event: " + name + "\n")
	}
	b.WriteString("data: ")
	b.Write(encode(v))
	b.WriteString("\n\n")
	return b.Bytes()
}
