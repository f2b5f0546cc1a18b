// Package threadlog reads threads: the snapshot that is stored, the log behind it, the
// messages in pages, the journal of an execution, and the branches that rewinds have left. It
// has the form in which a snapshot is stored, too.
package threadlog

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/internal/keyspace"
	"github.com/aguiws/aguiws/redisstore/internal/link"
	"github.com/aguiws/aguiws/redisstore/lua"
)

// missedEvents is how many of the events that a follower has missed come with a view, and with
// what else their elements have, up to missedMost. The others are read as pages of the log, which
// costs less than through a script.
const (
	missedEvents = 64
	missedMost   = 1024
)

// Reader are the calls that read threads and their logs. They wait for each other by the
// limits of each server's readers.
type Reader struct {
	conn    *link.Connection
	commits *link.GroupCommit
	cache   *Cache
}

// NewReader reads over a connection, by the turns that its queues give readers.
func NewReader(c *link.Connection, g *link.GroupCommit, kept *Cache) *Reader {
	return &Reader{conn: c, commits: g, cache: kept}
}

// askedMessages is how many messages one script is asked about.
const askedMessages = 1000

// Read implements store.Admission. What became of very many messages is asked in pieces, as long as no others
// are taken out of the thread. A long journal is read in pieces as long as the thread is the same.
func (s *Reader) Read(ctx context.Context, key store.ThreadKey, q store.ReadQuery) (*store.ThreadView, error) {
	ids := q.MessageIDs
	for range moveTries {
		q.MessageIDs = ids[:min(len(ids), askedMessages)]
		v, err := s.read(ctx, key, q)
		if err != nil || v.Version == 0 || v.Archived == nil {
			return v, err
		}
		if err = s.readMore(ctx, key, v, ids[len(q.MessageIDs):]); !errors.Is(err, errMoved) {
			return v, err
		}
	}
	return nil, errMoved
}

// readMore adds to a view the rest of a journal, and which of more messages were archived.
func (s *Reader) readMore(ctx context.Context, key store.ThreadKey, v *store.ThreadView, ids []string) error {
	t, pieces := s.conn.Keys.Thread(key), slices.Collect(slices.Chunk(ids, askedMessages))
	long := v.Execution != nil && !Told(v.Execution)
	if long {
		if err := s.readEntries(ctx, t, v.Execution); err != nil {
			return err
		}
		if pieces == nil {
			pieces = [][]string{nil} // which asks whether the thread is the same
		}
	}
	for _, some := range pieces {
		r, err := s.conn.Run(ctx, link.Call{Script: lua.Archived, Keys: []string{t.Rec(), t.Archive()}, Args: lua.Args{{"epoch", v.Epoch}, {"version", v.Version}, {"same", long}}, Rest: link.AppendStrings(nil, some)})
		if err != nil {
			return err
		}
		if !r.Bool() {
			return cmp.Or(r.Err, errMoved)
		}
		told := r.List()
		for _, id := range some {
			if told.More() && told.Bool() {
				v.Archived[id] = true
			}
		}
		r.Join(told)
		if r.Err != nil {
			return r.Err
		}
	}
	return nil
}

