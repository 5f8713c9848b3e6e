package stream_test

import (
	"fmt"

	"github.com/tokentiming/tokentiming/stream"
	"github.com/tokentiming/tokentiming/tpot"
)

// Auto reads what it knows and admits what it does not.
func ExampleAuto() {
	fmt.Println(stream.Auto("Hello").Kind)
	fmt.Println(stream.Auto(sdkChunk{`{"type":"content_block_delta","delta":{"type":"thinking_delta","thinking":"Hm"}}`}).Kind)
	fmt.Println(stream.Auto(struct{ Temperature int }{21}).Kind)
	// Output:
	// text
	// reasoning|marked
	// none
}

// A classifier can leave to Auto what it does not know better.
func ExampleAuto_extended() {
	classify := func(c sdkChunk) tpot.Event {
		e := stream.Auto(c)
		e.Tokens = 2 // this server always sends two
		return e
	}
	e := classify(sdkChunk{`{"choices":[{"delta":{"content":"Hello"}}]}`})
	fmt.Println(e.Kind, e.Tokens)
	// Output: text|choices|marked 2
}

func ExampleEach() {
	e := stream.Each("whatever it is")
	fmt.Println(e.Kind, e.Tokens)
	// Output: text 1
}
