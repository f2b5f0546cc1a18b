package redisstore

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/aguiws/aguiws/adapter"
)

// reasonSize is what is kept of a dispatch's error. Reading a run reads it too.
const reasonSize = 1024

func cutReason(text string) string { return cut(text, reasonSize) }

// HandBack implements adapter.Worker. A claim that is already lost is no error.
func (s *Store) HandBack(ctx context.Context, c adapter.Claim) error {
	_, err := s.giveUp(ctx, "back", adapter.Nack{Claim: c})
	return err
}

// Nack implements adapter.Mailbox.
func (s *Store) Nack(ctx context.Context, n adapter.Nack) (adapter.NackResult, error) {
	if len(n.Terminal) == 0 {
		return adapter.NackResult{}, errors.New("redisstore: nack: a dispatch without attempts left ends with an event")
	}
	how := "nack"
	if n.Free {
		how = "back"
	}
	return s.giveUp(ctx, how, n)
}

// Bury implements adapter.Mailbox.
func (s *Store) Bury(ctx context.Context, n adapter.Nack) (adapter.NackResult, error) {
	if len(n.Terminal) == 0 {
		return adapter.NackResult{}, errors.New("redisstore: bury: a run ends with an event")
	}
	return s.giveUp(ctx, "bury", n)
}

func (s *Store) giveUp(ctx context.Context, how string, n adapter.Nack) (adapter.NackResult, error) {
	c := n.Claim
	t := s.keys.thread(c.Thread)
	r, err := s.run(ctx, call{nackScript, t.all(), []any{t.member, c.RunID, c.Token, c.DispatchEpoch, how, max(n.Wait.Milliseconds(), 0), cutReason(n.Error),
		n.Terminal, n.GiveBack, s.opts.Keep.Milliseconds()}})
	if err != nil {
		return adapter.NackResult{}, err
	}
	res := adapter.NackResult{State: adapter.DispatchState(r.string()), Ready: r.bool(), GaveBack: r.bool()}
	s.logged(c.Thread, r.string(), r.int()+1, r.events())
	return res, r.err
}

// Interrupt implements adapter.Mailbox.
func (s *Store) Interrupt(ctx context.Context, i adapter.Interruption) (adapter.InterruptResult, error) {
	if i.Request == "" {
		return adapter.InterruptResult{}, errors.New("redisstore: interrupt: a call needs a name")
	}
	if (i.Active != "" || i.Repair) && len(i.Terminal) == 0 {
		return adapter.InterruptResult{}, errors.New("redisstore: interrupt: an active run ends with an event")
	}
	t := s.keys.thread(i.Thread)
	r, err := s.run(ctx, call{interruptScript, t.all(), []any{t.member, i.Request, i.Active, i.Terminal, cutReason(i.Reason), s.opts.Keep.Milliseconds(), i.Repair}})
	if err != nil {
		return adapter.InterruptResult{}, err
	}
	res := adapter.InterruptResult{Stale: r.bool(), Epoch: r.int(), Active: r.string()}
	superseded, owed := r.list(), r.list()
	for superseded.more() {
		res.Superseded = append(res.Superseded, superseded.string())
		events := owed.events()
		if len(events) == 0 {
			events = nil
		}
		res.Owed = append(res.Owed, events)
	}
	r.join(superseded)
	r.join(owed)
	s.logged(i.Thread, r.string(), r.int()+1, r.events())
	for _, events := range res.Owed {
		s.withdrawn(i.Thread, events)
	}
	s.lost(i.Thread, r.string(), r.string())
	return res, r.err
}

// Pause implements adapter.Mailbox.
func (s *Store) Pause(ctx context.Context, key adapter.ThreadKey) (bool, error) {
	return s.pause(ctx, key, "wish", "", adapter.Claim{})
}

// Unpause implements adapter.Mailbox.
func (s *Store) Unpause(ctx context.Context, key adapter.ThreadKey, request string) (bool, error) {
	if request == "" {
		return false, errors.New("redisstore: unpause: a call needs a name")
	}
	return s.pause(ctx, key, "back", request, adapter.Claim{})
}

// TakePause implements adapter.Mailbox.
func (s *Store) TakePause(ctx context.Context, c adapter.Claim) (bool, error) {
	return s.pause(ctx, c.Thread, "take", "", c)
}

func (s *Store) pause(ctx context.Context, key adapter.ThreadKey, how, request string, c adapter.Claim) (bool, error) {
	r, err := s.run(ctx, call{pauseScript, []string{s.keys.thread(key).rec()}, []any{how, request, c.RunID, c.Token, c.DispatchEpoch}})
	if err != nil {
		return false, err
	}
	return r.bool(), r.err
}