// read is one reading. Large threads are read a few at a time, and of
// one thread one at a time; who has to wait does so as long as its context allows.
func (s *Reader) read(ctx context.Context, key store.ThreadKey, q store.ReadQuery) (*store.ThreadView, error) {
	t := s.conn.Keys.Thread(key)
	follow := int64(0)
	if q.Follower {
		follow = s.conn.Settings.Follow.Milliseconds()
	}
	var after store.Position
	if q.After != nil {
		after = *q.After
	}
	var have store.Position
	if q.Have != nil {
		have = *q.Have
	}
	ask := func(most int, window any, missed int) link.Call {
		rest := link.AppendStrings(nil, q.InterruptIDs)
		rest = link.AppendStrings(rest, q.ToolCallIDs)
		return link.Call{Script: lua.Read, Keys: t.All(), Args: lua.Args{
			{"member", t.Member}, {"follow", follow}, {"sender", q.Sender}, {"epoch", after.Epoch}, {"seq", after.Seq},
			{"have", have.Epoch}, {"haveseq", have.Seq}, {"label", q.Label},
			{"run", q.RunID}, {"asked", len(q.InterruptIDs)}, {"calls", len(q.ToolCallIDs)}, {"inputs", q.Inputs},
			{"most", most}, {"missed", missed}, {"window", window}, {"room", windowBytes}, {"journal", q.Journal},
		}, Rest: link.AppendStrings(rest, q.MessageIDs)}
	}
	window := any("")
	if q.Window > 0 {
		window = q.Window
	}
	queues := s.commits.QueuesOf(t.Part)
	page, r, err := s.readSmall(ctx, queues.Small, t, after, func(missed int) link.Call { return ask(link.SmallRead, window, missed) })
	if err != nil {
		return nil, err
	}
	if len(r.Items) == 2 {
		size, recovered := r.Int(), r.Int() == fromWanted
		if q.Small {
			return &store.ThreadView{Thread: key, Large: max(size, 1), Recovered: recovered}, r.Err
		}
		if err := store.Room(ctx, size); err != nil {
			return nil, err
		}
		if err := queues.Large.Take(ctx, t.Base, size); err != nil {
			return nil, fmt.Errorf("redisstore: read: %w", err)
		}
		defer queues.Large.Give(t.Base, size)
		v, err := s.readLarge(ctx, t, q, func(window any) link.Call { return ask(0, window, missedEvents) })
		if err != nil {
			return nil, err
		}
		v.Thread = key
		return v, nil
	}
	r.Room = link.RoomOf(ctx)
	v, _, err := s.readView(t, r, q, page)
	if err == nil && q.Window > 0 {
		err = s.readRest(ctx, t, v)
	}
	if errors.Is(err, errMoved) { // or what was known of its log was wrong
		return s.read(ctx, key, q)
	}
	if err != nil {
		return nil, err
	}
	v.Thread = key
	return v, nil
}

// readSmall asks for a small thread. What a follower has missed is read beside it if it is known where
// the log has that: page, else nil.
func (s *Reader) readSmall(ctx context.Context, limit *link.ReadLimit, t keyspace.Thread, after store.Position, ask func(missed int) link.Call) (page *plain, r *link.Reply, err error) {
	if log, ok := s.cache.Logs.known(t, after.Seq+1); ok && log.Epoch == after.Epoch {
		if err := limit.Take(ctx, t.Base, 0); err != nil {
			return nil, nil, fmt.Errorf("redisstore: read: %w", err)
		}
		page, r, err = s.beside(ctx, t, log, missedMost, ask(0))
		limit.Give(t.Base, 0)
	}
	if r == nil && err == nil {
		r, err = s.runIn(ctx, limit, t, 0, ask(missedEvents))
	}
	return page, r, err
}

// runIn runs a script that reads so many bytes when it is its thread's turn.
func (s *Reader) runIn(ctx context.Context, limit *link.ReadLimit, t keyspace.Thread, bytes int64, c link.Call) (*link.Reply, error) {
	if err := limit.Take(ctx, t.Base, bytes); err != nil {
		return nil, fmt.Errorf("redisstore: %s: %w", c.Script.Name, err)
	}
	defer limit.Give(t.Base, bytes)
	return s.conn.Run(ctx, c)
}

// These say what the events of a view are after, as read.lua says it; 0 is the snapshot.
const (
	fromWanted = 1
	fromHave   = 2
)

