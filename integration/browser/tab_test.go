package browser

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	cdplog "github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// patience is how long a test waits for what has to come. Nothing is concluded from how long it takes.
const patience = time.Minute

// tab is a tab of the browser with what it has heard.
type tab struct {
	t   *testing.T
	ctx context.Context

	mu       sync.Mutex
	messages []string // of the console, exceptions and reports of the browser, violations of the policy among them
	requests []string // addresses
}

// newTab is a tab that goes with the test. In the end it must have heard nothing that the test has not taken.
func newTab(t *testing.T) *tab {
	parent, err := chromium()
	require.NoError(t, err)
	ctx, cancel := chromedp.NewContext(parent)
	t.Cleanup(cancel)
	b := &tab{t: t, ctx: ctx}
	require.NoError(t, chromedp.Listen(ctx, b.hear))
	_, err = chromedp.Call(ctx, network.Enable, network.EnableParams{})
	require.NoError(t, err)
	_, err = chromedp.Call(ctx, cdplog.Enable, cdp.Empty{})
	require.NoError(t, err)
	t.Cleanup(func() { assert.Empty(t, b.takeMessages(), "the browser had something to say") })
	return b
}

func (b *tab) hear(event any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch e := event.(type) {
	case *runtime.EventConsoleAPICalled:
		b.messages = append(b.messages, fmt.Sprint("console: ", e.Type))
	case *runtime.EventExceptionThrown:
		b.messages = append(b.messages, "exception: "+e.ExceptionDetails.Text)
	case *cdplog.EventEntryAdded:
		b.messages = append(b.messages, fmt.Sprintf("%s: %s", e.Entry.Source, e.Entry.Text))
	case *network.EventRequestWillBeSent:
		b.requests = append(b.requests, e.Request.URL)
	}
}

// takeMessages returns what was said and forgets it.
func (b *tab) takeMessages() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	taken := b.messages
	b.messages = nil
	return taken
}

// open goes to an address. In the end the tab must have asked nobody else.
func (b *tab) open(address string) {
	b.t.Helper()
	require.NoError(b.t, chromedp.Do(b.ctx, chromedp.Navigate(address)))
	b.t.Cleanup(func() { b.assertAskedOnly(address) })
}

func (b *tab) assertAskedOnly(address string) {
	own, err := url.Parse(address)
	require.NoError(b.t, err)
	b.mu.Lock()
	defer b.mu.Unlock()
	assert.NotEmpty(b.t, b.requests)
	for _, request := range b.requests {
		asked, err := url.Parse(request)
		require.NoError(b.t, err)
		if asked.Scheme != "data" {
			assert.Equal(b.t, own.Scheme+" "+own.Host+" "+own.Path, asked.Scheme+" "+asked.Host+" "+asked.Path)
		}
	}
}

// evaluate runs an expression in the page.
func evaluate[T any](b *tab, expression string) T {
	b.t.Helper()
	value, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](expression))
	require.NoError(b.t, err, expression)
	return value
}

// do runs statements in the page.
func (b *tab) do(statements string) {
	b.t.Helper()
	evaluate[bool](b, "(() => {"+statements+"; return true})()")
}

// until waits until an expression is true.
func (b *tab) until(expression string) {
	b.t.Helper()
	for deadline := time.Now().Add(patience); !evaluate[bool](b, "Boolean("+expression+")"); {
		require.True(b.t, time.Now().Before(deadline), "never: %s; the page says %q", expression, b.text("#live"))
		time.Sleep(20 * time.Millisecond)
	}
}

func (b *tab) text(selector string) string {
	b.t.Helper()
	return evaluate[string](b, fmt.Sprintf("document.querySelector(%q)?.textContent ?? ''", selector))
}

// taken is when what the page shows was taken.
func (b *tab) taken() time.Time {
	b.t.Helper()
	taken, err := time.Parse(time.RFC3339Nano, evaluate[string](b, "document.querySelector('.taken time').dateTime"))
	require.NoError(b.t, err)
	return taken
}

// updated waits until the page shows what was taken after now.
func (b *tab) updated() {
	b.t.Helper()
	now := time.Now()
	for deadline := now.Add(patience); b.taken().Before(now); {
		require.True(b.t, time.Now().Before(deadline), "no update; the page says %q", b.text("#live"))
		time.Sleep(20 * time.Millisecond)
	}
}

// html is all that the tab has, as it is now.
func (b *tab) html() string { return evaluate[string](b, "document.documentElement.outerHTML") }

// shownTable is a table as it is read.
type shownTable struct {
	Name string
	Rows [][]string // the first has the columns' names, and each row its own first
}

// row is the cells of a row by the names of their columns.
func (s shownTable) row(t *testing.T, name string) map[string]string {
	t.Helper()
	for _, row := range s.Rows[1:] {
		if row[0] == name {
			return s.cells(row)
		}
	}
	require.Failf(t, "no such row", "%q in %q", name, s.Rows)
	return nil
}

func (s shownTable) cells(row []string) map[string]string {
	cells := map[string]string{}
	for i, cell := range row[1:] {
		cells[s.Rows[0][i+1]] = cell
	}
	return cells
}

// shown is all figures of the page.
type shown struct {
	Tiles   map[string]string
	Streams *shownTable
	Keys    *shownTable
	Details []struct {
		Label  string
		Tables []shownTable
	}
	Recent *shownTable
}

const readPage = `(() => {
	const text = e => e.textContent.trim().replace(/\s+/g, ' ');
	const read = t => t && {Name: t.caption ? text(t.caption) : '', Rows: [...t.rows].map(r => [...r.cells].map(text))};
	const table = id => read(document.querySelector('section[aria-labelledby=' + id + '] > .scroll > table'));
	const label = d => text(d.querySelector('summary'));
	return {
		Tiles: Object.fromEntries([...document.querySelectorAll('.tiles div')].map(d => [text(d.querySelector('dt')), text(d.querySelector('dd'))])),
		Streams: table('streams'), Keys: table('keys'), Recent: table('recent'),
		Details: [...document.querySelectorAll('details')].map(d => ({Label: label(d), Tables: [...d.querySelectorAll('table')].map(read)})),
	};
})()`

func (b *tab) read() shown {
	b.t.Helper()
	return evaluate[shown](b, readPage)
}

// noSecret holds that nothing of a stream's content is in a text.
func noSecret(t *testing.T, what, text string) {
	t.Helper()
	assert.NotEmpty(t, text, what)
	assert.False(t, strings.Contains(text, secret), "%s has content of a stream", what)
}
