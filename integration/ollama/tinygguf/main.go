// Command tinygguf writes a small language model with random weights, of 11 MB, in the GGUF format:
//
//	go run ./tinygguf -o tiny.gguf
//
// It talks nonsense, but a server loads and streams it like any other, in about two milliseconds a token on one core. The same
// seed gives the same bytes.
package main

import (
	"flag"
	"log"
	"math/rand/v2"
	"os"
)

func main() {
	out := flag.String("o", "tiny.gguf", "file to write")
	seed := flag.Uint64("seed", 7, "seed of the weights")
	flag.Parse()
	model := newModel(newVocabulary(), rand.New(rand.NewPCG(*seed, 0)))
	if err := os.WriteFile(*out, model.bytes(), 0o644); err != nil {
		log.Fatal(err)
	}
}
