package redisstore

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/internal/keyspace"
	"github.com/aguiws/aguiws/redisstore/internal/link"
	"github.com/aguiws/aguiws/redisstore/internal/threadlog"
	"github.com/aguiws/aguiws/redisstore/lua"
)

var beginStatus = []store.BeginStatus{store.BeginAccepted, store.BeginStale, store.BeginExpired,
	store.BeginDuplicate, store.BeginGone}

// beginErrors are the verdicts after those that are a status.
var beginErrors = map[int64]error{
	5: errors.New("redisstore: begin: a run is active"),
	6: errors.New("redisstore: begin: an interrupt is open and is not answered"),
	7: errors.New("redisstore: begin: no interrupt is open"),
	8: errors.New("redisstore: begin: another execution is suspended"),
}

const (
	middlePriority = 128
	usualAttempts  = 3
)

// Begin implements store.Admission. A request that contradicts the version it names (a
// start while a run is active, answers to nothing) is an error.
func (s *Store) Begin(ctx context.Context, b store.Begin) (store.BeginResult, error) {
	p, err := partsOf(b)
	if err != nil {
		return store.BeginResult{}, fmt.Errorf("redisstore: begin: %w", err)
	}
	t := s.conn.Keys.Thread(b.Thread)
	pieces := 0
	if len(p.Archive) > s.opts.piece {
		if pieces, err = s.archive(ctx, t, b, p.Archive); err != nil {
			return store.BeginResult{}, err
		}
		p.Archive = nil
	}
	rest, branch, messages := beginLists(p)
	priority := uint8(middlePriority)
	if b.Priority != nil {
		priority = *b.Priority
	}
	r, err := s.conn.Run(ctx, link.Call{Script: lua.Begin, Keys: t.Deciding(), Args: lua.Args{
		{"member", t.Member},
		{"version", b.Version},
		{"deadline", b.Deadline},
		{"keep", s.opts.Keep.Milliseconds()},
		{"follow", s.opts.Follow.Milliseconds()},
		{"sender", b.Sender},
		{"lease", s.opts.Lease.Milliseconds()},
		{"look", s.lookAfter()},
		{"tenant", b.Tenant},
		{"user", b.User},
		{"owner", keyspace.OwnerID(store.Owner{Name: b.User})},
		{"title", link.CutTitle(b.Title)},
		{"run", b.RunID},
		{"label", b.Label},
		{"execution", b.Execution},
		{"record", link.Compress(b.Record)},
		{"headers", link.Compress(b.Headers)},
		{"priority", priority},
		{"max", cmp.Or(b.MaxAttempts, usualAttempts)},
		{"dedupe", b.Dedupe},
		{"kind", p.kind},
		{"input", link.Compress(p.Input)},
		{"opens", p.Cancelled[0]},
		{"cancels", p.Cancelled[1]},
		{"available", waitUntil(p.Available)},
		{"joins", p.Joins},
		{"token", p.Token},
		{"agent", cmp.Or(p.Enqueue.Agent, p.Fresh.Agent)},
		{"frozen", link.Compress(p.Frozen)},
		{"letter", p.letter},
		{"decisions", link.Compress(p.decisions)},
		{"known", p.waits != nil},
		{"answers", len(p.answers)},
		{"archived", len(p.Archive)},
		{"pieces", pieces},
		{"about", []byte(branch.About)},
		{"branch", messages},
		{"restores", p.Restores},
		{"decided", len(p.decided)},
		{"events", len(p.Events)},
	}, Rest: s.conn.AppendElements(rest, 1, p.Events)})
	if err != nil {
		return store.BeginResult{}, err
	}
	return s.begun(b, p, r)
}

// archive archives messages in pieces, and returns how many there are. If the thread is another, or
// another run archives meanwhile, the Begin is stale.
func (s *Store) archive(ctx context.Context, t keyspace.Thread, b store.Begin, messages map[string]json.RawMessage) (pieces int, err error) {
	refused := false
	for ids := range slices.Chunk(slices.Sorted(maps.Keys(messages)), s.opts.piece) {
		if pieces++; refused {
			continue
		}
		var rest []any
		for _, id := range ids {
			rest = append(rest, id, []byte(messages[id]))
		}
		r, err := s.conn.Run(ctx, link.Call{Script: lua.Archive, Keys: []string{t.Rec(), t.Archive()}, Args: lua.Args{
			{"version", b.Version}, {"run", b.RunID}, {"piece", pieces - 1}, {"keep", s.opts.Keep.Milliseconds()}}, Rest: rest})
		if err != nil {
			return 0, err
		}
		if refused = r.Int() == 0; r.Err != nil {
			return 0, r.Err
		}
	}
	return pieces, nil
}

// beginLists are the lists that come before the events, and the branch that a rewind
// leaves, with its messages as they are kept.
func beginLists(p beginParts) (rest []any, branch store.Branch, messages []byte) {
	for id, answer := range p.answers {
		rest = append(rest, id, []byte(answer))
	}
	for id, message := range p.Archive {
		rest = append(rest, id, []byte(message))
	}
	for _, d := range p.decided {
		rest = lua.Begin.Group(rest, lua.Args{{"interrupt", d.Interrupt}, {"status", string(d.Status)}, {"by", d.User},
			{"tool", d.Tool}, {"body", link.Compress(d.Body)}})
	}
	if p.Branch != nil {
		branch = *p.Branch
	}
	messages = link.Compress(branch.Messages)
	if len(messages) > threadlog.BranchBytes {
		messages = nil
	}
	return rest, branch, messages
}

