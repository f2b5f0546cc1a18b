package redisstore

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
)

// reasonSize is what is kept of a dispatch's error. Reading a run reads it too.
const reasonSize = 1024

func cutReason(text string) string { return cut(text, reasonSize) }

// HandBack implements store.Worker. A claim that is already lost is no error.
func (s *Store) HandBack(ctx context.Context, c store.Claim) error {
	_, err := s.giveUp(ctx, "back", store.Nack{Claim: c})
	return err
}

// Nack implements store.Mailbox.
func (s *Store) Nack(ctx context.Context, n store.Nack) (store.NackResult, error) {
	if len(n.Terminal) == 0 {
		return store.NackResult{}, errors.New("redisstore: nack: a dispatch without attempts left ends with an event")
	}
	how := "nack"
	if n.Free {
		how = "back"
	}
	return s.giveUp(ctx, how, n)
}

// Bury implements store.Mailbox.
func (s *Store) Bury(ctx context.Context, n store.Nack) (store.NackResult, error) {
	if len(n.Terminal) == 0 {
		return store.NackResult{}, errors.New("redisstore: bury: a run ends with an event")
	}
	return s.giveUp(ctx, "bury", n)
}

func (s *Store) giveUp(ctx context.Context, how string, n store.Nack) (store.NackResult, error) {
	c := n.Claim
	t := s.keys.thread(c.Thread)
	r, err := s.run(ctx, call{nackScript, t.all(), []any{t.member, c.RunID, c.Token, c.DispatchEpoch, how, max(n.Wait.Milliseconds(), 0), cutReason(n.Error),
		n.Terminal, n.GiveBack, s.opts.Keep.Milliseconds()}})
	if err != nil {
		return store.NackResult{}, err
	}
	res := store.NackResult{State: store.DispatchState(r.string()), Ready: r.bool(), GaveBack: r.bool()}
	s.logged(c.Thread, r.string(), r.int()+1, r.events())
	return res, r.err
}

// Interrupt implements store.Mailbox.
func (s *Store) Interrupt(ctx context.Context, i store.Interruption) (store.InterruptResult, error) {
	if i.Request == "" {
		return store.InterruptResult{}, errors.New("redisstore: interrupt: a call needs a name")
	}
	if (i.Active != "" || i.Repair) && len(i.Terminal) == 0 {
		return store.InterruptResult{}, errors.New("redisstore: interrupt: an active run ends with an event")
	}
	t := s.keys.thread(i.Thread)
	r, err := s.run(ctx, call{interruptScript, t.all(), []any{t.member, i.Request, i.Active, i.Terminal, cutReason(i.Reason), s.opts.Keep.Milliseconds(), i.Repair}})
	if err != nil {
		return store.InterruptResult{}, err
	}
	res := store.InterruptResult{Stale: r.bool(), Epoch: r.int(), Active: r.string()}
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

// Pause implements store.Mailbox.
func (s *Store) Pause(ctx context.Context, key store.ThreadKey) (bool, error) {
	return s.pause(ctx, key, "wish", "", store.Claim{})
}

// Unpause implements store.Mailbox.
func (s *Store) Unpause(ctx context.Context, key store.ThreadKey, request string) (bool, error) {
	if request == "" {
		return false, errors.New("redisstore: unpause: a call needs a name")
	}
	return s.pause(ctx, key, "back", request, store.Claim{})
}

// TakePause implements store.Mailbox.
func (s *Store) TakePause(ctx context.Context, c store.Claim) (bool, error) {
	return s.pause(ctx, c.Thread, "take", "", c)
}

func (s *Store) pause(ctx context.Context, key store.ThreadKey, how, request string, c store.Claim) (bool, error) {
	r, err := s.run(ctx, call{pauseScript, []string{s.keys.thread(key).rec()}, []any{how, request, c.RunID, c.Token, c.DispatchEpoch}})
	if err != nil {
		return false, err
	}
	return r.bool(), r.err
}

// Dispatch implements store.Mailbox.
func (s *Store) Dispatch(ctx context.Context, key store.ThreadKey, id string) (*store.Dispatch, error) {
	if id == "" {
		return nil, nil
	}
	list, err := s.dispatches(ctx, key, id, store.DispatchQuery{})
	if err != nil || len(list) == 0 {
		return nil, err
	}
	return &list[0], nil
}

const dispatchPage = 100

// Dispatches implements store.Mailbox. It reads what waits and what the page
// holds, not what lies beyond it.
func (s *Store) Dispatches(ctx context.Context, key store.ThreadKey, q store.DispatchQuery) ([]store.Dispatch, error) {
	if q.Limit < 0 || q.Offset < 0 {
		return nil, fmt.Errorf("redisstore: dispatches: limit %d, offset %d: neither can be negative", q.Limit, q.Offset)
	}
	return s.dispatches(ctx, key, "", q)
}

func (s *Store) dispatches(ctx context.Context, key store.ThreadKey, id string, q store.DispatchQuery) ([]store.Dispatch, error) {
	r, err := s.run(ctx, s.dispatchesCall(key, id, q))
	if err != nil {
		return nil, err
	}
	var list []store.Dispatch
	for r.more() {
		list = append(list, readDispatch(r, key))
	}
	return list, r.err
}

// dispatchesCall asks for one dispatch, or for those of a query.
func (s *Store) dispatchesCall(key store.ThreadKey, id string, q store.DispatchQuery) call {
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

func readDispatch(r *reply, key store.ThreadKey) store.Dispatch {
	l := r.list()
	d := store.Dispatch{ID: l.string(), Thread: key, State: store.DispatchState(l.string()), Epoch: l.int(),
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

// CountDispatches implements store.Mailbox.
func (s *Store) CountDispatches(ctx context.Context) (map[store.DispatchState]int64, error) {
	return s.count(ctx, "")
}

// CountTenant implements store.Mailbox.
func (s *Store) CountTenant(ctx context.Context, tenant string) (map[store.DispatchState]int64, error) {
	return s.count(ctx, ":"+tenant)
}

var dispatchStates = []store.DispatchState{
	store.DispatchQueued, store.DispatchClaimed, store.DispatchAcked,
	store.DispatchCancelled, store.DispatchSuperseded, store.DispatchDeadLetter,
}

// count adds up what the partitions count under each state with a suffix.
func (s *Store) count(ctx context.Context, suffix string) (map[store.DispatchState]int64, error) {
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
	counts := map[store.DispatchState]int64{}
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
