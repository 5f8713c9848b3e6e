package browser

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// chromium is the one browser of all tests, started when it is first needed.
var chromium = sync.OnceValues(startChromium)

// closeChromium ends it, with its processes and its profile.
var closeChromium = func() {}

func TestMain(m *testing.M) {
	code := m.Run()
	closeChromium()
	os.Exit(code)
}

var errNoChromium = errors.New("no chromium, chromium-browser or google-chrome in PATH: install one, on Debian with apt-get install chromium")

func findChromium() (string, error) {
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", errNoChromium
}

// startChromium returns the context that tabs are made of.
func startChromium() (context.Context, error) {
	path, err := findChromium()
	if err != nil {
		return nil, err
	}
	profile, err := os.MkdirTemp("", "tokentiming-chromium-")
	if err != nil {
		return nil, err
	}
	ctx, cancelAllocator := chromedp.NewExecAllocator(context.Background(),
		chromedp.ExecPath(path), chromedp.UserDataDir(profile),
		chromedp.Headless, chromedp.NoSandbox, chromedp.DisableGPU, chromedp.NoFirstRun,
		chromedp.Flag("disable-background-networking", true),
		chromedp.Flag("disable-component-update", true),
		chromedp.Flag("disable-sync", true),
	)
	ctx, cancel := chromedp.NewContext(ctx)
	closeChromium = func() {
		_ = chromedp.Cancel(ctx)
		cancel()
		cancelAllocator()
		_ = os.RemoveAll(profile)
	}
	if err := chromedp.Do(ctx); err != nil {
		return nil, fmt.Errorf("%s does not start: %w", path, err)
	}
	return ctx, nil
}

func TestAMissingBrowserIsSaid(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	_, err := findChromium()
	require.ErrorIs(t, err, errNoChromium)
}
