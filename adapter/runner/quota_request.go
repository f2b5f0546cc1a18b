package runner

import (
	"context"

	"github.com/aguiws/aguiws/adapter/store"
)

// askAs is ask for an input that may be one of a request, of which the first counts.
func (q *quotas) askAs(ctx context.Context, t store.Take) *share {
	many := ManyOf(ctx)
	if many == nil {
		return q.ask(t)
	}
	made, is := many.First(func() any { return q.ask(t) })
	first, _ := made.(*share)
	if is {
		return first
	}
	t.Inputs = -1
	s := q.ask(t)
	if s != nil {
		s.of = first
	}
	return s
}
