package mailbox

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/internal/link"
	"github.com/aguiws/aguiws/redisstore/lua"
)

// Records looks at dispatches.
type Records struct{ conn *link.Connection }

// NewRecords looks over a connection.
func NewRecords(c *link.Connection) *Records { return &Records{c} }

// Dispatch implements store.Dispatches.
func (s *Records) Dispatch(ctx context.Context, key store.ThreadKey, id string) (*store.Dispatch, error) {
	if id == "" {
		return nil, nil
	}
	list, _, err := s.dispatches(ctx, key, id, store.DispatchQuery{})
	if err != nil || len(list) == 0 {
		return nil, err
	}
	return &list[0], nil
}

const (
	dispatchPage  = 100       // that are listed if no limit is told
	dispatchPiece = 160       // that one script reads
	dispatchBytes = 512 << 10 // about, of their inputs
	dispatchTries = 8         // readings of a thread that moves on meanwhile
)

// errMoved says that the dispatches before those that were to follow have become others.
var errMoved = fmt.Errorf("redisstore: the thread's dispatches have moved on while they were read: %w", store.ErrOutcomeUnknown)

// Dispatches implements store.Dispatches. It reads what waits and what the page
// holds, not what lies beyond it. A large page is read in pieces, each with the last dispatch of the one
// before: whatever stays where it is in the order while they are read is listed, once.
func (s *Records) Dispatches(ctx context.Context, key store.ThreadKey, q store.DispatchQuery) ([]store.Dispatch, error) {
	if q.Limit < 0 || q.Offset < 0 {
		return nil, fmt.Errorf("redisstore: dispatches: limit %d, offset %d: neither can be negative", q.Limit, q.Offset)
	}
	q.Limit = cmp.Or(q.Limit, dispatchPage)
	for range dispatchTries {
		if list, err := s.inPieces(ctx, key, q); !errors.Is(err, errMoved) {
			return list, err
		}
	}
	return nil, errMoved
}

func (s *Records) inPieces(ctx context.Context, key store.ThreadKey, q store.DispatchQuery) (list []store.Dispatch, err error) {
	for known := 0; ; known = 1 {
		piece := q
		piece.Limit = min(q.Limit-len(list)+known, dispatchPiece)
		piece.Offset += len(list) - known
		found, cut, err := s.dispatches(ctx, key, "", piece)
		if err != nil {
			return nil, err
		}
		if known > 0 && (len(found) == 0 || found[0].ID != list[len(list)-1].ID) {
			return nil, errMoved
		}
		list = append(list, found[known:]...)
		if !cut && len(found) < piece.Limit || len(list) == q.Limit {
			return list, nil
		}
	}
}

// dispatches asks for one dispatch, or for those of a query. cut: there are more of these.
func (s *Records) dispatches(ctx context.Context, key store.ThreadKey, id string, q store.DispatchQuery) (list []store.Dispatch, cut bool, err error) {
	t := s.conn.Keys.Thread(key)
	c := link.Call{Script: lua.Dispatches, Keys: t.All(), Args: lua.Args{{"run", id}, {"limit", q.Limit}, {"offset", q.Offset}, {"room", dispatchBytes}}}
	for _, state := range q.States {
		c.Rest = append(c.Rest, string(state))
	}
	r, err := s.conn.Run(ctx, c)
	if err != nil {
		return nil, false, err
	}
	for cut = r.Bool(); r.More(); {
		list = append(list, readDispatch(r, key))
	}
	return list, cut, r.Err
}

func readDispatch(r *link.Reply, key store.ThreadKey) store.Dispatch {
	l := r.List()
	d := store.Dispatch{ID: l.Text(), Thread: key, State: store.DispatchState(l.Text()), Epoch: l.Int(),
		Priority: uint8(l.Int()), Dedupe: l.Text(), Available: l.Time(), Attempts: int(l.Int()), MaxAttempts: int(l.Int()),
		Error: l.Text(), ClaimedBy: l.Text(), LeaseUntil: l.Time(), Activated: l.Bool(), Outcome: l.JSON(),
		ContinuedAs: l.Text(), Created: l.Time(), Updated: l.Time(), Completed: l.Time(), Record: l.JSON(), Input: l.JSON(), Summary: l.JSON(),
		Takeovers: int(l.Int()), Waits: l.Bool(),
		Answered: store.DecisionStatus(l.Text()), StoppedBy: l.Text(), ReplacedBy: l.Text()}
	r.Join(l)
	return d
}

// Purge implements store.Dispatches.
func (s *Records) Purge(ctx context.Context, key store.ThreadKey, age time.Duration) (purged int, err error) {
	if age < 0 {
		return 0, fmt.Errorf("redisstore: purge: an age of %s: it cannot be negative", age)
	}
	t, cursor := s.conn.Keys.Thread(key), "0"
	for {
		r, err := s.conn.Run(ctx, link.Call{Script: lua.Purge, Keys: t.All(), Args: lua.Args{{"age", age.Milliseconds()}, {"cursor", cursor}}})
		if err != nil {
			return purged, err
		}
		cursor = r.Text()
		if purged += int(r.Int()); r.Err != nil || cursor == "0" {
			return purged, r.Err
		}
	}
}

// CountDispatches implements store.Dispatches.
func (s *Records) CountDispatches(ctx context.Context) (map[store.DispatchState]int64, error) {
	return s.count(ctx, false, "")
}

// CountTenant implements store.Dispatches.
func (s *Records) CountTenant(ctx context.Context, tenant string) (map[store.DispatchState]int64, error) {
	return s.count(ctx, true, tenant)
}

// allDispatches is how many there are in any state. Those that are claimed are the ones of which
// there is no number.
const allDispatches = "all"

var countedStates = []store.DispatchState{
	store.DispatchQueued, store.DispatchAcked, store.DispatchCancelled, store.DispatchSuperseded, store.DispatchDeadLetter,
}

// count adds up what the partitions count under each state, of one tenant or of all, which are
// read in pages.
func (s *Records) count(ctx context.Context, one bool, tenant string) (map[store.DispatchState]int64, error) {
	fields := []any{allDispatches}
	for _, state := range countedStates {
		fields = append(fields, string(state))
	}
	ask := func(part int, cursor string) link.Call {
		return link.Call{Script: lua.Counts, Keys: []string{s.conn.Keys.Parts[part].Counts},
			Args: lua.Args{{"of", one}, {"tenant", tenant}, {"cursor", cursor}}, Rest: fields}
	}
	calls, parts := make([]link.Call, len(s.conn.Keys.Parts)), make([]int, len(s.conn.Keys.Parts))
	for i := range calls {
		calls[i], parts[i] = ask(i, "0"), i
	}
	var partial error
	counts := map[store.DispatchState]int64{}
	for len(calls) > 0 {
		replies, errs := s.conn.RunAll(ctx, calls)
		partial = cmp.Or(partial, s.conn.Missing(errs))
		if link.Most(partial) != nil {
			return nil, partial
		}
		asked := parts
		calls, parts = nil, nil
		for i, r := range replies {
			if errs[i] != nil {
				continue
			}
			cursor, claimed := r.Text(), r.Int()
			for _, state := range countedStates {
				n := r.Int()
				counts[state] += n
				claimed -= n
			}
			counts[store.DispatchClaimed] += claimed
			if r.Err != nil {
				return nil, r.Err
			}
			if cursor != "0" {
				calls, parts = append(calls, ask(asked[i], cursor)), append(parts, asked[i])
			}
		}
	}
	maps.DeleteFunc(counts, func(_ store.DispatchState, n int64) bool { return n <= 0 })
	return counts, partial
}
