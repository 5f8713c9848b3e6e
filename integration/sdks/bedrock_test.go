package sdks

import (
	"context"
	"net/http"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime/types"

	"github.com/tokentiming/tokentiming/integration/matrix"
	"github.com/tokentiming/tokentiming/internal/llmtest"
	"github.com/tokentiming/tokentiming/stream"
	"github.com/tokentiming/tokentiming/tpot"
)

func TestBedrockConverse(t *testing.T) {
	type consumer = matrix.Consumer[types.ConverseStreamOutput]
	open := func(ctx context.Context, client *http.Client) (*bedrockruntime.ConverseStreamEventStream, error) {
		c := bedrockruntime.New(bedrockruntime.Options{
			Region: "us-east-1", HTTPClient: client, Credentials: credentials.NewStaticCredentialsProvider("id", "secret", ""),
		})
		out, err := c.ConverseStream(ctx, &bedrockruntime.ConverseStreamInput{
			ModelId:  aws.String("m"),
			Messages: []types.Message{{Role: types.ConversationRoleUser, Content: []types.ContentBlock{&types.ContentBlockMemberText{Value: "hi"}}}},
		})
		if err != nil {
			return nil, err
		}
		return out.GetStream(), nil
	}
	matrix.Run(t, matrix.SDK[types.ConverseStreamOutput]{
		Name: "bedrock converse",
		Wire: matrix.Converse,
		Plain: func(ctx context.Context, client *http.Client, c *consumer) error {
			s, err := open(ctx, client)
			if err != nil {
				return err
			}
			c.Chan(s.Events())
			c.Fail(s.Err())
			c.Close = s.Close()
			return nil
		},
		Timed: func(ctx context.Context, rec *tpot.Recorder, client *http.Client, c *consumer) error {
			s, err := open(ctx, client)
			if err != nil {
				rec.End(err)
				return err
			}
			c.Seq2(stream.Events(rec, s, nil))
			c.Close = s.Close()
			return nil
		},
		Kind: func(e types.ConverseStreamOutput) llmtest.Kind {
			delta, ok := e.(*types.ConverseStreamOutputMemberContentBlockDelta)
			if !ok {
				return ""
			}
			switch delta.Value.Delta.(type) {
			case *types.ContentBlockDeltaMemberText:
				return llmtest.KindText
			case *types.ContentBlockDeltaMemberReasoningContent:
				return llmtest.KindReasoning
			}
			return ""
		},
		Format: "bedrock",
		Traits: matrix.Traits{Retries: true, HidesCut: true, HidesEnd: true},
	})
}
