package monitor

import (
	"cmp"
	"strings"

	"github.com/tokentiming/tokentiming/tpot"
)

// Other stands in all fields of the [Key] that the requests beyond [Config.Keys] share.
const Other = "_other"

// Key is what requests are told apart by. Of each field at most 256 bytes count.
type Key struct {
	Provider string `json:"provider"`
	Model    string `json:"model"` // the model asked for or, of a request that did not say, the one that answered
	Scenario string `json:"scenario"`
}

var otherKey = Key{Other, Other, Other}

// longestName bounds the fields of a key, which a caller's caller may choose.
const longestName = 256

// keyOf is the key of a request, before its answer names a model.
func keyOf(r *tpot.Request) Key {
	return Key{r.Provider, r.Model, r.Scenario}.cut()
}

// cut is as much of a key as counts.
func (k Key) cut() Key {
	return Key{name(k.Provider), name(k.Model), name(k.Scenario)}
}

func name(s string) string {
	if len(s) <= longestName {
		return s
	}
	return strings.ToValidUTF8(s[:longestName], "")
}

// clone is the same key in memory of its own.
func (k Key) clone() Key {
	return Key{strings.Clone(k.Provider), strings.Clone(k.Model), strings.Clone(k.Scenario)}
}

// means says whether another key is one that k means, as a rule's: an empty field means any.
func (k Key) means(other Key) bool {
	return (k.Provider == "" || k.Provider == other.Provider) &&
		(k.Model == "" || k.Model == other.Model) &&
		(k.Scenario == "" || k.Scenario == other.Scenario)
}

func (k Key) compare(other Key) int {
	return cmp.Or(
		cmp.Compare(k.Provider, other.Provider),
		cmp.Compare(k.Model, other.Model),
		cmp.Compare(k.Scenario, other.Scenario),
	)
}

// line is what is kept of one key.
type line struct {
	key      Key
	inFlight int
	window   window
}

// idle is whether nothing happens on a line.
func (l *line) idle(number int64) bool { return l.inFlight == 0 && l.window.empty(number) }

// line finds the line of a key, or makes one if there is room, or else gives the one for the rest. The caller holds the lock.
func (m *Monitor) line(k Key, number int64) *line {
	if l, ok := m.lines[k]; ok {
		return l
	}
	if m.full() {
		m.sweep(number)
	}
	if m.full() {
		k = otherKey
		if l, ok := m.lines[k]; ok {
			return l
		}
	}
	l := &line{key: k.clone()}
	m.lines[l.key] = l
	return l
}

// full is whether there is no room for another key. The line for the rest takes none.
func (m *Monitor) full() bool {
	taken := len(m.lines)
	if _, ok := m.lines[otherKey]; ok {
		taken--
	}
	return taken >= m.keys
}

// sweep drops the lines that nothing happens on, at most once in a step: within one none gets idle.
func (m *Monitor) sweep(number int64) {
	if m.swept == number {
		return
	}
	m.swept = number
	for k, l := range m.lines {
		if l.idle(number) {
			delete(m.lines, k)
		}
	}
}
