package main

import (
	"fmt"
	"math/rand/v2"
)

// The shape of the network. It is as large as needed for decoding to take most of the time of a token, also where the server
// has one core, and no larger.
const (
	width   = 256
	inner   = 512 // width of the feed-forward layers
	heads   = 8
	layers  = 4
	context = 4096 // in tokens
)

// The spread of the weights.
const (
	noise       = 0.08
	wordNoise   = 0.04   // of the words' rows in the output: words are likelier than bytes, but not by much
	bytesNoise  = 0.0004 // and of the bytes'
	normEpsilon = 1e-5
)

// newModel is a llama network.
func newModel(v vocabulary, r *rand.Rand) *file {
	f := new(file)
	f.string("general.architecture", "llama")
	f.string("general.name", "tiny-random")
	f.uint32("general.file_type", elementFloat32)
	f.uint32("llama.context_length", context)
	f.uint32("llama.embedding_length", width)
	f.uint32("llama.block_count", layers)
	f.uint32("llama.feed_forward_length", inner)
	f.uint32("llama.attention.head_count", heads)
	f.uint32("llama.attention.head_count_kv", heads)
	f.float32("llama.attention.layer_norm_rms_epsilon", normEpsilon)
	f.uint32("llama.rope.dimension_count", width/heads)
	f.float32("llama.rope.freq_base", 10000)
	f.uint32("llama.vocab_size", uint32(len(v.texts)))
	tokenizer(f, v)
	weights(f, len(v.texts), r)
	return f
}

func tokenizer(f *file, v vocabulary) {
	f.string("tokenizer.ggml.model", "llama")
	f.strings("tokenizer.ggml.tokens", v.texts)
	f.float32s("tokenizer.ggml.scores", v.scores)
	f.int32s("tokenizer.ggml.token_type", v.kinds)
	f.uint32("tokenizer.ggml.bos_token_id", begin)
	f.uint32("tokenizer.ggml.eos_token_id", end)
	f.uint32("tokenizer.ggml.unknown_token_id", unknown)
	f.bool("tokenizer.ggml.add_bos_token", true)
	f.bool("tokenizer.ggml.add_eos_token", false)
}

func weights(f *file, tokens int, r *rand.Rand) {
	f.tensor("token_embd.weight", random(r, width, tokens, noise))
	for i := range layers {
		name := func(part string) string { return fmt.Sprintf("blk.%d.%s.weight", i, part) }
		f.tensor(name("attn_norm"), ones())
		for _, part := range []string{"attn_q", "attn_k", "attn_v", "attn_output"} {
			f.tensor(name(part), random(r, width, width, noise))
		}
		f.tensor(name("ffn_norm"), ones())
		f.tensor(name("ffn_gate"), random(r, width, inner, noise))
		f.tensor(name("ffn_up"), random(r, width, inner, noise))
		f.tensor(name("ffn_down"), random(r, inner, width, noise))
	}
	f.tensor("output_norm.weight", ones())
	f.tensor("output.weight", output(r, tokens))
}

// output is what makes a token likely. The end is never sampled: its logit is zero, as are those of the other special tokens,
// and of the many bytes there are more above zero than a sampler looks at.
func output(r *rand.Rand, tokens int) [][]float32 {
	rows := random(r, width, special, 0)
	rows = append(rows, random(r, width, wordless-special, bytesNoise)...)
	return append(rows, random(r, width, tokens-wordless, wordNoise)...)
}

func random(r *rand.Rand, length, count int, spread float64) [][]float32 {
	rows := make([][]float32, count)
	for i := range rows {
		rows[i] = make([]float32, length)
		for j := range rows[i] {
			rows[i][j] = float32(r.NormFloat64() * spread)
		}
	}
	return rows
}

func ones() [][]float32 {
	row := make([]float32, width)
	for i := range row {
		row[i] = 1
	}
	return [][]float32{row}
}
