package threadlog

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/internal/keyspace"
	"github.com/aguiws/aguiws/redisstore/internal/link"
	"github.com/aguiws/aguiws/redisstore/lua"
)

// pageMessages is how many messages a page has if nobody says so.
const pageMessages = 50

var errPlace = fmt.Errorf("%w: read the thread's last messages again", store.ErrBadCursor)

// What messages.lua answers.
const (
	messagesMoved = iota // the snapshot has another beginning
	messagesPlace        // something else stands there
	messagesRead
)

// Messages implements store.Messages. A place that has moved is looked for in the order.
func (s *Reader) Messages(ctx context.Context, key store.ThreadKey, q store.MessageQuery) (store.MessagePage, error) {
	t, limit := s.conn.Keys.Thread(key), q.Limit
	if limit <= 0 {
		limit = pageMessages
	}
	chunk, at, older := any(""), orderPlace{}, int64(-1)
	if q.Before != "" {
		var err error
		if at, older, err = placeOf(q.Before); err != nil {
			return store.MessagePage{}, err
		}
		chunk = at.chunk
	}
	by := 1
	if q.Bare {
		by = 2
	}
	small := s.commits.QueuesOf(t.Part).Small
	r, err := s.runIn(ctx, small, t, 0, link.Call{Script: lua.Messages, Keys: []string{t.Rec(), t.Snap(), t.Producers()}, Args: lua.Args{{"epoch", ""}, {"moved", ""},
		{"chunk", chunk}, {"offset", at.offset}, {"id", at.id}, {"limit", limit}, {"first", 0}, {"room", windowBytes}, {"by", by}}, Rest: nil})
	if err != nil {
		return store.MessagePage{}, err
	}
	if what := r.Int(); what != messagesRead {
		if r.Err != nil {
			return store.MessagePage{}, r.Err
		}
		return s.messagesOf(ctx, t, at.id, limit)
	}
	r.Room = link.RoomOf(ctx)
	w := readWindow(r, true)
	spans := r.List()
	producers := readProducers(spans, w.ids)
	if r.Join(spans); r.Err != nil {
		return store.MessagePage{}, r.Err
	}
	if older >= 0 {
		w.all = older // those behind the place do not count
	}
	return store.MessagePage{Messages: w.messages, Older: w.older(), Before: w.cursor(), Producers: producers}, nil
}

// orderPiece is how many chunks of an order are read at once.
const orderPiece = 32

// messagesOf is a page before a message of which only the id is known, "" for the end.
func (s *Reader) messagesOf(ctx context.Context, t keyspace.Thread, id string, limit int) (store.MessagePage, error) {
	ctx, cancel := context.WithTimeout(ctx, s.conn.Settings.Timeout)
	defer cancel()
	ids, err := s.orderOf(ctx, t)
	if err != nil {
		return store.MessagePage{}, err
	}
	end := len(ids)
	if id != "" {
		if end = slices.Index(ids, id); end < 0 {
			return store.MessagePage{}, errPlace
		}
	}
	w := window{first: orderPlace{id: id}, all: int64(end), told: int64(min(limit, end))}
	r := link.Reply{Name: "messages", Room: link.RoomOf(ctx)}
	if w.told > 0 {
		names := []string{"x"}
		for _, id := range ids[end-int(w.told) : end] {
			names = append(names, "m"+id, "z:"+id)
		}
		if r.Items, err = s.conn.Client.HMGet(ctx, t.Snap(), names...).Result(); err != nil {
			return store.MessagePage{}, link.Error("read messages", err)
		}
		w.first = orderPlace{offset: w.all - w.told, id: ids[end-int(w.told)]} // nothing stands there: it is looked for again
		count := piecesCount(r.Text())
		for r.More() {
			m, other := r.JSON(), r.JSON()
			if count && other != nil {
				m = other
			}
			if m != nil {
				w.messages = append(w.messages, m)
			}
		}
	}
	return store.MessagePage{Messages: w.messages, Older: w.older(), Before: w.cursor()}, r.Err
}

// orderOf reads the ids of a thread's messages in pieces.
func (s *Reader) orderOf(ctx context.Context, t keyspace.Thread) ([]string, error) {
	head, err := s.conn.Client.HMGet(ctx, t.Snap(), "n").Result()
	if err != nil {
		return nil, link.Error("read the order of messages", err)
	}
	r := link.Reply{Name: "messages", Items: head, Room: link.RoomOf(ctx)}
	count := r.Text()
	if count == "" {
		return nil, nil
	}
	chunks := map[string]string{"n": count}
	length, _, _ := strings.Cut(strings.TrimPrefix(count, "-"), " ")
	n, _ := strconv.Atoi(length) // else what is read says so
	for first := 0; first < n; first += orderPiece {
		var names []string
		for i := first; i < min(first+orderPiece, n); i++ {
			names = append(names, orderName(count)+strconv.Itoa(i))
		}
		texts, err := s.conn.Client.HMGet(ctx, t.Snap(), names...).Result()
		if err != nil {
			return nil, link.Error("read the order of messages", err)
		}
		for i, text := range texts {
			if text, ok := text.(string); ok {
				chunks[names[i]] = text
			}
		}
	}
	return readOrder(&r, chunks), r.Err
}
