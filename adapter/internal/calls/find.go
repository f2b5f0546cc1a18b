package calls

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/internal/stored"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
)

// maxResult is how many bytes the answer to a call may have.
const maxResult = 256 << 10

// found is what became of a call.
type found struct {
	run   *store.RunState // the latest of its execution; nil: it has not begun
	open  bool            // the execution waits for answers
	over  bool            // it has ended for good
	ended *ended          // what is known of a call that has no run
}

// ended is what a call has come to, as adapter.Run.Call reads it.
type ended struct {
	adapter.CallResult
	Status  adapter.CallStatus `json:"status,omitempty"` // "": it has succeeded
	Code    string             `json:"code,omitempty"`
	Message string             `json:"message,omitempty"`
	users   []string           // whose messages it was given; "" among them is somebody who is not known
}

// find looks for the execution that a thread has called on another.
func (c *Calls) find(ctx context.Context, caller, child store.ThreadKey) (found, error) {
	view, err := c.Store.Read(ctx, child, store.ReadQuery{Label: "call-" + child.Thread, Window: 1})
	if err != nil {
		return found{}, err
	}
	var run *store.RunState
	for i := range view.Labelled {
		record, err := stored.Record(&view.Labelled[i])
		if err != nil {
			return found{}, err
		}
		if record.Caller != nil && record.Caller.Thread == caller.Thread {
			run = &view.Labelled[i]
		}
	}
	switch {
	case run != nil:
	case view.Deleted:
		return found{ended: &ended{Status: adapter.CallCancelled, Message: "its thread was deleted"}}, nil
	case view.Used: // it is not known to be free of a call that ran
		return found{ended: &ended{Status: adapter.CallRefused, Code: adapter.CodeThreadExists, Message: "its thread has another use"}}, nil
	default:
		return found{}, nil
	}
	for run.LatestOfExe != run.ID {
		id := run.LatestOfExe
		if view, err = c.Store.Read(ctx, child, store.ReadQuery{RunID: id, Window: 1}); err != nil {
			return found{}, err
		}
		if run = view.Run; run == nil {
			return found{ended: &ended{Status: adapter.CallCancelled, Message: "what became of it is not kept any more"}}, nil
		}
	}
	f := found{run: run}
	open, err := stored.Suspension(view.Suspension)
	if err != nil {
		return f, err
	}
	f.open = open != nil && open.Execution == run.Execution
	f.over = !f.open && run.Status != store.RunQueued && run.Status != store.RunActive
	return f, nil
}

// result is what the run that has ended a call has come to.
func (c *Calls) result(ctx context.Context, child store.ThreadKey, run *store.RunState) (*ended, error) {
	e := &ended{CallResult: adapter.CallResult{Run: run.ID}}
	did, err := c.did(ctx, child, run.ID)
	if err != nil {
		return nil, err
	}
	e.users = did.Users
	if run.Status == store.RunCancelled || run.Terminal == nil {
		e.Status = adapter.CallCancelled
		return e, nil
	}
	event, err := protocol.Decode(run.Terminal)
	if err != nil {
		return nil, stored.Corrupted("the end of run %s", run.ID)
	}
	switch end := event.(type) {
	case *protocol.RunError:
		e.Status, e.Code, e.Message = adapter.CallFailed, end.Code, end.Message
		return e, nil
	case *protocol.RunFinished:
		if end.Outcome != nil && end.Outcome.Type != protocol.OutcomeSuccess {
			e.Status = adapter.CallCancelled // also of a question that somebody turned away from
			return e, nil
		}
		e.Result = json.RawMessage(end.Result)
	}
	if len(e.users) == 0 {
		e.users = []string{""} // what it has said may be anybody's words
	}
	if e.Text, err = c.text(ctx, child, did.Last); err != nil {
		return nil, err
	}
	if n := len(e.Text) + len(e.Result); n > maxResult {
		return &ended{CallResult: adapter.CallResult{Run: run.ID}, users: e.users, Status: adapter.CallFailed, Code: adapter.CodeCallTooLarge,
			Message: fmt.Sprintf("its text and result have %d bytes together, and may have %d", n, maxResult)}, nil
	}
	return e, nil
}

// did is what a run that has ended has done, as far as that is kept.
func (c *Calls) did(ctx context.Context, child store.ThreadKey, run string) (did store.RunSummary, err error) {
	d, err := c.Store.Dispatch(ctx, child, run)
	if err == nil && d != nil && len(d.Summary) > 0 && json.Unmarshal(d.Summary, &did) != nil {
		did = store.RunSummary{}
	}
	return did, err
}

// text is that of the last message of an assistant that a run has added, whose last message is
// given; "": it has added none.
func (c *Calls) text(ctx context.Context, child store.ThreadKey, added string) (string, error) {
	if added == "" {
		return "", nil
	}
	view, err := c.Store.Read(ctx, child, store.ReadQuery{})
	if err != nil {
		return "", err
	}
	fold, err := stored.Fold(view, -1)
	if err != nil {
		return "", err
	}
	messages := fold.Messages()
	last := len(messages) - 1
	for last >= 0 && messages[last].ID != added {
		last--
	}
	for ; last >= 0; last-- {
		m := messages[last]
		if m.Role == protocol.RoleUser {
			break
		}
		if m.Role == protocol.RoleAssistant && m.Content != nil && m.Content.String() != "" {
			return m.Content.String(), nil
		}
	}
	return "", nil
}
