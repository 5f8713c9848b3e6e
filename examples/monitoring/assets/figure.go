package assets

import "fmt"

// Figures that panels and rules share. They are divisions, or alternatives with or.

// perToken is a quantile of TPOT. Requests whose tokens are known come first: where none are, TPOT is a guess of one token a
// chunk, and too high where chunks carry more.
func (q queries) perToken(p percentile, by ...string) string {
	known := q.where(tokenSource + `=~"reported|counted"`)
	return orElse(known.quantile(p, tpot, by...), q.quantile(p, tpot, by...))
}

func (q queries) stallsPerRequest(by ...string) string {
	return ratio(q.perSecond(stalls, by...), q.perSecond(requests, by...))
}

// stalledShare is the share of requests' time that went by in stalls. A stall's series is not there before the first one,
// which is no stalls: zero.
func (q queries) stalledShare(by ...string) string {
	stalled := fmt.Sprintf("(%s or 0 * %s)", q.total(stallDuration, by...), q.perSecond(spent, by...))
	return ratio(stalled, q.perSecond(spent, by...))
}

func (q queries) noFirstTokenShare(by ...string) string {
	return ratio(q.perSecond(noFirstToken, by...), q.perSecond(requests, by...))
}

func (q queries) canceledShare(by ...string) string {
	return ratio(q.where(outcome+`="canceled"`).perSecond(requests, by...), q.perSecond(requests, by...))
}

// goodShare is the share of requests that met every limit of the Tracker, of those that limits apply to.
func (q queries) goodShare(by ...string) string {
	return ratio(q.perSecond(sloGood, by...), q.perSecond(sloRequests, by...))
}

// missShare is what goodShare lacks to one.
func (q queries) missShare(by ...string) string {
	return "1 - " + q.goodShare(by...)
}
