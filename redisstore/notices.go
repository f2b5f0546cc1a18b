package redisstore

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/internal/link"
	"github.com/aguiws/aguiws/redisstore/lua"
	"github.com/redis/go-redis/v9"
)

const (
	noticePage     = 100
	noticePageMost = 1000

	// A blocking read is cut short now and then, so that whoever waits hears of the end.
	noticeBlock = time.Second
	// Masters of a Cluster are asked again and again while somebody waits.
	noticePoll = 300 * time.Millisecond

	reasonTold = 128 // bytes of a reason that a notice has at most
)

// notices reads the partitions' Notice Streams as one.
type notices struct {
	conn    *link.Connection
	waiting redis.UniversalClient // over which somebody waits for the next one
	age     time.Duration         // for which a notice is kept
}

func newNotices(c *link.Connection, age time.Duration) *notices {
	s := &notices{conn: c, waiting: link.Beside(c.Client, c.Settings.Timeout), age: age}
	c.AtClose(nil, s.closeWaiting)
	return s
}

func packReasons(reasons []string) []byte {
	told := make([]string, len(reasons))
	for i, r := range reasons {
		told[i] = link.Cut(r, reasonTold)
	}
	return link.Pack(nil, told...)
}

// packSummaries is nothing where there are none.
func packSummaries(list []store.InterruptSummary) []byte {
	if len(list) == 0 {
		return []byte{}
	}
	text, err := json.Marshal(list)
	if err != nil {
		return []byte{} // which texts and flags never are
	}
	return text
}

func (s *notices) closeWaiting() error {
	if s.waiting == s.conn.Client {
		return nil
	}
	return s.waiting.Close()
}

// Notices implements store.Notices. On one server who waits has a connection of its own
// to wait on. On a Cluster the masters are asked three times a second.
func (s *notices) Notices(ctx context.Context, q store.NoticeQuery) (store.NoticePage, error) {
	page, err := s.noticesBehind(ctx, q)
	if err != nil && !errors.Is(err, store.ErrPartial) {
		err = fmt.Errorf("redisstore: notices: %w", err)
	}
	return page, err
}

func (s *notices) noticesBehind(ctx context.Context, q store.NoticeQuery) (store.NoticePage, error) {
	if q.Limit < 0 {
		return store.NoticePage{}, fmt.Errorf("a page of %d is not possible", q.Limit)
	}
	limit := min(cmp.Or(q.Limit, noticePage), noticePageMost)
	at, err := readPlaces(q.After, len(s.conn.Keys.Parts))
	if err != nil {
		return store.NoticePage{}, err
	}
	if q.After == "" && !q.From.IsZero() {
		at = placesAt(q.From, len(s.conn.Keys.Parts))
	}
	for until := time.Now().Add(q.Wait); ; {
		page, passed, err := s.readNotices(ctx, at, limit)
		left := time.Until(until)
		if passed && len(page.Notices) == 0 && !page.Missed && err == nil && ctx.Err() == nil {
			continue // nothing of it can be read, and more may be behind it
		}
		if len(page.Notices) > 0 || page.Missed || left <= 0 || err != nil && !errors.Is(err, store.ErrPartial) {
			return page, err
		}
		s.await(ctx, at, left)
		switch {
		case ctx.Err() != nil:
			return page, ctx.Err()
		case s.conn.Usable() != nil:
			return page, s.conn.Usable()
		}
	}
}

// found is an entry of a partition's stream.
type found struct {
	part    int
	at      streamID
	notices []map[string]string
	given   uint64 // how many of them have been given before
}

// readNotices reads the next page behind places, and moves them behind it. It reports
// whether there were entries, of which some may be none that can be read.
func (s *notices) readNotices(ctx context.Context, at *noticePlaces, limit int) (page store.NoticePage, passed bool, err error) {
	answers, clock, missing := s.askNotices(ctx, at, min(limit/4, s.conn.Settings.NoticesKept)+2)
	if clock == 0 {
		return page, false, missing
	}
	var all []found
	ends := make([]bool, len(at.parts))
	for i, answer := range answers {
		if answer == nil {
			continue // its master does not answer, or nobody can read it
		}
		entries, more := answer.List(), answer.Bool()
		ends[i] = !more
		list := readEntries(entries, i)
		p := &at.parts[i]
		if p.now {
			*p = noticePlace{}
			if len(list) > 0 {
				*p = noticePlace{streamID: list[0].at, entry: true}
			}
			continue
		}
		switch {
		case p.entry && len(list) > 0 && list[0].at == p.streamID:
			if list[0].given = p.given; p.given == 0 {
				list = list[1:]
			}
		case p.entry:
			page.Missed, p.entry, p.given = true, false, 0
		case answer.More() && len(list) > 0:
			length, first := answer.Int(), answer.Text()
			page.Missed = page.Missed || length >= int64(s.conn.Settings.NoticesKept) && first == list[0].at.String()
		}
		if p.ms > 0 && clock-p.ms > s.age.Milliseconds() {
			page.Missed = true
		}
		all = append(all, list...)
	}
	slices.SortStableFunc(all, func(a, b found) int { return cmp.Compare(a.at.ms, b.at.ms) })
	for _, f := range all {
		if len(page.Notices) == limit {
			ends[f.part] = false
			continue
		}
		page.Notices, at.parts[f.part] = f.giveTo(page.Notices, limit)
		ends[f.part] = ends[f.part] && at.parts[f.part].given == 0
	}
	at.settle(ends, clock)
	page.Next = at.String()
	return page, len(all) > 0, missing
}

