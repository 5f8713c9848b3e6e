package browser

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/heapprofiler"
	"github.com/chromedp/cdproto/memory"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tokentiming/tokentiming/internal/llmtest"
	"github.com/tokentiming/tokentiming/monitor"
	"github.com/tokentiming/tokentiming/tpot"
)

// weight is what a page weighs while it waits for an answer and all garbage is collected.
type weight struct {
	elements, nodes, documents, listeners int
	heap                                  int // bytes
}

func (b *tab) weigh(s *site) weight {
	b.t.Helper()
	release := s.hold()
	defer release()
	s.isAsked()
	_, err := chromedp.Call(b.ctx, heapprofiler.CollectGarbage, cdp.Empty{})
	require.NoError(b.t, err)
	dom, err := chromedp.Call(b.ctx, memory.GetDOMCounters, cdp.Empty{})
	require.NoError(b.t, err)
	heap, err := chromedp.Call(b.ctx, runtime.GetHeapUsage, cdp.Empty{})
	require.NoError(b.t, err)
	return weight{
		elements: evaluate[int](b, "document.getElementsByTagName('*').length"),
		nodes:    int(dom.Nodes), documents: int(dom.Documents), listeners: int(dom.JsEventListeners), heap: int(heap.UsedSize),
	}
}

// watchUpdates has the page note when it is changed, how long its tasks take, and how long its requests.
const watchUpdates = `
	window.updates = [];
	new MutationObserver(() => updates.push(performance.now())).observe(
		document.querySelector('.taken time'), {attributes: true, attributeFilter: ['datetime']});
	window.tasks = [];
	new PerformanceObserver(list => tasks.push(...list.getEntries().map(e => e.duration))).observe({type: 'longtask'});
	performance.setResourceTimingBufferSize(1000);
	performance.clearResourceTimings();`

// spread is a few numbers that say how others lie.
func spread(values []float64) string {
	if len(values) == 0 {
		return "none"
	}
	slices.Sort(values)
	return fmt.Sprintf("median %.0f, longest %.0f", values[len(values)/2], values[len(values)-1])
}

func TestFiveHundredStreams(t *testing.T) {
	ai := llmtest.OpenAI{}
	long := llmtest.SSE().After(50*time.Millisecond, ai.Role()).Every(200*time.Millisecond, texts(40)...).
		After(time.Millisecond, ai.Finish("stop"), ai.Usage(llmtest.Usage{Input: 9, Output: 44}), ai.Done())
	tr := newTraffic(t, monitor.Config{}, long)
	tr.streams(520, func(i int) tpot.Request {
		return tpot.Request{Provider: "provider", Model: fmt.Sprint("model-", i%10), Scenario: fmt.Sprint("scenario-", i%3)}
	})
	site, b := newSite(t, tr.monitor.Handler()), newTab(t)
	b.open(site.url())
	b.until("document.querySelectorAll('section[aria-labelledby=streams] tbody tr').length === 500")
	b.until("document.querySelectorAll('section[aria-labelledby=recent] tbody tr').length === 100")
	b.do("document.querySelectorAll('summary').forEach((s, i) => i < 3 && s.click())")
	b.updated()
	b.updated()
	assert.Contains(t, b.text("section[aria-labelledby=streams] .note"), " more; those with the longest open wait are shown")

	before := b.weigh(site)
	b.updated()
	b.do(watchUpdates)
	const updates = 20
	b.until(fmt.Sprintf("updates.length >= %d", updates))
	between := evaluate[[]float64](b, "updates.slice(1).map((u, i) => u - updates[i])")
	requests := evaluate[[]float64](b, "performance.getEntriesByType('resource').map(e => e.duration)")
	tasks := evaluate[[]float64](b, "tasks")
	after, part := b.weigh(site), site.size("?part=")
	t.Logf("%d updates with 500 streams; ms between them: %s; a request takes: %s; tasks of 50 ms and longer: %d, %s; a part is %d KB",
		updates, spread(between), spread(requests), len(tasks), spread(tasks), part/1000)
	t.Logf("before %+v, after %+v", before, after)

	// A page that kept what it was given would have grown by as much as it has with every update.
	assert.Equal(t, before.documents, after.documents)
	assert.Equal(t, before.listeners, after.listeners)
	assert.Less(t, after.nodes, before.nodes+before.nodes/2)
	assert.Less(t, after.heap, before.heap+part, "a string of each part alone would be more")
	assert.Less(t, after.elements, before.elements+before.elements/2)
	noSecret(t, "what was sent", site.all())
	noSecret(t, "the DOM", b.html())
}
