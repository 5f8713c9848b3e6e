// Bedrock streams a conversation of Amazon Bedrock with github.com/aws/aws-sdk-go-v2/service/bedrockruntime and times it.
package main

import (
	"context"
	"fmt"
	"log"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime/types"

	"github.com/tokentiming/tokentiming/stream"
	"github.com/tokentiming/tokentiming/tpot"
)

func main() {
	ctx := context.Background()
	cfg, err := config.LoadDefaultConfig(ctx) // AWS_REGION, AWS_PROFILE and so on
	if err != nil {
		log.Fatal(err)
	}
	client := bedrockruntime.NewFromConfig(cfg)
	input := &bedrockruntime.ConverseStreamInput{
		ModelId: aws.String("us.amazon.nova-lite-v1:0"),
		Messages: []types.Message{{
			Role:    types.ConversationRoleUser,
			Content: []types.ContentBlock{&types.ContentBlockMemberText{Value: "Tell me about the sea."}},
		}},
	}

	rec := tpot.Start(ctx)
	output, err := client.ConverseStream(ctx, input)
	if err != nil {
		rec.End(err) // there is no stream that would end it
		log.Fatal(err)
	}
	events := output.GetStream()
	defer events.Close()
	for event, err := range stream.Events(rec, events, nil) { // an error of the stream comes last
		if err != nil {
			log.Print(err)
			break
		}
		if delta, ok := event.(*types.ConverseStreamOutputMemberContentBlockDelta); ok {
			if text, ok := delta.Value.Delta.(*types.ContentBlockDeltaMemberText); ok {
				fmt.Print(text.Value)
			}
		}
	}

	fmt.Println()
	fmt.Print(rec.Stats().Report())
}
