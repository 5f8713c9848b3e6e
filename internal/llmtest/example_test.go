package llmtest_test

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/tokentiming/tokentiming/internal/llmtest"
)

func Example() {
	ai := llmtest.OpenAI{}
	srv := llmtest.Start(llmtest.SSE().
		After(3*time.Millisecond, ai.Role()).
		Every(time.Millisecond, ai.Reasoning("Greet."), ai.Text("Hel"), ai.Text("lo")).
		After(2*time.Millisecond, ai.Text(" there,"), ai.Text(" you").WithTokens(2)). // two events in one write
		After(time.Millisecond, ai.Finish("stop"), ai.Usage(llmtest.Usage{Input: 9, Output: 6}), ai.Done()))
	defer srv.Close()

	request := strings.NewReader(`{"stream":true}`)
	resp, err := srv.Client().Post(srv.URL+"/v1/chat/completions", "application/json", request)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer resp.Body.Close()
	if _, err := io.Copy(io.Discard, resp.Body); err != nil {
		fmt.Println(err)
		return
	}

	x := srv.Log()[0]
	fmt.Println(x.Method, x.Path, string(x.Body))
	fmt.Println(len(x.Writes), "writes,", x.State)
	for sent, chunk := range x.Chunks() {
		fmt.Printf("due at %v: %s, %d tokens\n", sent.At, chunk.Kind, chunk.Tokens)
	}
	// Output:
	// POST /v1/chat/completions {"stream":true}
	// 6 writes, complete
	// due at 4ms: reasoning, 1 tokens
	// due at 5ms: text, 1 tokens
	// due at 6ms: text, 1 tokens
	// due at 8ms: text, 1 tokens
	// due at 8ms: text, 2 tokens
}

func ExampleListen() {
	ol := llmtest.Ollama{}
	srv, err := llmtest.Listen(
		llmtest.JSON(429, map[string]string{"error": "slow down"}),
		llmtest.NDJSON().Every(0, ol.Text("Hi"), ol.Done("stop", llmtest.Usage{Input: 4, Output: 1})),
	)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer srv.Close()

	for range 2 {
		resp, err := srv.Client().Get(srv.URL + "/api/chat")
		if err != nil {
			fmt.Println(err)
			return
		}
		body, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		fmt.Println(resp.StatusCode, len(strings.Split(strings.TrimSpace(string(body)), "\n")), "lines,", err)
	}
	// Output:
	// 429 1 lines, <nil>
	// 200 2 lines, <nil>
}

func ExampleStartHTTP2() {
	srv := llmtest.StartHTTP2(llmtest.SSE().Every(time.Millisecond, llmtest.OpenAI{}.Done()))
	defer srv.Close()

	resp, err := srv.Client().Get("https://api.example.com/v1/responses")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	fmt.Printf("%s %q %v\n", resp.Proto, body, err)
	// Output:
	// HTTP/2.0 "data: [DONE]\n\n" <nil>
}

func ExampleScript() {
	ai := llmtest.OpenAI{}
	answer := llmtest.SSE().After(50*time.Millisecond, ai.Text("Hel"))
	broken := answer
	broken.Ending = llmtest.EndCut
	whole := answer.Every(20*time.Millisecond, ai.Text("lo"), ai.Finish("stop"), ai.Done())

	for _, w := range whole.Writes {
		fmt.Println(w.At, len(w.Events))
	}
	fmt.Println(len(broken.Writes))
	// Output:
	// 50ms 1
	// 70ms 1
	// 90ms 1
	// 110ms 1
	// 1
}
