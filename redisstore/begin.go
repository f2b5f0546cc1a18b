package redisstore

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
)

var beginStatus = []store.BeginStatus{store.BeginAccepted, store.BeginStale, store.BeginExpired,
	store.BeginDuplicate, store.BeginGone}

// begun are the verdicts after those that are a status.
var begun = map[int64]error{
	5: errors.New("redisstore: begin: a run is active"),
	6: errors.New("redisstore: begin: an interrupt is open and is not answered"),
	7: errors.New("redisstore: begin: no interrupt is open"),
	8: errors.New("redisstore: begin: another execution is suspended"),
}

const (
	middlePriority = 128
	lowestPriority = 255
	usualAttempts  = 3
)

// Begin implements store.Admission. What contradicts the version it names (a
// start while a run is active, answers to nothing) is an error.
func (s *Store) Begin(ctx context.Context, b store.Begin) (store.BeginResult, error) {
	how, err := howBegins(b)
	if err != nil {
		return store.BeginResult{}, fmt.Errorf("redisstore: begin: %w", err)
	}
	t := s.keys.thread(b.Thread)
	args := []any{t.member, b.Version, b.Deadline, s.opts.Keep.Milliseconds(), s.opts.Follow.Milliseconds(),
		s.opts.Lease.Milliseconds(), b.RunID, b.Label, b.Execution, compress(b.Record), how}
	switch how {
	case "queue":
		args = append(args, compress(b.Input), b.Cancelled[0], b.Cancelled[1])
	case "resume":
		args = append(args, b.Token, compress(b.Answer), b.Agent)
	default:
		args = append(args, b.Token, compress(b.Frozen), b.Agent)
	}
	available := waitUntil(b.Available)
	args = append(args, cmp.Or(b.Priority, middlePriority), cmp.Or(b.MaxAttempts, usualAttempts), b.Dedupe, available, b.Requeues)
	if how == "queue" {
		args = append(args, 0, 0, b.Tenant, cutTitle(b.Title), s.lookAfter())
	} else {
		args = append(args, len(b.Answers), len(b.Archive), b.Tenant, cutTitle(b.Title), s.lookAfter())
		for id, answer := range b.Answers {
			args = append(args, id, []byte(answer))
		}
		for id, message := range b.Archive {
			args = append(args, id, []byte(message))
		}
		args = s.appendEvents(args, b.Events)
	}
	r, err := s.run(ctx, call{beginScript, t.all(), args})
	if err != nil {
		return store.BeginResult{}, err
	}
	verdict := r.int()
	if err := begun[verdict]; err != nil {
		return store.BeginResult{}, err
	}
	if verdict < 0 || int(verdict) >= len(beginStatus) {
		return store.BeginResult{}, fmt.Errorf("redisstore: begin: verdict %d", verdict)
	}
	res := store.BeginResult{Status: beginStatus[verdict], Start: store.Position{Seq: r.int(), Epoch: r.string()}}
	claimed, epoch := r.bool(), r.int()
	if claimed {
		res.Claim = store.Claim{Thread: b.Thread, RunID: b.RunID, Token: b.Token, DispatchEpoch: epoch}
		s.logged(b.Thread, res.Start.Epoch, res.Start.Seq+1, b.Events)
	}
	if released := r.list(); released.more() {
		ready := released.bool()
		s.logged(b.Thread, res.Start.Epoch, released.int()+1, released.events())
		if ready {
			s.deliver(store.Delivery{Thread: b.Thread, Kind: store.DeliverReady})
		}
		r.join(released)
	}
	res.Of = r.string()
	return res, r.err
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

func howBegins(b store.Begin) (string, error) {
	if b.RunID == "" {
		return "", errors.New("a run has an id")
	}
	if b.Priority < 0 || b.Priority > lowestPriority || b.MaxAttempts < 0 {
		return "", fmt.Errorf("priority %d, %d attempts: a priority is 1 to %d, a run has one attempt at least",
			b.Priority, b.MaxAttempts, lowestPriority)
	}
	if b.Queue {
		if b.Requeues != "" {
			return "", errors.New("what goes on with a dead letter does not wait")
		}
		if b.Cancelled[0] == nil || b.Cancelled[1] == nil {
			return "", errors.New("a queued run needs the events of its cancellation")
		}
		return "queue", nil
	}
	if !b.Available.IsZero() {
		return "", errors.New("only a queued run waits for its time")
	}
	if b.Token == "" || len(b.Events) == 0 {
		return "", errors.New("a run that starts needs a token and its first event")
	}
	switch {
	case len(b.Answers) > 0 && b.Requeues != "":
		return "", errors.New("a dead letter's execution has no open interrupt")
	case len(b.Answers) > 0 && b.Frozen != nil:
		return "steer", nil
	case len(b.Answers) > 0:
		if b.Answer == nil {
			return "", errors.New("answers need a journal record")
		}
		return "resume", nil
	case b.Frozen != nil:
		return "new", nil
	case b.Requeues != "":
		return "requeue", nil
	}
	return "", errors.New("neither a new execution nor answers to one")
}

func appendBytes[S ~[]byte](args []any, items []S) []any {
	for _, b := range items {
		args = append(args, []byte(b))
	}
	return args
}
