package wire

import (
	"encoding/json"
	"testing"
)

// chatEvent is a typical event of an OpenAI-shaped stream, 320 bytes long.
const chatEvent = `{"id":"chatcmpl-CqX2vJzN8rTqk3mP0aLw9uYd","object":"chat.completion.chunk","created":1764500000,` +
	`"model":"ex-mini-2025-11-30","service_tier":"default","system_fingerprint":"fp_9d50cd990b","choices":[{"index":0,` +
	`"delta":{"content":" falls on"},"logprobs":null,"finish_reason":null}],"usage":null,"obfuscation":"zQ7kXw"}`

func BenchmarkClassify(b *testing.B) {
	b.ReportAllocs()
	b.SetBytes(int64(len(chatEvent)))
	for b.Loop() {
		if _, ok := Classify(chatEvent); !ok {
			b.Fatal("not known")
		}
	}
}

// BenchmarkEncodingJSON is the baseline: the same event decoded into the fields that timing needs.
func BenchmarkEncodingJSON(b *testing.B) {
	data := []byte(chatEvent)
	b.ReportAllocs()
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		var chunk struct {
			Model   string `json:"model"`
			Choices []struct {
				Index int `json:"index"`
				Delta struct {
					Role    string `json:"role"`
					Content string `json:"content"`
				} `json:"delta"`
				FinishReason string `json:"finish_reason"`
			} `json:"choices"`
			Usage *struct {
				PromptTokens     int `json:"prompt_tokens"`
				CompletionTokens int `json:"completion_tokens"`
			} `json:"usage"`
		}
		if err := json.Unmarshal(data, &chunk); err != nil {
			b.Fatal(err)
		}
	}
}
