package threadlog

import (
	"bytes"
	"context"
	"slices"
	"strconv"
	"sync"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/internal/keyspace"
	"github.com/aguiws/aguiws/redisstore/internal/link"
	"github.com/aguiws/aguiws/redisstore/lua"
	"github.com/redis/go-redis/v9"
)

// A page of a log takes Redis a tenth of the time by LRANGE that it takes in a script, where
// strings are made of its events twice. LRANGE needs to know where the list begins. A
// script behind it in the same round trip says whether the list is still that log's. Within
// an epoch a log's beginning moves in one direction: if it was at a place at two looks, it
// was there between them too.

const (
	PageBytes = 256 << 10 // about, of a page
	// PlainBytes is up to how many bytes there may be in a list that is read so: as many may
	// come of a log whose events are of very different sizes, once.
	PlainBytes = 2 << 20
)

// readLog reads the first of the events first..first+limit-1 of a log, of which some may be
// marks of snapshots.
func (s *Reader) readLog(ctx context.Context, t keyspace.Thread, epoch string, first int64, limit int) (store.RangeResult, error) {
	if log, ok := s.cache.Logs.known(t); ok && log.Epoch == epoch && log.Base <= first && first <= log.End && log.Bytes <= PlainBytes && !log.uneven {
		if res, ok, err := s.plainPage(ctx, t, log, first, limit); ok || err != nil {
			return res, err
		}
	}
	r, err := s.conn.Run(ctx, s.rangeCall(t, epoch, first, limit))
	if err != nil {
		return store.RangeResult{}, err
	}
	res, _ := s.readRange(t, r)
	return res, r.Err
}

func (s *Reader) rangeCall(t keyspace.Thread, epoch string, first int64, limit int) link.Call {
	return link.Call{Script: lua.Range, Keys: []string{t.Rec(), t.Log(), t.Big()}, Args: lua.Args{{"member", t.Member}, {"epoch", epoch},
		{"first", first}, {"limit", limit}, {"follow", s.conn.Settings.Follow.Milliseconds()}}}
}

var rangeStatus = [4]store.RangeStatus{store.RangeOK, store.RangeGone, store.RangeEpoch}

// readRange reads the script's answer.
func (s *Reader) readRange(t keyspace.Thread, r *link.Reply) (store.RangeResult, KnownLog) {
	res := store.RangeResult{Status: store.RangeStatus(rangeStatus[r.Int()&3]), End: store.Position{Epoch: r.Text(), Seq: r.Int()}}
	log := KnownLog{Epoch: res.End.Epoch, Base: r.Int(), Bytes: r.Int(), End: res.End.Seq}
	res.Events = r.Events()
	if r.Err == nil && res.Status == store.RangeOK {
		s.cache.Logs.Note(t, log)
	}
	return res, log
}

// plainPage is readLog by LRANGE. Not ok: the script is to be asked.
func (s *Reader) plainPage(ctx context.Context, t keyspace.Thread, log KnownLog, first int64, limit int) (res store.RangeResult, ok bool, err error) {
	client, single := s.conn.Client.(*redis.Client)
	if !single {
		client = s.conn.Master(t.Rec())
	}
	if client == nil || s.conn.Settings.Singly {
		return res, false, nil
	}
	if err := s.conn.Usable(); err != nil {
		return res, false, err
	}
	ctx, cancel := context.WithTimeout(ctx, s.conn.Settings.Timeout)
	defer cancel()
	limit = int(min(int64(limit), log.fill(), log.End-first+1)) // of what came since no sizes are known
	check := s.rangeCall(t, log.Epoch, first, 0)
	pipe := client.Pipeline()
	text := bytes.NewBuffer(make([]byte, 0, log.expect(limit)))
	list := redis.NewRawWriteToCmd(ctx, text, "lrange", t.Log(), first-log.Base, first-log.Base+int64(limit)-1)
	verdict := s.conn.Command(ctx, check)
	_, _ = pipe.Process(ctx, list), pipe.Process(ctx, verdict)
	_, _ = pipe.Exec(ctx) // each command has its own error
	if link.Redirected(verdict.Err()) || s.conn.Unrun(ctx, verdict) {
		return res, false, nil
	}
	r, err := link.Answered(check, verdict)
	if err != nil {
		s.conn.Reload(ctx, err)
		return res, false, err
	}
	res, now := s.readRange(t, r)
	if r.Err != nil || res.Status != store.RangeOK {
		return res, true, r.Err
	}
	events, whole := bulkStrings(text.Bytes())
	if !whole || now.Base != log.Base {
		return res, false, nil
	}
	page, few := filled(events)
	if few {
		now.uneven = true
		s.cache.Logs.Note(t, now)
	}
	apart := slices.ContainsFunc(page, func(e []byte) bool { return string(e) == link.LargeMark })
	res.Events = page
	return res, !apart && (len(page) > 0 || first > res.End.Seq), nil
}

