package llmtest

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestWhichRequestsAcceptGzip(t *testing.T) {
	for accept, want := range map[string]bool{
		"":                  false,
		"gzip":              true,
		"GZip":              true,
		"x-gzip":            true,
		"br, gzip, zstd":    true,
		"br,gzip;q=0.5":     true,
		"gzip ; Q=1.0":      true,
		"*":                 true,
		"identity, *;q=0.1": true,
		"br":                false,
		"identity":          false,
		"gzip;q=0":          false,
		"gzip;q=0.000":      false,
		"gzip;q=0, *":       false,
		"*, gzip;q=0":       false,
		"*;q=0, gzip":       true,
		"*;q=0":             false,
		"gzip;q=a lot":      false,
		"gzip;q":            false,
		"gzipped":           false,
		", ,gzip,":          true,
	} {
		t.Run(accept, func(t *testing.T) {
			assert.Equal(t, want, acceptsGzip(http.Header{"Accept-Encoding": {accept}}))
		})
	}
	assert.True(t, acceptsGzip(http.Header{"Accept-Encoding": {"br", "gzip"}}), "in a second line")
	assert.False(t, acceptsGzip(nil))
}
