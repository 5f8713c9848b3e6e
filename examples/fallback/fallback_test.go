package main

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tokentiming/tokentiming/internal/llmtest"
	"github.com/tokentiming/tokentiming/tpot"
)

// What happens when is arithmetic, in milliseconds since the beginning:
//
//   - Users come at 25, 75, 125 and so on. A fast answer of the large model has its first token after 100 and ends after 140, a slow one
//     after 600 and 640.
//   - The Monitor's step is a twelfth of 1200, so 100, and the rule is looked at every 100. A look's window is the 12 whole steps before it:
//     the answers that ended within 1200.
//   - The 95th percentile of 14 values is at rank 0.95 x 13 = 12.35, counted from 0: with one slow answer 100 + 0.35 x 500 = 275, which is below
//     the limit, and with two of them 600.

func TestTheSwitchAndTheWayBackByProbes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := llmtest.Start()
		defer server.Close()
		var out bytes.Buffer
		began := time.Now()
		play(t.Context(), server, &out)
		synctest.Wait()

		// The first slow answers are those of the users at 1025, 1075 and 1125, and end at 1665, 1715 and 1765. The look at 1700 sees one of 14
		// answers, that at 1800 three of 14, and that at 2100 is For later. In its window are the answers that ended from 900 on: those of 5
		// users from 775 to 975, and of 9 from 1025 to 1425.
		const breach = 2100
		// The tenth slow answer is that of the user at 1475. It has its third piece at 2095, and 400 later it is cut.
		const cut = 2495
		// Every fifth user after the breach probes: those at 2325, 2575 and 2825, which are slow, and 3075, which is not.
		const fast = 3075
		// The last slow answer ends at 2825 + 640 = 3465. The look at 4700 is the first whose steps begin after it, with 3500, and that at 5000 is
		// For later. In its window are the answers of the probes at 3825, 4075, 4325, 4575 and 4825.
		const over = 5000

		assert.Equal(t, strings.Join([]string{
			"0.000 s  users get large",
			"1.025 s  the server: large is slow from now on",
			"2.100 s  large is too slow: TTFT p95 0.6 s of 14 answers. Users get small now, but for one in 5",
			"2.495 s  a user is told that the answer broke off: stalled after 3 pieces",
			"3.075 s  the server: large is not slow any more",
			"5.000 s  large is fast again: TTFT p95 0.1 s of 5 answers. All users get it",
			"",
		}, "\n"), out.String())

		log := server.Log()
		require.Len(t, log, users)
		for i, x := range log {
			at := 25 + 50*i
			assert.Equal(t, time.Duration(at)*time.Millisecond, x.Arrived.Sub(began))
			probe := (at-breach-25)/50%probeOneIn == probeOneIn-1
			want := small
			if at < breach || at > over || probe {
				want = large
			}
			assert.Contains(t, string(x.Body), `"model":"`+want+`"`, at)
		}
		assert.Equal(t, llmtest.StateGone, log[(1475-25)/50].State)
		assert.Equal(t, (cut-1475)*time.Millisecond, log[(1475-25)/50].Ended)
		assert.Contains(t, string(log[(fast-25)/50].Body), large)
	})
}

func TestTheWayBackWhenNobodyAsks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := llmtest.Start()
		defer server.Close()
		var out bytes.Buffer
		a := open(server, newTeller(&out))
		defer a.monitor.Close()
		serve(t.Context(), a, 40) // the last one comes at 1975
		assert.True(t, a.slow.Load())
		row := a.monitor.Snapshot()[0]
		assert.Equal(t, large, row.Model)
		assert.Equal(t, 1, row.Outcomes[tpot.OutcomeTimeout], "the answer that was cut is a failure, not a user who left")
		assert.Zero(t, row.Outcomes[tpot.OutcomeCanceled])
		time.Sleep(3 * time.Second)
		synctest.Wait()

		// The last answers end at 2515, 2565 and 2615. The steps of the look at 3700 begin with 2500, those of that at 3800 with 2600: there
		// is one answer left, which is below Minimum, and the figure is unknown. The look at 4100 is For later.
		assert.Equal(t, strings.Join([]string{
			"0.000 s  users get large",
			"1.025 s  the server: large is slow from now on",
			"2.100 s  large is too slow: TTFT p95 0.6 s of 14 answers. Users get small now, but for one in 5",
			"2.495 s  a user is told that the answer broke off: stalled after 3 pieces",
			"4.100 s  nobody knows how fast large is: 0 answers. All users get it",
			"",
		}, "\n"), out.String())
		assert.False(t, a.slow.Load())
	})
}

func TestAnInterruptEndsIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := llmtest.Start()
		defer server.Close()
		var out bytes.Buffer
		ctx, interrupt := context.WithCancel(t.Context())
		time.AfterFunc(1310*time.Millisecond, interrupt)
		began := time.Now()
		play(ctx, server, &out)
		synctest.Wait()
		assert.Equal(t, 1310*time.Millisecond, time.Since(began))
		assert.Equal(t, "0.000 s  users get large\n1.025 s  the server: large is slow from now on\n", out.String())
	})
}
