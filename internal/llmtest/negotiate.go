package llmtest

import (
	"mime"
	"net/http"
	"strconv"
	"strings"
)

// acceptsGzip reports whether the header of a request accepts a response in gzip: by its name, or else by "*".
func acceptsGzip(h http.Header) bool {
	accepts := false
	for item := range strings.SplitSeq(strings.Join(h.Values("Accept-Encoding"), ","), ",") {
		coding, params, err := mime.ParseMediaType(item)
		if err != nil {
			continue
		}
		switch coding {
		case "gzip", "x-gzip":
			return isWanted(params)
		case "*":
			accepts = isWanted(params)
		}
	}
	return accepts
}

// isWanted reports whether the weight among params, if there is one, is above zero.
func isWanted(params map[string]string) bool {
	q, ok := params["q"]
	if !ok {
		return true
	}
	weight, err := strconv.ParseFloat(q, 64)
	return err == nil && weight > 0
}
