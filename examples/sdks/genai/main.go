// Genai streams an answer of Gemini with google.golang.org/genai and times it.
package main

import (
	"context"
	"fmt"
	"log"

	"google.golang.org/genai"

	"github.com/tokentiming/tokentiming/stream"
	"github.com/tokentiming/tokentiming/tpot"
)

func main() {
	ctx := context.Background()
	client, err := genai.NewClient(ctx, nil) // GEMINI_API_KEY
	if err != nil {
		log.Fatal(err)
	}

	rec := tpot.Start(ctx)
	answer := client.Models.GenerateContentStream(ctx, "gemini-2.5-flash", genai.Text("Tell me about the sea."), nil)
	for response, err := range stream.Seq2(rec, answer, nil) { // sends the request
		if err != nil {
			log.Print(err)
			break
		}
		fmt.Print(response.Text())
	}

	fmt.Println()
	fmt.Print(rec.Stats().Report())
}
