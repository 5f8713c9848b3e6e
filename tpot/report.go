package tpot

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Report is the figures that a person looks at, on several lines. Its last line draws the response over time: each mark is a span of
// it, as high as the longest gap that covers the span, so that one freeze among hundreds of good gaps stands out.
func (s Stats) Report() string {
	var r report
	r.line("request", join(s.Request.Scenario, s.Request.Operation, s.Request.Provider, s.requested()))
	r.line("outcome", join(s.ending(), s.ErrorType, s.FinishReason))
	r.line("tokens", s.reportTokens())
	r.line("first", s.reportFirst())
	r.line("pace", s.reportPace())
	r.distribution("gaps", s.Gaps())
	if s.ITLBasis() != "chunks" && s.itl != nil {
		r.distribution("ITL", s.itl)
	}
	if s.Gaps().Count() > 0 || s.Stalls.Count > 0 {
		r.line("stalls", s.reportStalls())
	}
	r.line("time", s.reportTime())
	r.line("http", s.reportAttempts())
	r.line("server", s.reportServer())
	r.line("caution", s.reportCaution())
	r.line("figures", "by the convention "+Convention)
	if s.timeline.used > 0 {
		r.line("course", fmt.Sprintf("%s  a mark is %s, the highest a gap of %s",
			s.timeline.bars(), short(s.timeline.width()), short(s.Gaps().max)))
	}
	return r.text.String()
}

// report collects lines of a label and its text.
type report struct{ text strings.Builder }

func (r *report) line(label, text string) {
	if text != "" {
		fmt.Fprintf(&r.text, "%-8s %s\n", label, text)
	}
}

func (r *report) distribution(label string, h *Histogram) {
	mean, ok := h.Mean()
	if !ok {
		return
	}
	r.line(label, fmt.Sprintf("%s  min %s  max %s", quantiles(h, 0.5, 0.9, 0.95, 0.99), short(h.min), short(h.max)))
	dev, _ := h.StdDev()
	variance, _ := h.Variance()
	spread := fmt.Sprintf("mean %s  sd %s  variance %s ms²", short(mean), short(dev), digits(variance*1e6))
	if cv, ok := h.CV(); ok {
		spread += "  CV " + digits(cv)
	}
	if jitter, ok := h.Jitter(); ok {
		spread += "  jitter " + short(jitter)
	}
	r.text.WriteString(strings.Repeat(" ", 9) + spread + "\n")
}

func join(parts ...string) string {
	kept := parts[:0]
	for _, part := range parts {
		if part != "" {
			kept = append(kept, part)
		}
	}
	return strings.Join(kept, ", ")
}

// requested is the model asked for, and the one that answered where that has another name.
func (s Stats) requested() string {
	if s.Model == "" || s.Model == s.Request.Model {
		return s.Request.Model
	}
	return strings.TrimSpace(s.Request.Model + " answered by " + s.Model)
}

func (s Stats) reportTokens() string {
	text := fmt.Sprintf("%s in %s of %s", plural(s.Tokens, "token"), plural(s.Chunks, "chunk"), plural(s.Events, "event"))
	if s.Source == SourceChunks {
		text = fmt.Sprintf("%s of %s; the tokens are a guess, one per chunk", plural(s.Chunks, "chunk"), plural(s.Events, "event"))
	}
	var details []string
	if s.Source != SourceChunks && s.Source != SourceUnknown {
		details = append(details, s.Source.String())
	}
	if s.Usage.Input > 0 {
		details = append(details, fmt.Sprintf("input %d", s.Usage.Input))
	}
	if s.Usage.Reasoning > 0 {
		details = append(details, fmt.Sprintf("reasoning %d of %d", s.Usage.Reasoning, s.Usage.Output))
	}
	if s.Choices > 1 {
		details = append(details, plural(s.Choices, "choice"))
	}
	return join(text, join(details...))
}

