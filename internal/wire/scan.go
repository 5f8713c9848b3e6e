package wire

import "math/bits"

// The functions of this file say where a token ends. Each takes a text and the index at which the token begins, and
// returns the index after it or malformed.

// malformed is the end of a token that is none. No byte is found there, so it can be handed on unchecked: nothing that
// begins at malformed is a token.
const malformed = -1

// byteAt is 0 outside the text.
func byteAt(text string, i int) byte {
	if uint(i) < uint(len(text)) {
		return text[i]
	}
	return 0
}

// spaceEnd passes over white space, if there is any.
func spaceEnd(text string, i int) int {
	for uint(i) < uint(len(text)) && text[i] <= ' ' && isSpace(text[i]) {
		i++
	}
	return i
}

func isSpace(b byte) bool { return b == ' ' || b == '\n' || b == '\r' || b == '\t' }

// valueEnd passes over one value of any type.
func valueEnd(text string, i int) int {
	switch byteAt(text, i) {
	case '"':
		end, _ := stringEnd(text, i)
		return end
	case '{', '[':
		return nestedEnd(text, i)
	case 'n':
		return literalEnd(text, i, "null")
	case 't':
		return literalEnd(text, i, "true")
	case 'f':
		return literalEnd(text, i, "false")
	}
	return numberEnd(text, i)
}

func literalEnd(text string, i int, literal string) int {
	end := i + len(literal)
	if end > len(text) || text[i:end] != literal {
		return malformed
	}
	return end
}

func numberEnd(text string, i int) int {
	if byteAt(text, i) == '-' {
		i++
	}
	end := digitsEnd(text, i)
	if byteAt(text, i) == '0' {
		end = i + 1
	}
	if byteAt(text, end) == '.' {
		end = digitsEnd(text, end+1)
	}
	if b := byteAt(text, end); b == 'e' || b == 'E' {
		end = exponentEnd(text, end+1)
	}
	return end
}

func exponentEnd(text string, i int) int {
	if b := byteAt(text, i); b == '+' || b == '-' {
		i++
	}
	return digitsEnd(text, i)
}

// digitsEnd passes over one or more digits.
func digitsEnd(text string, i int) int {
	end := i
	for isDigit(byteAt(text, end)) {
		end++
	}
	if end == i {
		return malformed
	}
	return end
}

func isDigit(b byte) bool { return b-'0' <= 9 }

// stringEnd passes over the string whose opening quote is at i. Most strings end without an escape, and are taken eight
// bytes at a time.
func stringEnd(text string, i int) (end int, escaped bool) {
	for i++; i+8 <= len(text); i += 8 {
		special := specialBytes(word(text[i : i+8]))
		if special == 0 {
			continue
		}
		i += bits.TrailingZeros64(special) / 8
		if text[i] == '"' {
			return i + 1, false
		}
		break
	}
	return stringTailEnd(text, i)
}

// stringTailEnd passes over the rest of a string byte by byte.
func stringTailEnd(text string, i int) (end int, escaped bool) {
	for i != malformed {
		switch b := byteAt(text, i); {
		case b == '"':
			return i + 1, escaped
		case b < ' ' || b == '\\':
			i, escaped = escapeEnd(text, i), true
		default:
			i++
		}
	}
	return malformed, escaped
}

// escapeEnd passes over an escape in a string.
func escapeEnd(text string, i int) int {
	if byteAt(text, i) != '\\' {
		return malformed
	}
	switch byteAt(text, i+1) {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return i + 2
	case 'u':
		return hexEnd(text, i+2)
	}
	return malformed
}

// hexEnd passes over four hexadecimal digits.
func hexEnd(text string, i int) int {
	for end := i + 4; i < end; i++ {
		if b := byteAt(text, i); !isDigit(b) && (b|0x20)-'a' > 5 {
			return malformed
		}
	}
	return i
}

// word is eight bytes as a number, the first one lowest. The compiler makes one load of it.
func word(s string) uint64 {
	_ = s[7]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}

const (
	ones  = 0x0101010101010101 // times b: b in every byte
	highs = 0x80 * ones
)

// specialBytes finds the bytes of w that end a string or need a closer look: quotes, backslashes and control
// characters. The high bit of each is set. Those above the lowest one may be wrong.
//
// A byte below 0x80 less k has its high bit set if and only if it was below k, as long as no byte under it borrowed.
// Flipping bit 1 puts the quote next to the control characters: they are below '!' then, and the space is not.
func specialBytes(w uint64) uint64 {
	controlOrQuote := (w ^ 0x02*ones) - '!'*ones
	backslash := (w ^ '\\'*ones) - ones
	return (controlOrQuote | backslash) &^ w & highs
}
