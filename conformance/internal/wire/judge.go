package wire

import (
	"context"
	"log/slog"
	"time"

	"github.com/aguiws/aguiws/client"
	"github.com/aguiws/aguiws/protocol"
	"github.com/aguiws/aguiws/protocol/order"
)

// judge sees all frames of a tab. The tab's lock holds it.
type judge struct {
	held  bool // at and what follows hold
	last  client.Position
	at    client.Position // of the last event on this socket: behind last when the tab attached again meanwhile
	based bool            // ws.stream has said where the next event stands, on this socket

	order    *order.Sequence
	group    *order.Sequence // of events that are in no log
	due      int             // of them
	restates bool            // the next group is a restatement

	runs     []Run
	restated []string
	counted  []Counted
}

// frame takes one frame before the client does.
func (tab *Tab) frame(f *client.Frame) {
	tab.mu.Lock()
	defer tab.mu.Unlock()
	j := &tab.judge
	if f.IsEvent() {
		tab.event(f)
		return
	}
	if j.due > 0 {
		tab.wrong("%s, and %d uncounted events are still due", f.Type, j.due)
		j.due = 0
	}
	if f.ThreadID != "" && f.ThreadID != tab.name.thread {
		tab.wrong("%s about the thread %q", f.Type, f.ThreadID)
	}
	switch f.Type {
	case "ws.hello":
		j.based, j.restates, j.at = false, false, client.Position{}
	case "ws.attached":
		tab.attached(f)
	case "ws.stream":
		if f.Position != j.at {
			tab.wrong("ws.stream at %v, and the socket is at %v", f.Position, j.at)
		}
		j.based = true
		if f.Uncounted > 0 {
			j.due, j.group = f.Uncounted, new(order.Sequence)
		}
	case "ws.live":
		if f.Seq != j.at.Seq {
			tab.wrong("ws.live at %d, and the socket is at %d", f.Seq, j.at.Seq)
		}
		j.restates = false
		if !tab.left.IsZero() {
			tab.parted[len(tab.parted)-1].Away = time.Since(tab.left)
			tab.left = time.Time{}
		}
	case "ws.pong":
		if at, there := f.Positions[tab.name.thread]; !there || at != j.at.Seq {
			tab.wrong("ws.pong with the positions %v", f.Positions)
		}
	case "ws.run":
		switch f.Disposition {
		case client.Started, client.Queued, client.Refused, client.Repeated:
			if (f.Disposition == client.Repeated) != (f.Of != "") {
				tab.wrong("ws.run %s of %q", f.Disposition, f.Of)
			}
		default:
			tab.wrong("ws.run with the disposition %q", f.Disposition)
		}
	case "ws.error":
		if f.Code != "store_unavailable" && f.Code != "rate_limited" {
			tab.wrong("ws.error %s: %s", f.Code, f.Message)
		}
	case "ws.cancelled", "ws.detached", "ws.messages", "ws.store", "ws.goaway":
	default:
		tab.wrong("a frame %s", f.Type)
	}
}

func (tab *Tab) attached(f *client.Frame) {
	j := &tab.judge
	j.at, j.based = f.Position, false
	if f.Recovered {
		if !j.held || f.Epoch != j.last.Epoch || f.Seq > j.last.Seq {
			tab.wrong("recovered at %v, and the tab has got to %v", f.Position, j.last)
		}
		return
	}
	if j.held {
		j.restated = append(j.restated, f.Reason)
	}
	j.held, j.last, j.restates = true, f.Position, true
	j.order = new(order.Sequence)
	if f.ActiveLabel != "" && len(f.Interrupts) > 0 {
		tab.wrong("ws.attached with the active run %q and %d open interrupts", f.ActiveLabel, len(f.Interrupts))
	}
}

// event takes one event frame.
func (tab *Tab) event(f *client.Frame) {
	j := &tab.judge
	if err := protocol.ValidateEvent(f.Data); err != nil {
		tab.wrong("%v in %.500s", err, f.Data)
	}
	e, err := protocol.Decode(f.Data)
	if err != nil {
		tab.wrong("%v in %.500s", err, f.Data)
		return
	}
	switch {
	case f.Uncounted > 0:
		if err := j.group.Check(e); err != nil {
			tab.wrong("uncounted %s: %v", e.Type(), err)
		}
		if j.due--; j.due == 0 && j.restates {
			j.order, j.restates = j.group, false // the thread goes on from it
		}
		return
	case !j.held:
		tab.wrong("%s before the thread was attached", e.Type())
		return
	case !j.based:
		tab.wrong("%s before ws.stream said where it stands", e.Type())
	}
	j.restates = false
	if j.at = f.Position; j.at.Seq <= j.last.Seq {
		return
	}
	if j.at.Epoch != j.last.Epoch || j.at.Seq != j.last.Seq+1 {
		tab.wrong("%s at %v behind %v", e.Type(), j.at, j.last)
	}
	j.last = j.at
	j.counted = append(j.counted, Counted{j.last.Seq, string(f.Data)})
	if err := j.order.Check(e); err != nil {
		tab.wrong("%s: %v", e.Type(), err)
	}
	switch e := e.(type) {
	case *protocol.RunStarted:
		j.runs = append(j.runs, Run{ID: e.RunID, Start: j.last.Seq})
	case *protocol.RunFinished, *protocol.RunError:
		if n := len(j.runs); n > 0 && j.runs[n-1].End == nil {
			j.runs[n-1].End = e
		}
	}
}

// complaints makes what the client cannot understand an error of the test.
type complaints struct{ tab *Tab }

func (complaints) Enabled(_ context.Context, level slog.Level) bool { return level >= slog.LevelWarn }

func (c complaints) Handle(_ context.Context, r slog.Record) error {
	text := r.Message
	r.Attrs(func(a slog.Attr) bool { text += " " + a.String(); return true })
	c.tab.t.Errorf("tab %s: %s", c.tab.name.tab, text)
	return nil
}

func (c complaints) WithAttrs([]slog.Attr) slog.Handler { return c }
func (c complaints) WithGroup(string) slog.Handler      { return c }
