package redisstore

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/internal/keyspace"
	"github.com/aguiws/aguiws/redisstore/lua"
)

// missedEvents is how many of the events that a follower has missed come with a view. The
// others are read as pages of the log, which costs less than through a script.
const missedEvents = 64

// reads are the calls that read threads and their logs. They wait for each other by the
// limits of each server's readers.
type reads struct {
	conn    *connection
	commits *groupCommit
	logs    knownLogs
	made    madeEvents
}

// Read implements store.Admission. Large threads are read a few at a time, and of
// one thread one at a time; who has to wait does so as long as its context allows.
func (s *reads) Read(ctx context.Context, key store.ThreadKey, q store.ReadQuery) (*store.ThreadView, error) {
	t := s.conn.keys.Thread(key)
	follow := int64(0)
	if q.Follower {
		follow = s.conn.settings.Follow.Milliseconds()
	}
	var after store.Position
	if q.After != nil {
		after = *q.After
	}
	var have store.Position
	if q.Have != nil {
		have = *q.Have
	}
	ask := func(most int, window any) call {
		rest := appendStrings(nil, q.InterruptIDs)
		rest = appendStrings(rest, q.ToolCallIDs)
		return call{lua.Read, t.All(), lua.Args{
			{"member", t.Member}, {"follow", follow}, {"sender", q.Sender}, {"epoch", after.Epoch}, {"seq", after.Seq},
			{"have", have.Epoch}, {"haveseq", have.Seq}, {"label", q.Label},
			{"run", q.RunID}, {"asked", len(q.InterruptIDs)}, {"calls", len(q.ToolCallIDs)}, {"inputs", q.Inputs},
			{"most", most}, {"missed", missedEvents}, {"window", window}, {"room", windowBytes}, {"journal", q.Journal},
		}, appendStrings(rest, q.MessageIDs)}
	}
	window := any("")
	if q.Window > 0 {
		window = q.Window
	}
	queues := s.commits.queuesOf(t.Part)
	r, err := s.runIn(ctx, queues.small, t, 0, ask(smallRead, window))
	if err != nil {
		return nil, err
	}
	if len(r.items) == 2 {
		size, recovered := r.int(), r.int() == fromWanted
		if q.Small {
			return &store.ThreadView{Thread: key, Large: max(size, 1), Recovered: recovered}, r.err
		}
		if err := store.Room(ctx, size); err != nil {
			return nil, err
		}
		if err := queues.large.take(ctx, t.Base, size); err != nil {
			return nil, fmt.Errorf("redisstore: read: %w", err)
		}
		defer queues.large.give(t.Base, size)
		v, err := s.readLarge(ctx, t, q, func(window any) call { return ask(0, window) })
		if err != nil {
			return nil, err
		}
		v.Thread = key
		return v, nil
	}
	r.room = roomOf(ctx)
	v, _, err := s.readView(t, r, q)
	if err == nil && q.Window > 0 {
		err = s.readRest(ctx, t, v)
	}
	if errors.Is(err, errMoved) { // else it would have been large
		return s.Read(ctx, key, q)
	}
	if err != nil {
		return nil, err
	}
	v.Thread = key
	return v, nil
}

// runIn runs a script that reads so many bytes when it is its thread's turn.
func (s *reads) runIn(ctx context.Context, limit *readLimit, t keyspace.Thread, bytes int64, c call) (*reply, error) {
	if err := limit.take(ctx, t.Base, bytes); err != nil {
		return nil, fmt.Errorf("redisstore: %s: %w", c.script.Name, err)
	}
	defer limit.give(t.Base, bytes)
	return s.conn.run(ctx, c)
}

// These say what the events of a view are after, as read.lua says it; 0 is the snapshot.
const (
	fromWanted = 1
	fromHave   = 2
)

// readView reads a view, and where its window begins.
func (s *reads) readView(t keyspace.Thread, r *reply, q store.ReadQuery) (*store.ThreadView, *window, error) {
	v := &store.ThreadView{Now: time.UnixMilli(r.int()), Version: r.int(), Epoch: r.string(), Base: r.int(),
		Seq: r.int(), Boundary: r.int()}
	at, from := r.int(), r.int()
	events := r.events()
	stored := r.list()
	switch from {
	case fromWanted:
		v.Recovered, v.Missed = true, events[:unmarked(events)]
	case fromHave:
		v.Held, v.From, v.Log = true, q.Have.Seq, events
	default:
		v.From, v.Log = at, events
	}
	v.Suspension = r.json()
	v.Active = readRun(r)
	v.Latest = readRun(r)
	v.Run = readRun(r)
	labelled := r.list()
	for labelled.more() {
		if run := readRun(labelled); run != nil {
			v.Labelled = append(v.Labelled, *run)
		}
	}
	r.join(labelled)
	queue := r.list()
	for queue.more() {
		v.Queue = append(v.Queue, store.QueuedRun{ID: queue.string(), Record: queue.json(), Size: queue.int(), Input: queue.json()})
	}
	r.join(queue)
	v.QueueLength = int(r.int())
	readKnown(v, r, q)
	v.DispatchEpoch, v.Paused = r.int(), r.bool()
	v.Drafts = r.jsonByID()
	v.Tenant, v.Title, v.Deleted, v.Bytes = r.string(), r.string(), r.bool(), r.int()
	v.Owner, v.Used = r.string(), r.bool()
	var w *window
	if told := r.list(); len(told.items) > 0 {
		w = readWindow(told)
		r.join(told)
	}
	log := knownLog{epoch: v.Epoch, base: r.int(), bytes: r.int(), end: v.Seq}
	if waiting := r.list(); waiting.more() {
		v.Execution = readWaiting(waiting)
		r.join(waiting)
	}
	if from != fromWanted {
		v.Snapshot = readSnapshot(stored, w)
		v.Snapshot.At = at
		r.join(stored)
	}
	if r.err != nil {
		return nil, nil, r.err
	}
	told := v.From + int64(len(v.Log))
	if from == fromWanted && q.After != nil {
		told = q.After.Seq + int64(len(v.Missed))
	}
	if told < v.Seq {
		s.logs.note(t, log) // the others are asked for next
	}
	return v, w, nil
}

// readKnown reads what is known of the interrupts, calls and messages that were asked for.
func readKnown(v *store.ThreadView, r *reply, q store.ReadQuery) {
	answers, asked, archived := r.list(), r.list(), r.list()
	v.Answers, v.Asked, v.Archived = map[string]json.RawMessage{}, map[string]bool{}, map[string]bool{}
	for _, id := range q.InterruptIDs {
		if a := answers.json(); a != nil {
			v.Answers[id] = a
		}
	}
	for _, id := range q.ToolCallIDs {
		if asked.bool() {
			v.Asked[id] = true
		}
	}
	r.join(answers)
	r.join(asked)
	for _, id := range q.MessageIDs {
		if archived.more() && archived.bool() {
			v.Archived[id] = true
		}
	}
	r.join(archived)
}

func readRun(r *reply) *store.RunState {
	l := r.list()
	if len(l.items) == 0 {
		return nil
	}
	run := &store.RunState{ID: l.string(), Record: l.json(), Status: store.RunStatus(l.string()), RunStarted: l.int(),
		Terminal: l.json(), Execution: l.string(), LatestOfExe: l.string()}
	r.join(l)
	return run
}
