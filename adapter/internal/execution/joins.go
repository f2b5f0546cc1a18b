package execution

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/internal/journal"
	"github.com/aguiws/aguiws/adapter/internal/judge"
	"github.com/aguiws/aguiws/adapter/internal/retry"
	"github.com/aguiws/aguiws/adapter/internal/stored"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
)

// maxJoining is how many inputs Injected takes at once; others are taken by the next call.
const maxJoining = 100

func (l *line) Injected(ctx context.Context) (protocol.Messages, error) {
	x, s := l.x, l.s
	x.mu.Lock()
	defer x.mu.Unlock()
	if err := x.refusal(s); err != nil {
		return nil, err
	}
	if where := x.inside(ctx, s); where != "" {
		return nil, fmt.Errorf("adapter: Injected inside %s: %w", where, errInside)
	}
	key := s.number("injected")
	for recorded := s.next(); recorded != nil && journal.IsPause(recorded) && recorded.Digest == key; recorded = s.next() {
		s.cursor++
	}
	if recorded := s.next(); recorded != nil {
		if recorded.Kind != store.EntryJoin || recorded.Key != key {
			return nil, nil // there was nothing
		}
		s.cursor++
		return recorded.Messages, nil
	}
	if err := x.pauseHere(s, key); err != nil {
		return nil, err
	}
	for s.live() && (x.joiners || x.Pipe.joining()) {
		joined, err := x.join(s, key)
		if !errors.Is(err, errGone) {
			return joined, err
		}
	}
	return nil, nil
}

// joiners reports whether inputs wait on a thread to join a run.
func joiners(view *store.ThreadView) bool {
	for _, q := range view.Queue {
		if record, err := stored.Record(&store.RunState{Record: q.Record}); err == nil && record.Joins {
			return true
		}
	}
	return false
}

// join takes what waits to join the run, in one commit that puts it into the thread and the
// journal: an input that somebody cancels meanwhile is gone, or was taken. The execution's
// lock is held throughout, so that nothing slips between.
func (x *execution) join(s *scope, key string) (protocol.Messages, error) {
	waiting, err := retry.Do(x.Ctx, func() ([]store.Dispatch, error) {
		return x.node.Store.Dispatches(x.Ctx, x.Claim.Thread, store.DispatchQuery{States: []store.DispatchState{store.DispatchQueued}, Limit: maxQueueRead})
	})
	if err != nil {
		if x.Ctx.Err() != nil {
			return nil, x.seal(adapter.ErrStopped)
		}
		return nil, nil // the next call asks again
	}
	it := item{join: &store.Join{}}
	var joined protocol.Messages
	var events []protocol.Event
	var users []string
	for _, d := range waiting {
		fresh, by, finished, err := x.joinedBy(&d)
		if err != nil {
			x.node.Log.Error("an input cannot join its thread's run; the input begins a run of its own", "thread", x.Claim.Thread.Thread, "dispatch", d.ID, "error", err)
			continue
		}
		if finished == nil || len(it.join.Inputs) == maxJoining {
			continue
		}
		if by != "" && !slices.Contains(users, by) {
			users = append(users, by)
		}
		it.join.Inputs = append(it.join.Inputs, store.JoinedInput{RunID: d.ID, Finished: finished})
		for _, m := range fresh {
			if x.fold.Has(m.ID) {
				continue
			}
			joined = append(joined, m)
			events = append(events, &protocol.TextMessageStart{MessageID: m.ID, Role: m.Role, Name: m.Name},
				&protocol.TextMessageContent{MessageID: m.ID, Delta: m.Content.String()}, &protocol.TextMessageEnd{MessageID: m.ID})
		}
	}
	for _, e := range events {
		text, err := protocol.Encode(e)
		if err != nil {
			return nil, x.seal(fmt.Errorf("adapter: a message that joins: %w", err))
		}
		it.events = append(it.events, text)
	}
	if !x.blocking() && len(joined) > 0 {
		it.entries = []*store.JournalEntry{{Kind: store.EntryJoin, Scope: s.name, Key: key, Messages: joined, Users: users}}
	}
	x.node.Reached("before_join")
	if err := x.Pipe.add(x.Ctx, it, true); errors.Is(err, errGone) {
		return nil, err
	} else if err != nil {
		return nil, x.seal(err)
	}
	x.node.Reached("after_join")
	x.joiners = false
	x.journal.Others = append(x.journal.Others, users...)
	for i, e := range events {
		if _, err := x.append(e, protocol.EffectOf(e), it.events[i]); err != nil {
			return nil, x.seal(err)
		}
	}
	for _, r := range it.entries {
		x.journal.Wrote(r)
		x.recorded = true
	}
	return joined, x.logged(it)
}

// maxQueueRead is how many inputs that wait are looked at for those that join.
const maxQueueRead = 1000

// joinedBy are the messages of an input that joins the run, whose they are, and the terminal
// event of its own; nil: it does not.
func (x *execution) joinedBy(d *store.Dispatch) (protocol.Messages, string, []byte, error) {
	record, err := stored.Record(&store.RunState{Record: d.Record})
	if err != nil || !record.Joins {
		return nil, "", nil, err
	}
	var queued store.QueuedInput
	if err := stored.Decode(d.Input, &queued, "the queued input"); err != nil {
		return nil, "", nil, err
	}
	if why := judge.RefuseToJoin(queued.Fresh); why != nil {
		return nil, "", nil, errors.New(why.Message)
	}
	result, err := json.Marshal(map[string]string{"joined": x.label})
	if err != nil {
		return nil, "", nil, err
	}
	finished, err := protocol.Encode(&protocol.RunFinished{ThreadID: d.Thread.Thread, RunID: record.Label,
		Result: protocol.Any(result), Outcome: &protocol.RunOutcome{Type: protocol.OutcomeSuccess}})
	return queued.Fresh, record.User, finished, err
}
