package tpot

// TokenSource says where a count of tokens comes from, and so how far to trust it.
type TokenSource uint8

const (
	// SourceUnknown is no count: nothing was generated.
	SourceUnknown TokenSource = iota
	// SourceReported is the provider's usage.
	SourceReported
	// SourceCounted is the sum of the tokens given for each chunk.
	SourceCounted
	// SourceChunks is one token for each chunk: a guess.
	SourceChunks
)

var sourceNames = [...]string{"unknown", "reported", "counted", "chunks"}

// String is "unknown", "reported", "counted" or "chunks".
func (s TokenSource) String() string { return name(sourceNames[:], uint8(s)) }

// MarshalText is [TokenSource.String] as bytes.
func (s TokenSource) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads what MarshalText wrote. An unknown name is an error.
func (s *TokenSource) UnmarshalText(text []byte) error {
	i, err := parseName(sourceNames[:], "token source", text)
	*s = TokenSource(i)
	return err
}
