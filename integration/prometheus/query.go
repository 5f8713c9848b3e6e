package prometheus

import (
	"context"
	"fmt"
	"time"

	"github.com/prometheus/prometheus/promql"
)

// Query is the value of an expression at a time. A scalar is a vector of one sample without labels.
func (s *Server) Query(ctx context.Context, expr string, at time.Time) (promql.Vector, error) {
	q, err := s.queries.NewInstantQuery(ctx, s.storage, nil, expr, at)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", expr, err)
	}
	res := q.Exec(ctx) // the query is not closed: the result would then be no longer ours
	if res.Err != nil {
		return nil, fmt.Errorf("%s: %w", expr, res.Err)
	}
	if scalar, ok := res.Value.(promql.Scalar); ok {
		return promql.Vector{{T: scalar.T, F: scalar.V}}, nil
	}
	return res.Vector()
}

// QueryRange is the values of an expression from one time to another, both included, in steps.
func (s *Server) QueryRange(ctx context.Context, expr string, from, to time.Time, step time.Duration) (promql.Matrix, error) {
	q, err := s.queries.NewRangeQuery(ctx, s.storage, nil, expr, from, to, step)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", expr, err)
	}
	res := q.Exec(ctx)
	if res.Err != nil {
		return nil, fmt.Errorf("%s: %w", expr, res.Err)
	}
	return res.Matrix()
}
