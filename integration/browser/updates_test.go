package browser

import (
	"fmt"
	"testing"
	"time"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tokentiming/tokentiming/internal/llmtest"
	"github.com/tokentiming/tokentiming/monitor"
	"github.com/tokentiming/tokentiming/tpot"
)

// busy is traffic of so many streams to so many keys, one request after the other.
func busy(t *testing.T, streams, keys int) *traffic {
	ai := llmtest.OpenAI{}
	script := llmtest.SSE().After(10*time.Millisecond, ai.Role()).Every(20*time.Millisecond, texts(60)...).
		After(time.Millisecond, ai.Finish("stop"), ai.Usage(llmtest.Usage{Input: 9, Output: 66}), ai.Done())
	tr := newTraffic(t, monitor.Config{}, script)
	tr.streams(streams, func(i int) tpot.Request {
		return tpot.Request{Provider: "provider", Model: fmt.Sprint("model-", i%keys), Scenario: "chat"}
	})
	return tr
}

// requestsShown are the requests that the page says have ended.
const requestsShown = `Number(document.querySelector('section[aria-labelledby=keys] > .scroll tfoot').rows[0].cells[2].textContent)`

func TestUpdatesDisturbNobody(t *testing.T) {
	tr := busy(t, 6, 5)
	b := newTab(t)
	require.NoError(t, chromedp.Do(b.ctx, chromedp.EmulateViewport(1000, 500)))
	b.open(newSite(t, tr.monitor.Handler()).url())
	b.until("document.querySelectorAll('details').length === 5")
	b.until("document.querySelectorAll('section[aria-labelledby=recent] tbody tr').length > 40") // enough to scroll in
	b.do(`
		window.mark = 'still the same document';
		document.querySelectorAll('summary')[1].click();
		document.querySelectorAll('summary')[3].click();
		document.querySelectorAll('summary')[3].focus();`)
	b.until("document.querySelectorAll('details[open] table').length === 14")
	b.do(`
		window.list = document.querySelector('section[aria-labelledby=recent] .scroll');
		list.scrollTop = 120;
		list.scrollIntoView();
		window.row = list.querySelectorAll('tr')[9];
		document.querySelector('section[aria-labelledby=keys] .scroll').scrollLeft = 40;
		window.nodes = [...document.querySelectorAll('main, summary, details[open] table, details[open] svg, .scroll')];`)
	first := evaluate[string](b, "row.textContent")
	at, requests := evaluate[float64](b, "row.getBoundingClientRect().top"), evaluate[int](b, requestsShown)
	for range 4 {
		b.updated()
	}
	require.True(t, evaluate[bool](b, "row.isConnected"), "the row that is looked at is gone already")
	assert.Equal(t, first, evaluate[string](b, "row.textContent"))
	b.until(fmt.Sprintf("Math.abs(row.getBoundingClientRect().top - %f) < 1", at)) // the browser makes up for what comes above with the next frame
	assert.Greater(t, evaluate[int](b, "row.rowIndex"), 9, "although others have come above it")
	assert.Equal(t, 40, evaluate[int](b, "document.querySelector('section[aria-labelledby=keys] .scroll').scrollLeft"))
	assert.Greater(t, evaluate[int](b, requestsShown), requests, "the figures go on")
	assert.Equal(t, "still the same document", evaluate[string](b, "window.mark"))
	assert.True(t, evaluate[bool](b, "window.nodes.every(n => n.isConnected)"), "what is there stays, and is not replaced")
	assert.Equal(t, []bool{false, true, false, true, false}, evaluate[[]bool](b, "[...document.querySelectorAll('details')].map(d => d.open)"))
	assert.True(t, evaluate[bool](b, "document.activeElement === document.querySelectorAll('summary')[3]"))
}