func (s Stats) reportFirst() string {
	event := ""
	if s.firstEvent != s.first {
		event = figure("first event", s.FirstEvent)
	}
	return join(
		figure("TTFT", s.TTFT), figure("TTFO", s.TTFO), figure("TTST", s.TTST),
		figure("headers", s.Headers), figure("first byte", s.TTFB), event,
	)
}

// reportAttempts is the way to the last attempt's answer, after the number and statuses of all where there were several.
func (s Stats) reportAttempts() string {
	if len(s.Attempts) == 0 {
		return ""
	}
	last := s.Attempts[len(s.Attempts)-1]
	connection := ""
	switch {
	case last.Reused:
		connection = "connection reused"
	case last.ConnWait > 0 && last.Status != 0:
		connection = "new connection"
	}
	return join(
		s.reportRetries(), connection, length("waited for it", last.ConnWait), length("DNS", last.DNS),
		length("connect", last.Connect), length("TLS", last.TLS), length("sent at", last.Sent),
	)
}

func (s Stats) reportRetries() string {
	if len(s.Attempts) == 1 {
		return ""
	}
	statuses := make([]string, len(s.Attempts))
	for i, a := range s.Attempts {
		statuses[i] = "no answer"
		if a.Status != 0 {
			statuses[i] = strconv.Itoa(a.Status)
		}
	}
	last := s.Attempts[len(s.Attempts)-1]
	return join(plural(len(s.Attempts), "attempt")+" ("+strings.Join(statuses, ", ")+")", length("the last begun at", last.Start))
}

// reportServer is what the server says of itself.
func (s Stats) reportServer() string {
	t := s.Server
	return join(
		t.Source, length("TTFT", t.TTFT), length("queue", t.Queue), length("load", t.Load),
		length("prompt", t.Prompt)+of(t.PromptTokens), length("output", t.Output)+of(t.OutputTokens),
		length("mean ITL", t.MeanITL), length("total", t.Total),
	)
}

// of is how many tokens a time was for, if that is known.
func of(tokens int) string {
	if tokens == 0 {
		return ""
	}
	return " of " + plural(tokens, "token")
}

// length is a labeled duration, or nothing when it is zero.
func length(label string, d time.Duration) string {
	if d == 0 {
		return ""
	}
	return label + " " + short(d)
}

func (s Stats) reportPace() string {
	rate := ""
	if perSecond, ok := s.TokensPerSecond(); ok {
		rate = digits(perSecond) + " tokens/s"
	}
	return join(figure("TPOT", s.TPOT), rate, figure("answer TPOT", s.AnswerTPOT))
}

func figure(label string, value func() (time.Duration, bool)) string {
	d, ok := value()
	if !ok {
		return ""
	}
	return label + " " + short(d)
}

func (s Stats) reportStalls() string {
	if s.Stalls.Count == 0 {
		return "none"
	}
	return fmt.Sprintf("%d, %s in all, longest %s", s.Stalls.Count, short(s.Stalls.Total), short(s.Stalls.Longest))
}

func (s Stats) reportTime() string {
	bound := ""
	if s.HoldBound > 0 {
		bound = fmt.Sprintf("%s already there when asked for", plural(s.HoldBound, "chunk"))
	}
	return join(figure("E2E", s.E2E), "setup "+short(s.Setup), "wait "+short(s.Wait), "hold "+short(s.Hold), bound)
}

func (s Stats) reportCaution() string {
	unclassified, unread, faults := "", "", ""
	if s.Unclassified > 0 {
		unclassified = plural(s.Unclassified, "event") + " not understood" + s.unknownWire() + ": pass a classifier"
	}
	if s.Unread > 0 {
		unread = strconv.Itoa(s.Unread) + " not read: too large, compressed or of an unknown format"
	}
	if s.Faults > 0 {
		faults = plural(s.Faults, "fault") + " of the timing"
	}
	return join(unclassified, unread, faults)
}

func (s Stats) unknownWire() string {
	if s.Wire == "unknown" {
		return ", of an unknown wire"
	}
	return ""
}
