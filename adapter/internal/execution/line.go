package execution

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/internal/journal"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
)

// line is a line of calls of an execution: what a Run stands on. In ModeBlocking it goes on
// in other activations than the one in which it began.
type line struct {
	x *execution
	s *scope
}

func (l *line) Frozen() *store.Frozen { return &l.x.frozen }

func (l *line) Thread() store.ThreadKey { return l.x.Claim.Thread }

func (l *line) Logins() adapter.Logins { return l.x.node.Options.Logins }

func (l *line) NewID() string {
	l.x.mu.Lock()
	defer l.x.mu.Unlock()
	return l.s.newID(l.x.id)
}

func (l *line) CallKey(id string) string {
	l.x.mu.Lock()
	defer l.x.mu.Unlock()
	n := l.s.calls[id]
	l.s.calls[id]++
	return journal.Derive(l.x.id, l.s.keys+"call/"+id, n)
}

func (l *line) Over() bool {
	l.x.mu.Lock()
	defer l.x.mu.Unlock()
	return l.x.sealed != nil
}

func (l *line) Told(err error) *protocol.RunError {
	told, more := l.x.failure(err)
	l.x.logFailure(told.Code, more)
	return told
}

func (l *line) Finish(result json.RawMessage, metadata protocol.Metadata) {
	l.x.mu.Lock()
	defer l.x.mu.Unlock()
	l.x.ending = ending{slices.Clone(result), maps.Clone(metadata)}
}

func (l *line) Usage(used []protocol.TokenUsage) {
	l.x.mu.Lock()
	defer l.x.mu.Unlock()
	l.x.usage = slices.Clone(used)
}

func (l *line) Headers() map[string]string {
	return l.x.node.Options.HeadersFor(l.x.named, maps.Clone(l.x.headers))
}

func (l *line) LatestInput() *protocol.RunAgentInput {
	l.x.mu.Lock()
	defer l.x.mu.Unlock()
	x := l.x
	if x.label == x.frozen.Label && x.journal.Latest == nil {
		return x.frozen.Input
	}
	in := *x.frozen.Input
	in.RunID = x.label
	if brought := x.journal.Latest; brought != nil {
		in.Tools, in.Context, in.ForwardedProps = brought.Tools, brought.Context, brought.ForwardedProps
	}
	return &in
}