// Who has selected a row's text keeps it while the rows around it come, go and change places, and while its figures would change.
func TestUpdatesKeepWhatIsSelected(t *testing.T) {
	hang := llmtest.SSE().Every(10*time.Millisecond, texts(2)...)
	hang.Ending = llmtest.EndHang
	ai := llmtest.OpenAI{}
	short := llmtest.SSE().Every(300*time.Millisecond, texts(4)...).After(time.Millisecond, ai.Finish("stop"), ai.Done())
	tr := newTraffic(t, monitor.Config{}, hang, short)
	tr.running.Go(func() { tr.stream(tpot.Request{Model: "stuck"}) })
	tr.waiting(1, 2)
	tr.streams(8, func(i int) tpot.Request { return tpot.Request{Model: fmt.Sprint("going-", i)} })
	b := newTab(t)
	b.open(newSite(t, tr.monitor.Handler()).url())
	b.until("document.querySelectorAll('section[aria-labelledby=streams] tbody tr').length > 5")
	b.do(`
		const row = [...document.querySelectorAll('section[aria-labelledby=streams] tbody tr')].find(r => r.textContent.includes('stuck'));
		window.age = row.cells[2];
		getSelection().setBaseAndExtent(row.cells[0].firstChild.firstChild, 1, window.age.firstChild, 2);`)
	selected, age := evaluate[string](b, "getSelection().toString()"), evaluate[string](b, "window.age.textContent")
	require.Contains(t, selected, "tuck")
	for range 5 {
		b.updated()
	}
	assert.Equal(t, selected, evaluate[string](b, "getSelection().toString()"))
	assert.Equal(t, age, evaluate[string](b, "window.age.textContent"), "what is selected stands still")
	b.do("getSelection().removeAllRanges()")
	b.updated()
	assert.NotEqual(t, age, evaluate[string](b, "window.age.textContent"), "and goes on when it is not selected any more")
}

// A row that has to change places, and has selected text, stays, and the others go around it.
func TestWhatIsSelectedIsNotMoved(t *testing.T) {
	tr := newTraffic(t, monitor.Config{})
	_, first := tr.tracker.Start(t.Context(), tpot.Request{Model: "first"})
	defer first.End(nil)
	_, second := tr.tracker.Start(t.Context(), tpot.Request{Model: "second"})
	defer second.End(nil)
	b := newTab(t)
	b.open(newSite(t, tr.monitor.Handler()).url())
	order := "[...document.querySelectorAll('section[aria-labelledby=streams] b')].map(e => e.textContent).join()"
	require.Equal(t, "first,second", evaluate[string](b, order))
	b.do(`
		const name = document.querySelectorAll('section[aria-labelledby=streams] b')[1];
		getSelection().setBaseAndExtent(name.firstChild, 1, name.firstChild, 4);`)
	first.Observe(tpot.Event{Kind: tpot.KindText}) // its wait is the shorter now
	b.until(order + " === 'second,first'")
	assert.Equal(t, "eco", evaluate[string](b, "getSelection().toString()"))
}

// A key that comes later has its place among the others, and its details open by themselves where there are few.
func TestKeysComeAndGo(t *testing.T) {
	tr := newTraffic(t, monitor.Config{Window: 12 * time.Second}, scripts()[0])
	b := newTab(t)
	b.open(newSite(t, tr.monitor.Handler()).url())
	labels := func(want string) string {
		return fmt.Sprintf("[...document.querySelectorAll('summary b')].map(e => e.textContent).join() === %q", want)
	}
	for _, model := range []string{"b", "c", "a"} {
		tr.stream(tpot.Request{Model: model})
	}
	b.until(labels("a,b,c"))
	b.until("[...document.querySelectorAll('details')].every(d => d.open && d.querySelector('svg'))")
	b.do("document.querySelectorAll('summary')[1].click()") // b is closed
	tr.stream(tpot.Request{Model: "aa"})
	b.until(labels("a,aa,b,c"))
	b.updated()
	assert.Equal(t, []bool{true, false, false, true}, evaluate[[]bool](b, "[...document.querySelectorAll('details')].map(d => d.open)"))
	assert.True(t, evaluate[bool](b, "document.querySelectorAll('details')[2].querySelector('table') !== null"), "what was closed can be opened at once")
	b.do("document.querySelectorAll('section[aria-labelledby=keys] .label a')[1].click()") // its link opens it
	b.until("document.querySelectorAll('details')[1].open && document.querySelectorAll('details')[1].querySelector('table')")
	b.until(labels("")) // the window has gone on
	assert.Contains(t, b.text("section[aria-labelledby=keys]"), "no request within the window")
}

// Details that are opened do not wait for the next update.
func TestDetailsAreFilledAtOnce(t *testing.T) {
	tr := newTraffic(t, monitor.Config{}, scripts()[0])
	b := newTab(t)
	b.open(newSite(t, tr.monitor.Handler()).url())
	for i := range 4 {
		tr.stream(tpot.Request{Model: fmt.Sprint(i)})
	}
	b.until("document.querySelectorAll('details').length === 4")
	b.do("window.setTimeout = () => 0") // no update is planned any more, but for one
	b.updated()
	require.True(t, evaluate[bool](b, "document.querySelector('details table') === null"))
	b.do("document.querySelectorAll('summary')[2].click()")
	b.until("document.querySelectorAll('details')[2].querySelector('table')")
}

