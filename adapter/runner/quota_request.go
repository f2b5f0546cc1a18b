package runner

import (
	"context"
	"sync"

	"github.com/aguiws/aguiws/adapter/store"
)

type oneOfMany struct{}

// OneOfMany is a context for all answers of one request, which is one of the user's inputs.
// The first answer that is judged counts for Options.MaxInputs. If it is refused for that,
// the others are refused, too.
func OneOfMany(ctx context.Context) context.Context {
	return context.WithValue(ctx, oneOfMany{}, new(request))
}

// request has inputs of one user, of which one counts.
type request struct {
	mu    sync.Mutex
	first *share // that counts; nil: none has asked
}

// askAs is ask for an input that may be one of a request.
func (q *quotas) askAs(ctx context.Context, t store.Take) *share {
	r, ok := ctx.Value(oneOfMany{}).(*request)
	if !ok {
		return q.ask(t)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.first == nil {
		r.first = q.ask(t)
		return r.first
	}
	t.Inputs = -1
	s := q.ask(t)
	if s != nil {
		s.of = r.first
	}
	return s
}