// filled are the first of some events, as many as fill a page. Few: most of the bytes are
// those of the others, and what is returned does not keep them.
func filled(events [][]byte) (page [][]byte, few bool) {
	n, size, all := 0, 0, 0
	for _, e := range events {
		if all < PageBytes {
			n, size = n+1, size+len(e)
		}
		all += len(e)
	}
	if 2*size >= all {
		return events[:n:n], false
	}
	page = make([][]byte, n)
	text := make([]byte, 0, size)
	for i, e := range events[:n] {
		text = append(text, e...)
		page[i] = text[len(text)-len(e) : len(text) : len(text)]
	}
	return page, true
}

// bulkStrings are those of an array, as RESP has it, each of them within the text, and nil for what
// is absent. Not whole: it is something else.
func bulkStrings(text []byte) (list [][]byte, whole bool) {
	number := func(kind byte) int {
		end := bytes.IndexByte(text, '\r')
		if end < 2 || text[0] != kind || len(text) < end+2 {
			return -1
		}
		n, err := strconv.ParseUint(string(text[1:end]), 10, 31)
		if err != nil {
			return -1
		}
		text = text[end+2:]
		return int(n)
	}
	n := number('*')
	if n < 0 || n > len(text) {
		return nil, false
	}
	list = make([][]byte, n)
	for i := range list {
		if n := absent(text); n > 0 {
			text = text[n:]
			continue
		}
		size := number('$')
		if size < 0 || len(text) < size+2 {
			return nil, false
		}
		list[i], text = text[:size:size], text[size+2:]
	}
	return list, len(text) == 0
}

// absent is how long what begins a text is, if that says that a value is not there; 0: it is.
func absent(text []byte) int {
	for _, nothing := range []string{"_\r\n", "$-1\r\n"} { // RESP3, RESP2
		if bytes.HasPrefix(text, []byte(nothing)) {
			return len(nothing)
		}
	}
	return 0
}

// KnownLog is what was last heard of a log.
type KnownLog struct {
	Epoch     string
	Base, End int64 // of the list's first event, and the last
	Bytes     int64 // in the list
	uneven    bool  // its events are too different for their number to say how many fill a page
}

// fill is how many of its events fill a page, if they are much alike.
func (l KnownLog) fill() int64 {
	if l.Bytes <= PageBytes {
		return pieceEvents
	}
	return max(PageBytes*(l.End-l.Base+1)/l.Bytes, 1)
}

// expect is about how many bytes so many of its events take on the wire.
func (l KnownLog) expect(events int) int64 {
	there := max(l.End-l.Base+1, 1)
	return min(int64(events), there)*(l.Bytes/there+10) + 512
}

// keptLogs bounds knownLogs: those that are read page after page at a time.
const keptLogs = 1024

// knownLogs are what was heard of logs that are read. It is believed only as far as it is
// checked.
type knownLogs struct {
	mu sync.Mutex
	of map[string]KnownLog // by the thread's base
}

func (k *knownLogs) known(t keyspace.Thread) (KnownLog, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	log, ok := k.of[t.Base]
	return log, ok
}

// Note takes in what was heard of a log.
func (k *knownLogs) Note(t keyspace.Thread, log KnownLog) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.of == nil {
		k.of = map[string]KnownLog{}
	}
	before, known := k.of[t.Base]
	if before.Epoch == log.Epoch && before.Base == log.Base {
		log.uneven = log.uneven || before.uneven
	}
	if !known && len(k.of) >= keptLogs {
		for other := range k.of { // any of them
			delete(k.of, other)
			break
		}
	}
	k.of[t.Base] = log
}
