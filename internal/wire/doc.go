// Package wire turns the bytes of a streaming LLM API into events.
//
// A [Parser] is fed the bytes of a response body as they come and finds the events in them. [Classify] says what the JSON
// of one event carries, and a [Classifier] does in the light of the events before it. A stream has thousands of events and
// timing them must not slow them down, so nothing is decoded that the answer does not need: the text is walked once, what
// no rule asks for is passed over, and the strings of the answer are substrings of the event.
//
// # Layers
//
//   - parser.go chooses the framing: sse.go, lines.go, values.go (an array, or one value) or frames.go (AWS) with
//     frameheaders.go; opening.go waits for the byte that decides, cutter.go cuts lines, partial.go keeps the beginning of an event whose rest
//     has not come.
//   - classifier.go compares an event with those before it; head.go recognises the beginning that they have in common.
//   - classify.go collects the members of an event and asks each shape whether it knows them.
//   - openai.go, responses.go, anthropic.go, gemini.go, cohere.go, ollama.go, sglang.go, tgi.go, triton.go, llamacpp.go and bedrock.go are the
//     shapes; toolcall.go and failure.go are what several have. server.go is what servers say of themselves.
//   - library.go reads a value that is of none of these once more: package stream encodes those of Go libraries, whose shapes are in eino.go,
//     genkit.go, fantasy.go and langchain.go. In bytes nobody looks for them.
//   - scan.go and nesting.go say where a token or a value of JSON ends.
//   - cursor.go walks objects and arrays and reads the values in them; raw.go reads a value that was kept.
//
// request.go reads the JSON of a request.
//
// A new shape adds its members to the envelope and its method to the list in classify, that of a Go library to libraryMembers and
// library; a member that means different things in different shapes is kept raw until the shape is known. Its names go into
// grammar_test.go, and what it says into the shapes of reference_test.go.
//
// # Strictness
//
// An event is malformed when encoding/json says so, whether the fault is in a value that matters or not, with one
// exception: a value that is passed over may nest 1024 levels deep, not 10000. Invalid UTF-8 in a string is accepted
// there too, and stays as it is here. Names are compared exactly, and of several members with the same name the last
// one counts.
package wire