func TestTheSchemeIsTheBrowsers(t *testing.T) {
	tr := busy(t, 5, 2)
	site := newSite(t, tr.monitor.Handler())
	b := newTab(t)
	// luminance is how light a color of the page is, from 0 to 1.
	luminance := func(selector, property string) float64 {
		return evaluate[float64](b, fmt.Sprintf(
			"getComputedStyle(document.querySelector(%q))[%q].match(/[\\d.]+/g).slice(0, 3).reduce((sum, c) => sum + Number(c), 0) / 765", selector, property))
	}
	for _, scheme := range []string{"light", "dark"} {
		_, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}},
		})
		require.NoError(t, err)
		b.open(site.url())
		b.until("document.querySelector('.k2[d]')")
		colors := map[string]float64{
			"the page": luminance("body", "backgroundColor"), "a table": luminance(".scroll", "backgroundColor"),
			"text": luminance("body", "color"), "faint text": luminance(".taken", "color"), "a strip": luminance(".k2[d]", "fill"),
		}
		t.Log(scheme, colors)
		for _, ground := range []string{"the page", "a table"} {
			for _, ink := range []string{"text", "faint text", "a strip"} {
				if scheme == "dark" {
					assert.Greater(t, colors[ink], colors[ground]+0.3, "%s on %s", ink, ground)
				} else {
					assert.Less(t, colors[ink], colors[ground]-0.3, "%s on %s", ink, ground)
				}
			}
		}
	}
}

func TestNothingIsWiderThanAPhone(t *testing.T) {
	tr := busy(t, 5, 3)
	b := newTab(t)
	require.NoError(t, chromedp.Do(b.ctx, chromedp.EmulateViewport(360, 740)))
	b.open(newSite(t, tr.monitor.Handler()).url())
	b.until("document.querySelectorAll('details[open] svg').length === 6 && document.querySelector('section[aria-labelledby=recent] svg')")
	assert.LessOrEqual(t, evaluate[int](b, "document.documentElement.scrollWidth"), 360)
}

func TestThePageIsCompleteWithoutItsScript(t *testing.T) {
	tr := newTraffic(t, monitor.Config{}, scripts()[0])
	tr.stream(tpot.Request{Model: "m"})
	b := newTab(t)
	_, err := chromedp.Call(b.ctx, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
	require.NoError(t, err)
	site := newSite(t, tr.monitor.Handler())
	b.open(site.url())
	assert.Contains(t, evaluate[string](b, "document.body.innerText"), "reload it")
	shown := b.read()
	assert.Len(t, shown.Keys.Rows, 2)
	assert.Len(t, shown.Recent.Rows, 2)
	require.Len(t, shown.Details, 1)
	assert.Len(t, shown.Details[0].Tables, 7)
	asked, _ := site.counts()
	assert.Equal(t, 1, asked)
}

// What somebody gets into the page does not run.
func TestThePolicyHolds(t *testing.T) {
	tr := newTraffic(t, monitor.Config{}, scripts()[0])
	b := newTab(t)
	b.open(newSite(t, tr.monitor.Handler()).url())
	b.do(`
		const script = document.createElement('script');
		script.textContent = 'window.harmed = true';
		document.body.append(script);
		document.body.insertAdjacentHTML('beforeend', '<img src="?" onerror="window.harmed = true">');`)
	b.updated()
	assert.False(t, evaluate[bool](b, "'harmed' in window"))
	messages := b.takeMessages()
	require.Len(t, messages, 3, "%q", messages)
	for _, m := range messages {
		assert.Contains(t, m, "Content Security Policy")
	}
}

// The tab in front is the only one that is updated.
func TestAHiddenTabAsksNothing(t *testing.T) {
	tr := newTraffic(t, monitor.Config{}, scripts()[0])
	site := newSite(t, tr.monitor.Handler())
	b := newTab(t)
	b.open(site.url())
	b.updated()
	b.window(browser.WindowStateMinimized)
	b.until("document.hidden")
	asked, _ := site.counts()
	time.Sleep(4 * time.Second) // in which it would have asked four times
	after, _ := site.counts()
	assert.LessOrEqual(t, after, asked+1, "one may have been under way")
	b.window(browser.WindowStateNormal)
	b.updated()
}

// window changes the state of the browser's window.
func (b *tab) window(state browser.WindowState) {
	b.t.Helper()
	own := chromedp.FromContext(b.ctx).Target.TargetID
	of, err := chromedp.CallBrowser(b.ctx, browser.GetWindowForTarget, browser.GetWindowForTargetParams{TargetID: own})
	require.NoError(b.t, err)
	_, err = chromedp.CallBrowser(b.ctx, browser.SetWindowBounds, browser.SetWindowBoundsParams{
		WindowID: of.WindowID, Bounds: &browser.Bounds{WindowState: state},
	})
	require.NoError(b.t, err)
}