// begun reads what the script says.
func (s *Store) begun(b store.Begin, p beginParts, r *link.Reply) (store.BeginResult, error) {
	verdict := r.Int()
	if verdict == 9 {
		return store.BeginResult{Status: store.BeginDeleting}, r.Err
	}
	if err := beginErrors[verdict]; err != nil {
		return store.BeginResult{}, err
	}
	if verdict < 0 || int(verdict) >= len(beginStatus) {
		return store.BeginResult{}, fmt.Errorf("redisstore: begin: verdict %d", verdict)
	}
	res := store.BeginResult{Status: beginStatus[verdict], Position: store.Position{Seq: r.Int(), Epoch: r.Text()}}
	claimed, epoch := r.Bool(), r.Int()
	if claimed {
		res.Claim = store.Claim{Thread: b.Thread, RunID: b.RunID, Token: p.Token, DispatchEpoch: epoch}
		s.deliveries.Logged(b.Thread, res.Position.Epoch, res.Position.Seq+1, p.Events)
	}
	if released := r.List(); released.More() {
		ready := released.Bool()
		s.deliveries.Logged(b.Thread, res.Position.Epoch, released.Int()+1, released.Events())
		if ready {
			s.deliveries.Deliver(store.Delivery{Thread: b.Thread, Kind: store.DeliverReady})
		}
		r.Join(released)
	}
	if p.letter != "" && res.Status == store.BeginAccepted {
		res.Headers = r.JSON()
	} else {
		res.Of = r.Text()
	}
	if r.More() {
		if execution := r.List(); execution.More() {
			x := threadlog.ReadExecution(execution)
			if p.waits != nil && x.Journal == nil {
				x.Frozen, x.Journal = p.waits.Frozen, append(slices.Clip(p.waits.Journal), p.decisions)
			}
			if threadlog.Told(x) { // else it is asked for
				res.Execution = x
			}
			r.Join(execution)
		}
	}
	return res, r.Err
}

// farAhead is the last time in Unix ms that Lua writes digit by digit. It is in
// the year 5138, and stands for all that is later.
const farAhead = 1e14 - 1

// waitUntil is a time to wait for in Unix ms; 0: none.
func waitUntil(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return min(max(t.UnixMilli(), 0), farAhead)
}

// beginParts are what kinds of Begin have, as the script gets it: what a kind has not
// is empty.
type beginParts struct {
	kind string
	store.Enqueue
	store.Claimed
	store.Fresh
	answers   map[string]json.RawMessage
	decided   []store.Decided
	decisions json.RawMessage
	waits     *store.ExecutionView
	letter    string
}

// partsOf takes a Begin apart, and refuses one that lacks what its kind needs.
func partsOf(b store.Begin) (p beginParts, err error) {
	if b.RunID == "" {
		return p, errors.New("a run has an id")
	}
	if b.MaxAttempts < 0 {
		return p, fmt.Errorf("%d attempts: a run has one attempt at least", b.MaxAttempts)
	}
	answers, fresh := false, false
	switch k := b.Kind.(type) {
	case store.Enqueue:
		if k.Cancelled[0] == nil || k.Cancelled[1] == nil {
			return p, errors.New("a queued run needs the events of its cancellation")
		}
		return beginParts{kind: "enqueue", Enqueue: k}, nil
	case store.Execute:
		p, fresh = beginParts{kind: "execute", Claimed: k.Claimed, Fresh: k.Fresh, letter: k.Letter}, true
	case store.Resume:
		p, answers = beginParts{kind: "resume", Claimed: k.Claimed, answers: k.Answers, decided: k.Decided, decisions: k.Decisions, waits: k.Waits}, true
		if k.Decisions == nil {
			return p, errors.New("answers need a journal entry")
		}
	case store.Steer:
		p, fresh, answers = beginParts{kind: "steer", Claimed: k.Claimed, Fresh: k.Fresh, answers: k.Answers, decided: k.Decided}, true, true
	case store.Requeue:
		p = beginParts{kind: "requeue", Claimed: k.Claimed, letter: k.Letter}
		if k.Letter == "" {
			return p, errors.New("there is no dead letter to requeue")
		}
	default:
		return p, errors.New("a run cannot begin in this way")
	}
	switch {
	case p.Token == "" || len(p.Events) == 0:
		return p, errors.New("a run that begins at once needs a token and its first event")
	case fresh && p.Frozen == nil:
		return p, errors.New("a new execution needs what its function sees")
	case answers && len(p.answers) == 0:
		return p, errors.New("a run that answers needs answers")
	case len(p.decided) != len(p.answers):
		return p, errors.New("each answer is recorded as a decision, and nothing else is")
	}
	for _, d := range p.decided {
		if _, given := p.answers[d.Interrupt]; !given {
			return p, fmt.Errorf("the run has no answer for interrupt %q, of which a decision is recorded", d.Interrupt)
		}
		switch d.Status {
		case store.DecisionResolved, store.DecisionCancelled, store.DecisionExpired:
		default:
			return p, fmt.Errorf("interrupt %q has the status %q: must be resolved, cancelled or expired", d.Interrupt, d.Status)
		}
	}
	return p, nil
}
