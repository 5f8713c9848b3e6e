package stream_test

import (
	"fmt"

	"github.com/tokentiming/tokentiming/stream"
	"github.com/tokentiming/tokentiming/tpot"
)

// sdkEvent is an event of an SDK that keeps the JSON it came from, as those of OpenAI and Anthropic do.
type sdkEvent struct{ raw string }

func (e sdkEvent) RawJSON() string { return e.raw }

// Auto reads what it knows and admits what it does not.
func ExampleAuto() {
	thinking := sdkEvent{`{"type":"content_block_delta","delta":{"type":"thinking_delta","thinking":"Hm"}}`}
	fmt.Println(stream.Auto("Hello").Kind)
	fmt.Println(stream.Auto(thinking).Kind)
	fmt.Println(stream.Auto(struct{ Temperature int }{21}).Kind)
	// Output:
	// text
	// reasoning|marked
	// none
}

// A classifier of one's own can start from what Auto says and add what it alone knows.
func ExampleAuto_extended() {
	classify := func(e sdkEvent) tpot.Event {
		event := stream.Auto(e)
		if event.Kind&tpot.KindGenerated != 0 {
			event.Tokens = 2 // this server sends its tokens in pairs
		}
		return event
	}
	event := classify(sdkEvent{`{"choices":[{"delta":{"content":"Hello"}}]}`})
	fmt.Println(event.Kind, event.Tokens)
	// Output: text|choices|marked 2
}

// Each is for streams of which every value is one token.
func ExampleEach() {
	event := stream.Each("Hello")
	fmt.Println(event.Kind, event.Tokens)
	// Output: text 1
}
