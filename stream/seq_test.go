package stream_test

import (
	"io"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/tokentiming/tokentiming/stream"
	"github.com/tokentiming/tokentiming/tpot"
)

func TestSeq2ThatYieldsItsEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rec := tpot.Start(t.Context())
		for _, err := range stream.Seq2(rec, func(yield func(string, error) bool) { _ = yield("a", nil) && yield("", io.EOF) }, nil) {
			if err != nil {
				time.Sleep(time.Second)
				break
			}
		}
		s := rec.Stats()
		assert.Equal(t, tpot.OutcomeOK, s.Outcome)
		assert.Zero(t, s.Stalls.Count)
		assert.Zero(t, s.Wait)
	})
}
