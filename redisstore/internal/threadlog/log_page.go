package threadlog

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
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
// strings are made of its elements twice. LRANGE needs to know where in the list a position is: who
// reads page after page does, and an element says whether it is that one. A script behind it in
// the same round trip says whether the list is still that log's.

const (
	PageBytes = 256 << 10 // about, of a page
	// PlainBytes is up to how many bytes there may be in a list that is read so: as many may
	// come of a log whose events are of very different sizes, once.
	PlainBytes = 2 << 20
)

// readLog reads the first of the events first..first+limit-1 of a log, of which some may be
// marks of snapshots.
func (s *Reader) readLog(ctx context.Context, t keyspace.Thread, epoch string, first int64, limit int) (store.RangeResult, error) {
	if log, ok := s.cache.Logs.known(t, first); ok && log.Epoch == epoch {
		if res, ok, err := s.plainPage(ctx, t, log, first, limit); ok || err != nil {
			return res, err
		}
	}
	r, err := s.conn.Run(ctx, s.rangeCall(t, epoch, first, limit))
	if err != nil {
		return store.RangeResult{}, err
	}
	res, list, log := readRange(r)
	if r.Err == nil && res.Status == store.RangeOK {
		res.Events, err = s.unpacked(t, log, list, first, limit)
	}
	return res, cmp.Or(r.Err, err)
}

func (s *Reader) rangeCall(t keyspace.Thread, epoch string, first int64, limit int) link.Call {
	return link.Call{Script: lua.Range, Keys: []string{t.Rec(), t.Log(), t.Big()}, Args: lua.Args{{"member", t.Member}, {"epoch", epoch},
		{"first", first}, {"limit", limit}, {"follow", s.conn.Settings.Follow.Milliseconds()}}}
}

var rangeStatus = [4]store.RangeStatus{store.RangeOK, store.RangeGone, store.RangeEpoch}

// readRange reads the script's answer.
func readRange(r *link.Reply) (res store.RangeResult, list [][]byte, log KnownLog) {
	res = store.RangeResult{Status: store.RangeStatus(rangeStatus[r.Int()&3]), End: store.Position{Epoch: r.Text(), Seq: r.Int()}}
	log = KnownLog{Epoch: res.End.Epoch, Events: res.End.Seq + 1 - r.Int(), Bytes: r.Int()}
	list, log.Place, log.Elements = r.Events(), r.Int(), r.Int()
	return res, list, log
}

// unpacked are the events of a page of elements from a position on, the first of which is where
// the log says. It notes where what comes next is.
func (s *Reader) unpacked(t keyspace.Thread, log KnownLog, page [][]byte, first int64, limit int) ([][]byte, error) {
	events, at, err := link.Elements(page, first, limit)
	if err != nil || len(page) == 0 {
		return [][]byte{}, err
	}
	if len(events) == 0 {
		return nil, fmt.Errorf("redisstore: %w: the log has no event at %d", store.ErrCorrupted, first)
	}
	bytes := 0
	for _, e := range page {
		bytes += len(e)
	}
	log.size = int64(bytes / len(page))
	if log.Place += int64(at); log.Place < log.Elements && log.Bytes <= PlainBytes {
		s.cache.Logs.Note(t, first+int64(len(events)), log)
	}
	return events, nil
}

// plainPage is readLog by LRANGE. Not ok: the script is to be asked.
func (s *Reader) plainPage(ctx context.Context, t keyspace.Thread, log KnownLog, first int64, limit int) (res store.RangeResult, ok bool, err error) {
	page, r, err := s.beside(ctx, t, log, min(limit, pieceEvents), s.rangeCall(t, log.Epoch, first, 0))
	if r == nil || err != nil {
		return res, false, err
	}
	res, _, now := readRange(r)
	if r.Err != nil || res.Status != store.RangeOK {
		return res, true, r.Err
	}
	s.heard(t, page, res.End)
	if slices.ContainsFunc(page.elements, link.Apart) {
		return res, false, nil
	}
	now.Place = log.Place
	res.Events, err = s.unpacked(t, now, page.elements, first, limit)
	return res, err == nil && len(res.Events) > 0, nil
}

// plain is a page of elements that LRANGE has read.
type plain struct {
	elements [][]byte
	place    int64 // in the list, of the first
	few      bool  // more was read than is in it
}

// heard notes how much of a log fills a page.
func (s *Reader) heard(t keyspace.Thread, page *plain, end store.Position) {
	if page.few {
		s.cache.Logs.Note(t, 0, KnownLog{Epoch: end.Epoch, uneven: end.Seq})
	}
}

