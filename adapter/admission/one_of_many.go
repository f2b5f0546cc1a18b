package admission

import (
	"context"
	"sync"
)

type oneOfMany struct{}

// OneOfMany is a context for all answers of one request, which is one of the user's inputs.
// The first answer that is judged counts for runner.Options.MaxInputs. If it is refused for
// that, the others are refused, too.
func OneOfMany(ctx context.Context) context.Context {
	return context.WithValue(ctx, oneOfMany{}, new(Many))
}

// Many has inputs of one user, of which one counts.
type Many struct {
	mu    sync.Mutex
	first any
}

// ManyOf is what the context's inputs are of; nil: there is one alone.
func ManyOf(ctx context.Context) *Many {
	m, _ := ctx.Value(oneOfMany{}).(*Many)
	return m
}

// First returns what the first call has made, and whether this one is the first. Others
// wait for it.
func (m *Many) First(made func() any) (first any, is bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if is = m.first == nil; is {
		m.first = made()
	}
	return m.first, is
}