// giveTo adds its notices to a list, up to a limit, and tells the place behind them.
func (f found) giveTo(list []store.Notice, limit int) ([]store.Notice, noticePlace) {
	place := noticePlace{streamID: f.at, entry: true}
	for nth := int(f.given); nth < len(f.notices); nth++ {
		if len(list) == limit {
			place.given = uint64(nth)
			break
		}
		if n, err := noticeOf(f.part, noticeIn(f.at.String(), nth), f.notices[nth]); err == nil && n.Kind != "" {
			list = append(list, n)
		}
	}
	return list, place
}

// askNotices reads so many entries of each partition, and the servers' clock, the one that
// is most behind; 0: nobody answers. An answer is nil where there is none.
func (s *notices) askNotices(ctx context.Context, at *noticePlaces, count int) (answers []*link.Reply, clock int64, missing error) {
	var calls []link.Call
	var of [][]int
	for i := range s.conn.Keys.Parts {
		if len(calls) == 0 || !s.conn.OneSlot() {
			calls, of = append(calls, link.Call{Script: lua.Notices, Args: lua.Args{{"count", count}}}), append(of, nil)
		}
		c := &calls[len(calls)-1]
		c.Keys = append(c.Keys, s.conn.Keys.Parts[i].Notices)
		c.Rest = lua.Notices.Group(c.Rest, lua.Args{{"from", at.parts[i].from()}})
		of[len(of)-1] = append(of[len(of)-1], i)
	}
	answers = make([]*link.Reply, len(s.conn.Keys.Parts))
	replies, errs := s.conn.RunAll(ctx, calls)
	for c, r := range replies {
		if link.RefusedWith(errs[c], "CROSSSLOT") && !s.conn.Apart.Swap(true) {
			return s.askNotices(ctx, at, count)
		}
		if errs[c] != nil {
			missing = cmp.Or(missing, errs[c])
			continue
		}
		if now := r.Int(); clock == 0 || now < clock {
			clock = now
		}
		for _, i := range of[c] {
			if answer := r.List(); r.Err == nil && answer.More() {
				answers[i] = answer
			}
		}
	}
	if missing != nil && clock > 0 {
		missing = fmt.Errorf("redisstore: notices: %w: %w", store.ErrPartial, missing)
	}
	return answers, clock, missing
}

// await returns when there may be something behind places, or after a while.
func (s *notices) await(ctx context.Context, at *noticePlaces, longest time.Duration) {
	if !s.conn.OneSlot() {
		pause(ctx, s.conn.Closing, min(longest, noticePoll))
		return
	}
	block := min(longest, noticeBlock)
	ctx, cancel := context.WithTimeout(ctx, block+s.conn.Settings.Timeout)
	defer cancel()
	a := &redis.XReadArgs{Count: 1, Block: max(block, time.Millisecond)}
	for i := range s.conn.Keys.Parts {
		a.Streams = append(a.Streams, s.conn.Keys.Parts[i].Notices)
	}
	for i := range at.parts {
		a.Streams = append(a.Streams, at.parts[i].behind())
	}
	if err := s.waiting.XRead(ctx, a).Err(); err != nil && !errors.Is(err, redis.Nil) {
		pause(ctx, s.conn.Closing, min(longest, noticePoll))
	}
}

func pause(ctx context.Context, closing <-chan struct{}, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	case <-closing:
	}
}

// readEntries reads those of a partition, as far as they can be read.
func readEntries(r *link.Reply, part int) (list []found) {
	for r.More() {
		e := r.List()
		id, ok := readStreamID(e.Text())
		if e.Err != nil || !ok {
			continue
		}
		var words []string
		for fields := e.List(); fields.More(); {
			words = append(words, fields.Text())
		}
		list = append(list, found{part: part, at: id, notices: noticesOf(words)})
	}
	return list
}