// Dispatch implements adapter.Mailbox.
func (s *Store) Dispatch(ctx context.Context, key adapter.ThreadKey, id string) (*adapter.Dispatch, error) {
	if id == "" {
		return nil, nil
	}
	list, err := s.dispatches(ctx, key, id, adapter.DispatchQuery{})
	if err != nil || len(list) == 0 {
		return nil, err
	}
	return &list[0], nil
}

const dispatchPage = 100

// Dispatches implements adapter.Mailbox. It reads what waits and what the page
// holds, not what lies beyond it.
func (s *Store) Dispatches(ctx context.Context, key adapter.ThreadKey, q adapter.DispatchQuery) ([]adapter.Dispatch, error) {
	if q.Limit < 0 || q.Offset < 0 {
		return nil, fmt.Errorf("redisstore: dispatches: limit %d, offset %d: neither can be negative", q.Limit, q.Offset)
	}
	return s.dispatches(ctx, key, "", q)
}

func (s *Store) dispatches(ctx context.Context, key adapter.ThreadKey, id string, q adapter.DispatchQuery) ([]adapter.Dispatch, error) {
	r, err := s.run(ctx, s.dispatchesCall(key, id, q))
	if err != nil {
		return nil, err
	}
	var list []adapter.Dispatch
	for r.more() {
		list = append(list, readDispatch(r, key))
	}
	return list, r.err
}

// dispatchesCall asks for one dispatch, or for those of a query.
func (s *Store) dispatchesCall(key adapter.ThreadKey, id string, q adapter.DispatchQuery) call {
	if q.Limit == 0 {
		q.Limit = dispatchPage
	}
	t := s.keys.thread(key)
	args := []any{id, q.Limit, q.Offset}
	for _, state := range q.States {
		args = append(args, string(state))
	}
	return call{dispatchesScript, t.all(), args}
}

func readDispatch(r *reply, key adapter.ThreadKey) adapter.Dispatch {
	l := r.list()
	d := adapter.Dispatch{ID: l.string(), Thread: key, State: adapter.DispatchState(l.string()), Epoch: l.int(),
		Priority: int(l.int()), Dedupe: l.string(), Available: l.time(), Attempts: int(l.int()), MaxAttempts: int(l.int()),
		Error: l.string(), ClaimedBy: l.string(), LeaseUntil: l.time(), Started: l.bool(), Outcome: l.json(),
		RequeuedAs: l.string(), Created: l.time(), Updated: l.time(), Completed: l.time(), Record: l.json(), Input: l.json()}
	r.join(l)
	return d
}

// time reads Unix ms; 0 is no time.
func (r *reply) time() time.Time {
	if ms := r.int(); ms != 0 {
		return time.UnixMilli(ms)
	}
	return time.Time{}
}

// CountDispatches implements adapter.Mailbox.
func (s *Store) CountDispatches(ctx context.Context) (map[adapter.DispatchState]int64, error) {
	return s.count(ctx, "")
}

// CountTenant implements adapter.Mailbox.
func (s *Store) CountTenant(ctx context.Context, tenant string) (map[adapter.DispatchState]int64, error) {
	return s.count(ctx, ":"+tenant)
}

var dispatchStates = []adapter.DispatchState{
	adapter.DispatchQueued, adapter.DispatchClaimed, adapter.DispatchAcked,
	adapter.DispatchCancelled, adapter.DispatchSuperseded, adapter.DispatchDeadLetter,
}

// count adds up what the partitions count under each state with a suffix.
func (s *Store) count(ctx context.Context, suffix string) (map[adapter.DispatchState]int64, error) {
	fields := make([]any, len(dispatchStates))
	for i, state := range dispatchStates {
		fields[i] = string(state) + suffix
	}
	calls := make([]call, len(s.keys.parts))
	for i := range calls {
		calls[i] = call{countsScript, []string{s.keys.parts[i].counts}, fields}
	}
	replies, errs := s.runAll(ctx, calls)
	partial := s.missing(errs)
	if most(partial) != nil {
		return nil, partial
	}
	counts := map[adapter.DispatchState]int64{}
	for i, r := range replies {
		if errs[i] != nil {
			continue
		}
		for _, state := range dispatchStates {
			if n := r.int(); n != 0 {
				counts[state] += n
			}
		}
		if r.err != nil {
			return nil, r.err
		}
	}
	return counts, partial
}