// readView reads a view, and where its window begins. page is what a follower has missed, if that was
// read beside it.
func (s *Reader) readView(t keyspace.Thread, r *link.Reply, q store.ReadQuery, page *plain) (*store.ThreadView, *window, error) {
	v := &store.ThreadView{Now: time.UnixMilli(r.Int()), Version: r.Int(), Epoch: r.Text(), Base: r.Int(),
		Seq: r.Int(), Boundary: r.Int()}
	at, from := r.Int(), r.Int()
	elements := r.Events()
	stored := r.List()
	limit := math.MaxInt
	switch v.From = at; {
	case from == fromWanted && q.After != nil:
		v.From, limit = q.After.Seq, missedMost
	case from == fromHave:
		v.Held, v.From = true, q.Have.Seq
	}
	v.Suspension = r.JSON()
	v.Active = readRun(r)
	v.Latest = readRun(r)
	v.Run = readRun(r)
	labelled := r.List()
	for labelled.More() {
		if run := readRun(labelled); run != nil {
			v.Labelled = append(v.Labelled, *run)
		}
	}
	r.Join(labelled)
	queue := r.List()
	for queue.More() {
		v.Queue = append(v.Queue, store.QueuedRun{ID: queue.Text(), Record: queue.JSON(), Size: queue.Int(), Input: queue.JSON()})
	}
	r.Join(queue)
	v.QueueLength = int(r.Int())
	readKnown(v, r, q)
	v.DispatchEpoch, v.Paused = r.Int(), r.Bool()
	v.Drafts = r.JSONByID()
	v.Tenant, v.Title, v.Deleted, v.Bytes = r.Text(), r.Text(), r.Bool(), r.Int()
	v.Owner, v.Used = r.Text(), r.Bool()
	var w *window
	if told := r.List(); len(told.Items) > 0 {
		w = readWindow(told, false)
		r.Join(told)
	}
	log := KnownLog{Epoch: v.Epoch, Events: v.Seq + 1 - r.Int(), Bytes: r.Int(), Place: r.Int(), Elements: r.Int()}
	if w != nil {
		w.bytes = v.Bytes - log.Bytes
	}
	if waiting := r.List(); waiting.More() {
		v.Execution = readWaiting(waiting)
		r.Join(waiting)
	}
	if from != fromWanted {
		v.Snapshot = readSnapshot(stored, w, q)
		v.Snapshot.At = at
		r.Join(stored)
	}
	if r.Err != nil {
		return nil, nil, r.Err
	}
	return v, w, s.readEvents(t, v, log, elements, limit, from == fromWanted, page)
}

// readEvents unpacks the events of a view. They are wanted after its From, or are its log.
func (s *Reader) readEvents(t keyspace.Thread, v *store.ThreadView, log KnownLog, elements [][]byte, limit int, wanted bool, page *plain) error {
	least := 0 // of a page
	if page != nil && wanted {
		least = 1
		if slices.ContainsFunc(page.elements, link.Apart) {
			least = missedEvents
		}
		s.heard(t, page, store.Position{Epoch: v.Epoch, Seq: v.Seq})
		elements, log.Place = page.elements, page.place
	}
	events, err := s.unpacked(t, log, elements, v.From+1, limit)
	switch told := events[:link.Unmarked(events)]; {
	case len(told) < least:
		s.cache.Logs.Note(t, v.From+1, KnownLog{Epoch: v.Epoch, apart: least > 1})
		return errMoved
	case err != nil:
		return err
	case wanted:
		if page == nil && len(told) > 0 && v.From+int64(len(told)) < v.Seq && log.Bytes <= PlainBytes {
			s.cache.Logs.Note(t, v.From+1, log)
		}
		v.From, v.Recovered, v.Missed = 0, true, told
	default:
		v.Log = events
	}
	return nil
}

// readKnown reads what is known of the interrupts, calls and messages that were asked for.
func readKnown(v *store.ThreadView, r *link.Reply, q store.ReadQuery) {
	answers, asked, archived := r.List(), r.List(), r.List()
	v.Answers, v.Asked, v.Archived = map[string]json.RawMessage{}, map[string]bool{}, map[string]bool{}
	for _, id := range q.InterruptIDs {
		if a := answers.JSON(); a != nil {
			v.Answers[id] = a
		}
	}
	for _, id := range q.ToolCallIDs {
		if asked.Bool() {
			v.Asked[id] = true
		}
	}
	r.Join(answers)
	r.Join(asked)
	for _, id := range q.MessageIDs {
		if archived.More() && archived.Bool() {
			v.Archived[id] = true
		}
	}
	r.Join(archived)
}

func readRun(r *link.Reply) *store.RunState {
	l := r.List()
	if len(l.Items) == 0 {
		return nil
	}
	run := &store.RunState{ID: l.Text(), Record: l.JSON(), Status: store.RunStatus(l.Text()), RunStarted: l.Int(),
		Terminal: l.JSON(), Execution: l.Text(), LatestOfExe: l.Text()}
	r.Join(l)
	return run
}