// beside is a page of a log by LRANGE, and in the same round trip what a script says behind it. No
// reply: the script is to be asked alone.
func (s *Reader) beside(ctx context.Context, t keyspace.Thread, log KnownLog, limit int, c link.Call) (*plain, *link.Reply, error) {
	client, single := s.conn.Client.(*redis.Client)
	if !single {
		client = s.conn.Master(t.Rec())
	}
	count := log.fill(int64(limit))
	if client == nil || s.conn.Settings.Singly || count < 1 {
		return nil, nil, nil
	}
	if err := s.conn.Usable(); err != nil {
		return nil, nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, s.conn.Settings.Timeout)
	defer cancel()
	pipe := client.Pipeline()
	room := count*(log.each()+10)*5/4 + 1024 // a buffer that grows copies all that it has
	text := bytes.NewBuffer(make([]byte, 0, min(room, 2*PageBytes)))
	list := redis.NewRawWriteToCmd(ctx, text, "lrange", t.Log(), log.Place, log.Place+count-1)
	verdict := s.conn.Command(ctx, c)
	_, _ = pipe.Process(ctx, list), pipe.Process(ctx, verdict)
	_, _ = pipe.Exec(ctx) // each command has its own error
	if link.Redirected(verdict.Err()) || s.conn.Unrun(ctx, verdict) {
		return nil, nil, nil
	}
	r, err := link.Answered(c, verdict)
	if err != nil {
		s.conn.Reload(ctx, err)
		return nil, nil, err
	}
	elements, whole := bulkStrings(text.Bytes())
	if !whole {
		return nil, nil, nil
	}
	page := &plain{place: log.Place}
	page.elements, page.few = filled(elements)
	return page, r, nil
}

// filled are the first of some elements, as many as fill a page. Few: most of the bytes are
// those of the others, and what is returned does not keep them.
func filled(elements [][]byte) (page [][]byte, few bool) {
	n, size, all := 0, 0, 0
	for _, e := range elements {
		if all < PageBytes {
			n, size = n+1, size+len(e)
		}
		all += len(e)
	}
	if 2*size >= all {
		return elements[:n:n], false
	}
	page = make([][]byte, n)
	text := make([]byte, 0, size)
	for i, e := range elements[:n] {
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
	Epoch                   string
	Place                   int64 // in the list, of the element with some position
	Elements, Events, Bytes int64 // in the list
	size                    int64 // of an element of the page before; 0: not known
	uneven                  int64 // up to which position the sizes of elements do not say how many fill a page
	apart                   bool  // an event beside the list is too near for a page
}

// fill is how many elements from the place on fill a page, or have so many events, if they are much
// alike. What came since is not counted: its sizes are not known.
func (l KnownLog) fill(limit int64) int64 {
	n := l.Elements - l.Place
	if l.Place < 0 || n < 1 {
		return 0
	}
	return min(n, max(PageBytes/max(l.each(), 1), 1), limit+1, limit*l.Elements/max(l.Events, 1)+1)
}

// each is how many bytes an element has, as far as is known. Events of one kind come together.
func (l KnownLog) each() int64 { return max(l.size, l.Bytes/max(l.Elements, 1)) }

// keptLogs bounds knownLogs: the places that are read page after page at a time.
const keptLogs = 1024

// knownLogs are what was heard of logs that are read. It is believed only as far as it is
// checked: an element says its position.
type knownLogs struct {
	mu    sync.Mutex
	of    map[logPlace]KnownLog
	order [keptLogs]logPlace // a ring
	next  int                // in it: the oldest, if it is full
}

type logPlace struct {
	thread string // its base
	at     int64  // position; 0: the log as a whole
}

func (k *knownLogs) known(t keyspace.Thread, at int64) (KnownLog, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	log, ok := k.of[logPlace{t.Base, at}]
	whole := k.of[logPlace{t.Base, 0}]
	return log, ok && !log.apart && (log.Epoch != whole.Epoch || at > whole.uneven)
}

// Note takes in what was heard of a log, and where in its list a position is.
func (k *knownLogs) Note(t keyspace.Thread, at int64, log KnownLog) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.of == nil {
		k.of = map[logPlace]KnownLog{}
	}
	place := logPlace{t.Base, at}
	old, known := k.of[place]
	if old.apart && old.Epoch == log.Epoch {
		return
	}
	if !known {
		delete(k.of, k.order[k.next])
		k.order[k.next], k.next = place, (k.next+1)%keptLogs
	}
	k.of[place] = log
}
