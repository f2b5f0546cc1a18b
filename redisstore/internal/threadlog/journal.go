package threadlog

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/internal/keyspace"
	"github.com/aguiws/aguiws/redisstore/internal/link"
	"github.com/aguiws/aguiws/redisstore/lua"
)

// Journal implements store.Worker. A script tells the first entries, and how many there are. Those behind are read outside
// of scripts. While the claim is held nobody takes entries out, so that a claim that is held behind that, too, has read the
// journal of one moment.
func (s *Reader) Journal(ctx context.Context, c store.Claim) (*store.ExecutionView, error) {
	for range moveTries {
		r, err := s.journal(ctx, c, false)
		if err != nil {
			return nil, err
		}
		e := ReadExecution(r)
		if err = r.Err; err == nil && !Told(e) {
			if err = s.readEntries(ctx, s.conn.Keys.Thread(c.Thread), e); err == nil {
				_, err = s.journal(ctx, c, true)
			}
		}
		if err == nil {
			return e, nil
		}
		if !errors.Is(err, errMoved) {
			return nil, err
		}
	}
	return nil, errMoved
}

// journal asks for a journal, or whether the claim is held.
func (s *Reader) journal(ctx context.Context, c store.Claim, known bool) (*link.Reply, error) {
	r, err := s.conn.Run(ctx, link.Call{Script: lua.Journal, Keys: s.conn.Keys.Thread(c.Thread).All(),
		Args: lua.Args{{"run", c.RunID}, {"token", c.Token}, {"depoch", c.DispatchEpoch}, {"known", known}}})
	if err == nil && !r.More() {
		err = store.ErrClaimLost
	}
	return r, err
}

// Told reports whether all of a journal has been read: what has not is nil.
func Told(e *store.ExecutionView) bool {
	return len(e.Journal) == 0 || e.Journal[len(e.Journal)-1] != nil
}

// readEntries reads the entries of a journal that did not come with the execution. errMoved: it has not as many by now.
func (s *Reader) readEntries(ctx context.Context, t keyspace.Thread, e *store.ExecutionView) error {
	room, n, bytes := link.RoomOf(ctx), 0, 0
	for ; e.Journal[n] != nil; n++ {
		bytes += len(e.Journal[n])
	}
	for n < len(e.Journal) {
		count := max(min(PageBytes*n/max(bytes, 1), pieceEvents, len(e.Journal)-n), 1)
		cmd := redis.NewSliceCmd(ctx, "lrange", t.Journal(), n, n+count-1)
		if err := link.Ask(ctx, s.conn, []*redis.SliceCmd{cmd})[0]; err != nil && !link.WrongType(err) {
			return err
		}
		if len(cmd.Val()) < count {
			return errMoved
		}
		for r := (&link.Reply{Name: "journal", Items: cmd.Val(), Room: room}); r.More(); n++ {
			if e.Journal[n] = r.JSON(); r.Err != nil {
				return r.Err
			}
			bytes += len(e.Journal[n])
		}
	}
	return nil
}

// ReadExecution reads what journal.lua returns of a claim that is held.
func ReadExecution(r *link.Reply) *store.ExecutionView {
	e := readWaiting(r)
	e.RunStarted, e.Crashes = r.Int(), int(r.Int())
	e.Active = time.Duration(r.Int()) * time.Millisecond
	e.Undo = r.JSON()
	return e
}

// readWaiting reads an execution, whether or not somebody carries it.
func readWaiting(r *link.Reply) *store.ExecutionView {
	e := &store.ExecutionView{ID: r.Text(), Agent: r.Text(), Frozen: r.JSON(), Began: time.UnixMilli(r.Int())}
	entries := r.List()
	for entries.More() {
		e.Journal = append(e.Journal, entries.JSON())
	}
	r.Join(entries)
	if more := int(r.Int()) - len(e.Journal); more > 0 {
		e.Journal = append(e.Journal, make([]json.RawMessage, more)...)
	}
	return e
}
