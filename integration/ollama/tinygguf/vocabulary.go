package main

import "fmt"

// vocabulary is the tokens of a SentencePiece tokenizer, first three special ones, then one for each byte, then some words and
// the letters. A server holds the token of a byte back until a whole character is there, so it streams fewer chunks than tokens.
type vocabulary struct {
	texts  []string
	scores []float32
	kinds  []int32
}

// Kinds of tokens.
const (
	kindNormal  int32 = 1
	kindUnknown int32 = 2
	kindControl int32 = 3
	kindByte    int32 = 6
)

// Tokens with a place of their own.
const (
	unknown = iota
	begin
	end
	special // how many there are
)

// wordless is how many tokens come before the words.
const wordless = special + 256

func newVocabulary() vocabulary {
	var v vocabulary
	v.add("<unk>", kindUnknown, 0)
	v.add("<s>", kindControl, 0)
	v.add("</s>", kindControl, 0)
	for b := range 256 {
		v.add(fmt.Sprintf("<0x%02X>", b), kindByte, 0)
	}
	const space = "\u2581" // as SentencePiece writes it
	for _, word := range []string{"the", "token", "of", "time", "a", "flow", "stream", "and", ""} {
		v.word(space + word)
	}
	for _, ending := range []string{"ing", "ed", ".", ","} {
		v.word(ending)
	}
	for letter := 'a'; letter <= 'z'; letter++ {
		v.word(string(letter))
	}
	return v
}

// word adds one that is merged after those before it.
func (v *vocabulary) word(text string) { v.add(text, kindNormal, float32(wordless-len(v.texts)-1)) }

func (v *vocabulary) add(text string, kind int32, score float32) {
	v.texts = append(v.texts, text)
	v.kinds = append(v.kinds, kind)
	v.scores = append(v.scores, score)
}
