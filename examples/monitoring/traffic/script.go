package traffic

import "time"

// script is all that a provider and a user will do in one request. It is settled when the request starts.
type script struct {
	opening time.Duration // until there is a stream
	refusal error         // instead of the stream
	turns   []turn        // of the stream
	pause   time.Duration // before its end
	end     error         // what ends it

	handling time.Duration // the user's time with each event
	leaves   int           // the user leaves after so many chunks of output; zero: never
	cancels  bool          // by canceling, not by closing the stream
}

// turn is a wait and what comes after it.
type turn struct {
	pause time.Duration
	chunk chunk
}

// outputs is the number of chunks of output.
func (s *script) outputs() int {
	n := 0
	for _, t := range s.turns {
		if t.chunk.size > 0 {
			n++
		}
	}
	return n
}
