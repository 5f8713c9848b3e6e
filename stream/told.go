package stream

import (
	"github.com/tokentiming/tokentiming/internal/wire"
	"github.com/tokentiming/tokentiming/tpot"
)

// told is what a Recorder has been told of a stream beside its events.
type told wire.Facts

// tell tells it what is new.
func (t *told) tell(rec *tpot.Recorder, facts wire.Facts) {
	if facts.Wire != t.Wire {
		rec.ReportWire(facts.Wire)
	}
	if facts.Server != t.Server {
		rec.ReportServer(facts.Server)
	}
	*t = told(facts)
}
