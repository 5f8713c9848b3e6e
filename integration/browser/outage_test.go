package browser

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/tokentiming/tokentiming/monitor"
	"github.com/tokentiming/tokentiming/tpot"
)

func TestTheServerGoesAndComesBack(t *testing.T) {
	tr := newTraffic(t, monitor.Config{}, scripts()[0])
	site := newSite(t, tr.monitor.Handler())
	b := newTab(t)
	b.open(site.url())
	b.updated()
	assert.Equal(t, "live", b.text("#live"))
	b.do("window.mark = true")

	site.stop()
	b.until("document.getElementById('live').textContent.startsWith('no answer since ')")
	assert.True(t, evaluate[bool](b, "getComputedStyle(document.querySelector('main')).opacity < 1"), "the figures do not look as if they were of now")
	since := b.text("#live")
	time.Sleep(3 * time.Second) // in which it asks some times more
	assert.Equal(t, since, b.text("#live"), "it is the last answer that counts")

	site.start()
	b.until("document.getElementById('live').textContent === 'live'")
	b.updated()
	assert.True(t, evaluate[bool](b, "window.mark && getComputedStyle(document.querySelector('main')).opacity === '1'"))
	for _, m := range b.takeMessages() {
		assert.True(t, strings.HasPrefix(m, "network: Failed to load resource: net::ERR_"), m)
	}
}

// A server that answers with something else, such as a page to log in, is one that does not answer.
func TestAnotherAnswerIsNone(t *testing.T) {
	tr := newTraffic(t, monitor.Config{}, scripts()[0])
	site := newSite(t, tr.monitor.Handler())
	b := newTab(t)
	b.open(site.url())
	b.updated()
	site.instead("<!doctype html><h1>Who are you?</h1>")
	b.until("document.getElementById('live').textContent.startsWith('no answer since ')")
	assert.NotContains(t, b.html(), "Who are you?")
	assert.NotEmpty(t, b.read().Tiles, "the last figures are still there")
	site.instead("")
	b.until("document.getElementById('live').textContent === 'live'")
}

func TestRequestsDoNotPileUp(t *testing.T) {
	tr := newTraffic(t, monitor.Config{}, scripts()[0])
	site := newSite(t, tr.monitor.Handler())
	tr.stream(tpot.Request{Model: "m"}) // so that there are details to open
	b := newTab(t)
	b.open(site.url())
	b.updated()
	release := site.hold()
	asked, _ := site.counts()
	time.Sleep(5 * time.Second) // in which it would have asked five times
	for range 3 {
		b.do("document.querySelector('summary').click()") // which asks at once
	}
	time.Sleep(time.Second)
	after, most := site.counts()
	assert.LessOrEqual(t, after, asked+1)
	assert.Equal(t, 1, most)
	release()
	b.updated()
	b.until("document.getElementById('live').textContent === 'live'")
}

// An answer that never comes is given up, and asked for again.
func TestAnAnswerThatNeverComesIsGivenUp(t *testing.T) {
	tr := newTraffic(t, monitor.Config{}, scripts()[0])
	site := newSite(t, tr.monitor.Handler())
	b := newTab(t)
	b.open(site.url())
	b.updated()
	release := site.hold()
	defer release()
	b.until("document.getElementById('live').textContent.startsWith('no answer since ')")
}
