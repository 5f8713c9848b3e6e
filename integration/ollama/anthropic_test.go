package ollama

import (
	"context"
	"net/http"

	"github.com/anthropics/anthropic-sdk-go/v2"
	"github.com/anthropics/anthropic-sdk-go/v2/option"

	"github.com/tokentiming/tokentiming/stream"
	"github.com/tokentiming/tokentiming/tpot"
)

func anthropicMessages(ctx context.Context, c *http.Client, rec *tpot.Recorder) (a answer, err error) {
	client := anthropic.NewClient(option.WithBaseURL(server), option.WithAPIKey("none"), option.WithHTTPClient(c))
	params := anthropic.MessageNewParams{
		Model:     model,
		Messages:  []anthropic.MessageParam{anthropic.NewUserMessage(anthropic.NewTextBlock(prompt))},
		MaxTokens: tokens,
	}
	s := stream.Pull(rec, client.Messages.NewStreaming(ctx, params), nil)
	defer s.Close()
	for s.Next() {
		switch e := s.Current().AsAny().(type) {
		case anthropic.ContentBlockDeltaEvent:
			a.piece(e.Delta.Text)
		case anthropic.MessageDeltaEvent:
			a.finish = string(e.Delta.StopReason)
			a.usage = tpot.Usage{Input: int(e.Usage.InputTokens), Output: int(e.Usage.OutputTokens)}
		}
	}
	return a, s.Err()
}
