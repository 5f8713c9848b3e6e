package tpot

import (
	"fmt"
	"math/bits"
	"strconv"
	"strings"
)

// Kind is the set of things that one stream event carries. The zero Kind says that the event was not understood;
// such events are counted in [Stats.Unclassified].
type Kind uint32

// Generated output: an event with any of these is a chunk. An empty or null payload sets none of them.
const (
	KindText      Kind = 1 << iota // answer text
	KindReasoning                  // reasoning ("thinking") text
	KindToolCall                   // arguments of a tool call
	KindRefusal                    // refusal text
	KindMedia                      // audio, images, other inline data
)

// Structure: what these carry was not generated token by token.
const (
	KindToolMeta Kind = 1 << (iota + 5) // id or name of a tool call, without arguments
	KindRole                            // who speaks
	KindFinish                          // the reason why generation stopped
	KindUsage                           // token counts; Event.Usage is read
	KindDone                            // the wire's end marker
	KindPing                            // keep-alive
	KindStatus                          // framing, progress, an empty delta
	KindError                           // an error inside the stream
	KindSummary                         // beside KindReasoning: only a summary of it was streamed
	KindChoices                         // OpenAI-shaped: the choices list is not empty
	KindMarked                          // this stream is to end with KindFinish or KindDone; said by any of its events
)

// KindVisible is every kind of output that is more than reasoning.
const KindVisible = KindText | KindToolCall | KindRefusal | KindMedia

// KindGenerated is every kind of output. An event with one of its bits is a chunk.
const KindGenerated = KindVisible | KindReasoning

// kindNames holds the name of each bit, lowest first.
var kindNames = [...]string{
	"text", "reasoning", "tool", "refusal", "media",
	"toolmeta", "role", "finish", "usage", "done", "ping", "status", "error", "summary", "choices", "marked",
}

// String names the set bits, lowest first: "text|usage". The names are text, reasoning, tool (its arguments), refusal, media, toolmeta, role,
// finish, usage, done, ping, status, error, summary, choices and marked. The zero Kind is "none".
func (k Kind) String() string {
	if k == 0 {
		return "none"
	}
	var names []string
	for rest := k; rest != 0; rest &= rest - 1 {
		bit := bits.TrailingZeros32(uint32(rest))
		if bit >= len(kindNames) {
			return strings.Join(append(names, fmt.Sprintf("%#x", uint32(rest))), "|")
		}
		names = append(names, kindNames[bit])
	}
	return strings.Join(names, "|")
}

// MarshalText is [Kind.String] as bytes.
func (k Kind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// UnmarshalText reads what MarshalText wrote. A name that no kind has is an error.
func (k *Kind) UnmarshalText(text []byte) error {
	if string(text) == "none" {
		*k = 0
		return nil
	}
	var set Kind
	for name := range strings.SplitSeq(string(text), "|") {
		bit, err := kindBit(name)
		if err != nil {
			return err
		}
		set |= bit
	}
	*k = set
	return nil
}

func kindBit(name string) (Kind, error) {
	for i, known := range kindNames {
		if name == known {
			return 1 << i, nil
		}
	}
	if hex, ok := strings.CutPrefix(name, "0x"); ok { // bits without a name
		if rest, err := strconv.ParseUint(hex, 16, 32); err == nil {
			return Kind(rest), nil
		}
	}
	return 0, fmt.Errorf("tpot: unknown kind %q", name)
}
