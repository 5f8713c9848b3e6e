package llmtest

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"math"
	"time"
)

// Fixture reads the wire capture NAME.bin with its description NAME.json from fsys. Of the description it uses
// content_type; writes, a list of {at_ms, len} that cuts the body into the capture's network writes; and abort, for a
// connection that breaks after the last of them. Each write is one event, of no kind: what the bytes carry is for
// the reader of the fixture to say. It is an error when the writes are not the whole body or not in order of time.
func Fixture(fsys fs.FS, name string) (Script, error) {
	body, err := fs.ReadFile(fsys, name+".bin")
	if err != nil {
		return Script{}, fmt.Errorf("llmtest: %w", err)
	}
	text, err := fs.ReadFile(fsys, name+".json")
	if err != nil {
		return Script{}, fmt.Errorf("llmtest: %w", err)
	}
	var c capture
	if err := json.Unmarshal(text, &c); err != nil {
		return Script{}, fmt.Errorf("llmtest: %s.json: %w", name, err)
	}
	script, err := c.script(body)
	if err != nil {
		return Script{}, fmt.Errorf("llmtest: %s: %w", name, err)
	}
	return script, nil
}

// capture is what a Script takes from a fixture's description.
type capture struct {
	ContentType string `json:"content_type"`
	Writes      []struct {
		AtMS float64 `json:"at_ms"`
		Len  int     `json:"len"`
	} `json:"writes"`
	Abort bool `json:"abort"`
}

func (c capture) script(body []byte) (Script, error) {
	s := newScript(c.ContentType)
	if c.Abort {
		s.Ending = EndCut
	}
	for i, w := range c.Writes {
		at := time.Duration(math.Round(w.AtMS * float64(time.Millisecond)))
		if at < s.last() {
			return Script{}, fmt.Errorf("write %d at %v is before %v", i, at, s.last())
		}
		if w.Len < 0 || w.Len > len(body) {
			return Script{}, fmt.Errorf("write %d of %d bytes, body has %d left", i, w.Len, len(body))
		}
		s.Writes = append(s.Writes, Write{At: at, Events: []Event{{Bytes: body[:w.Len:w.Len]}}})
		body = body[w.Len:]
	}
	if len(body) > 0 {
		return Script{}, fmt.Errorf("writes leave %d bytes of the body", len(body))
	}
	return s, nil
}
