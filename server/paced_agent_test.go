package server

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/script"
)

// slow is a run that goes on as far as the test lets it: see paced.
const slow = "/slow 40 10"

// counted is what /slow writes.
func counted(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%d ", i+1)
	}
	return b.String()
}

// pace is how far a slow run may go.
type pace struct {
	t    *testing.T
	may  chan struct{}
	rest func() // lets the run go on to its end
}

// more lets n further pieces be written.
func (p *pace) more(n int) {
	p.t.Helper()
	late := time.After(patience)
	for range n {
		select {
		case p.may <- struct{}{}:
		case <-late:
			p.t.Fatal("nothing waits for leave to go on")
		}
	}
}

// paced is endToEnd with a run that is sure to be under way while the test does
// something beside it.
func paced(t *testing.T) (*testServer, *pace) {
	t.Helper()
	p := &pace{t: t, may: make(chan struct{})}
	p.rest = sync.OnceFunc(func() { close(p.may) })
	others := script.New(script.Options{Effects: filepath.Join(t.TempDir(), "effects")})
	ts := node(t, embedded(t), adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
		messages := run.Input().Messages
		if messages[len(messages)-1].Content.String() != slow {
			return others.Run(ctx, run)
		}
		text, err := run.Text()
		if err != nil {
			return err
		}
		for i := range 40 {
			select {
			case <-p.may:
			case <-ctx.Done():
				return context.Cause(ctx)
			}
			if _, err := fmt.Fprintf(text, "%d ", i+1); err != nil {
				return err
			}
		}
		return text.Close()
	}))
	t.Cleanup(p.rest) // before the server is shut down
	return ts, p
}

// underWay is paced with run r1, a slow one, in its middle, and the tab that asked
// for it.
func underWay(t *testing.T) (*testServer, *pace, *tab) {
	t.Helper()
	ts, p := paced(t)
	tb := newTab(ts.dial())
	tb.send(says("r1", slow))
	p.more(1)
	tb.begun()
	return ts, p, tb
}
