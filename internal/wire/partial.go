package wire

// partial is the beginning of something that has not come whole, as long as that is not too large.
type partial struct {
	held  []byte
	limit int  // of held; zero: MaxEvent
	over  bool // more than that came
}

// add takes a further piece.
func (p *partial) add(data []byte) {
	switch {
	case p.over:
	case len(p.held)+len(data) <= p.max():
		p.held = append(p.held, data...)
	case len(p.held) > 0:
		p.held, p.over = []byte{p.held[0]}, true
	default:
		p.held, p.over = []byte{data[0]}, true
	}
}

// with takes the last piece and returns the whole, which is valid until the next add; ok is false when it was too large, and
// no more than its first byte is sure to be there then.
func (p *partial) with(data []byte) (whole []byte, ok bool) {
	if len(p.held) == 0 && !p.over {
		return data, len(data) <= p.max()
	}
	p.add(data)
	whole, ok = p.held, !p.over
	p.reset()
	return whole, ok
}

// maxIdle is how much memory is kept for the next event.
const maxIdle = 64 << 10

// reset forgets what is held. The bytes stay where they are until the next add.
func (p *partial) reset() {
	p.held, p.over = p.held[:0], false
	if cap(p.held) > maxIdle {
		p.held = nil
	}
}

func (p *partial) empty() bool { return len(p.held) == 0 && !p.over }

func (p *partial) max() int {
	if p.limit == 0 {
		return MaxEvent
	}
	return p.limit
}
