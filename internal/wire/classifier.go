package wire

import (
	"cmp"
	"hash/maphash"

	"github.com/tokentiming/tokentiming/tpot"
)

// Classifier says what the events of one stream carry, each in the light of those before it: where the wire repeats its
// text or its counts from the start, only their growth is the event's. The zero Classifier is ready. It keeps no text, and
// is not safe for concurrent use.
type Classifier struct {
	Facts

	head  head
	first course   // of choice 0, which most streams have alone
	more  []course // of the others, by choice less one

	library library
}

// Facts is what a stream says of itself beside its events.
type Facts struct {
	Wire   string // the name of its format: "openai", "anthropic", ...; "unknown" when there were only events that no shape knows
	Server tpot.ServerTimings
}

// maxCourses bounds the choices whose growth is followed. Providers stop at 128.
const maxCourses = 128

// course is what one choice has come to.
type course struct {
	output int  // its tokens
	untold bool // a chunk came without a count of them
	text   prefix
}

// Classify says what the JSON of the next event carries, as the function of that name does.
func (c *Classifier) Classify(data string) (tpot.Event, bool) {
	return c.classify(data, &c.library, false)
}

// classify is Classify for an event that its frame may call an error, whatever is in it. Without a library it may be of a wire only.
func (c *Classifier) classify(data string, lib *library, isError bool) (e tpot.Event, ok bool) {
	var env envelope
	wire := ""
	if c.head.read(&env, data) {
		wire = env.classify(&e, lib, data)
	}
	if isError && e.Kind&tpot.KindError == 0 {
		env.failure = env.failure.or(failure{present: true, label: cmp.Or(env.name, env.code)})
		e = tpot.Event{}
		env.describe(&e, 0)
		wire = cmp.Or(wire, "error")
	}
	c.name(wire)
	if wire == "" {
		return tpot.Event{}, false
	}
	c.grow(&e, &env)
	env.report(&c.Server)
	return e, true
}

// name keeps the name of the wire. An error is of any wire.
func (c *Classifier) name(wire string) {
	switch {
	case wire == "error":
	case wire != "":
		c.Wire = wire
	case c.Wire == "":
		c.Wire = "unknown"
	}
}

// grow takes from e what the stream had said before.
func (c *Classifier) grow(e *tpot.Event, env *envelope) {
	text := env.growing
	repeats := text.filled() || e.Kind&tpot.KindUsage != 0
	if !repeats && e.Kind&tpot.KindGenerated == 0 {
		return
	}
	choice := e.Choice
	if env.gemini.candidates.listed {
		choice = 0 // its usage is of all candidates
	}
	course := c.course(choice)
	if course == nil {
		return
	}
	if text.filled() && !course.text.grow(text) {
		e.Kind = e.Kind&^tpot.KindText | when(e.Kind&^(tpot.KindText|tpot.KindUsage|tpot.KindMarked) == 0, tpot.KindStatus)
	}
	course.count(e)
}

// course returns that of a choice, nil when there are too many.
func (c *Classifier) course(choice int) *course {
	switch {
	case choice == 0:
		return &c.first
	case choice < 0 || choice >= maxCourses:
		return nil
	}
	for len(c.more) < choice {
		c.more = append(c.more, course{})
	}
	return &c.more[choice-1]
}

// placed is the kinds of an event that belongs to the output, whether there is any in it or not.
const placed = tpot.KindGenerated | tpot.KindChoices | tpot.KindStatus

// count gives e the growth of its usage as its tokens, as long as every chunk so far came with usage: else the growth is of
// several chunks.
func (c *course) count(e *tpot.Event) {
	if e.Usage.Output == 0 || e.Kind&tpot.KindUsage == 0 {
		c.untold = c.untold || e.Kind&tpot.KindGenerated != 0
		return
	}
	growth := e.Usage.Output - c.output
	c.output = max(c.output, e.Usage.Output)
	if growth > 0 && !c.untold && e.Tokens == 0 && e.Kind&placed != 0 {
		e.Tokens = growth
	}
}

// growing is text that may be all there is so far, or a piece.
type growing struct {
	raw
	cumulative bool // it is all there is, unless shown otherwise
}

// prefix tells the one from the other. It keeps the hash of the text before.
type prefix struct {
	length int
	hash   uint64
	grown  bool // one text had the one before it for its beginning, and more
	pieces bool // one text had not: they are pieces
}

var prefixSeed = maphash.MakeSeed()

// grow reports whether text has more in it than the one before it, or is a piece, and keeps it for the next. An escape of
// JSON is not cut in two: texts that begin alike are written alike.
func (p *prefix) grow(text growing) bool {
	if p.pieces {
		return true
	}
	all := string(text.raw[1 : len(text.raw)-1])
	repeats := p.length > 0 && len(all) >= p.length && maphash.String(prefixSeed, all[:p.length]) == p.hash
	longer := len(all) > p.length
	switch {
	case p.length == 0:
	case !repeats, !longer && !p.grown && !text.cumulative: // two pieces that are alike, more likely
		p.pieces = true
		return true
	default:
		p.grown = p.grown || longer
	}
	p.length, p.hash = len(all), maphash.String(prefixSeed, all)
	return longer
}
