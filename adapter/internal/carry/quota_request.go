package carry

import (
	"context"

	"github.com/aguiws/aguiws/adapter/admission"
	"github.com/aguiws/aguiws/adapter/store"
)

// AskAs is ask for an input that may be one of a request, of which the first counts.
func (q *Quotas) AskAs(ctx context.Context, t store.Take) *Share {
	many := admission.ManyOf(ctx)
	if many == nil {
		return q.Ask(t)
	}
	made, is := many.First(func() any { return q.Ask(t) })
	first, _ := made.(*Share)
	if is {
		return first
	}
	t.Inputs = -1
	s := q.Ask(t)
	if s != nil {
		s.of = first
	}
	return s
}
