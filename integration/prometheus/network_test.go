package prometheus

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestAnAddressIsListenedAtOnce(t *testing.T) {
	n := new(Network)
	l, err := n.Listen("a:1")
	require.NoError(t, err)
	_, err = n.Listen("a:1")
	assert.EqualError(t, err, "listen a:1: the address is in use")
	require.NoError(t, l.Close())
	_, err = n.Listen("a:1")
	assert.NoError(t, err)
}

func TestNobodyListens(t *testing.T) {
	n := new(Network)
	l, err := n.Listen("a:1")
	require.NoError(t, err)
	require.NoError(t, l.Close())
	_, err = n.DialContext(t.Context(), "tcp", "a:1")
	assert.EqualError(t, err, "dial a:1: nobody listens")
}
