// Package notices tells any number of watchers what the store's notices say, by one
// reading for all of them.
//
// A Feed reads at the end and keeps what came last. A watcher that keeps up is given that.
// A watcher that comes with a cursor, or has fallen behind, reads for itself until it has
// caught up. A watcher is given what it asks for: nothing is gathered for one that does not
// ask.
package notices

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
)

// Source is what notices are read from.
type Source interface {
	Notices(ctx context.Context, q store.NoticeQuery) (store.NoticePage, error)
}

// Options of a Feed. Zero values are the defaults.
type Options struct {
	Wait    time.Duration // of one reading for what is to come; 0: 20 s
	Timeout time.Duration // of a reading beyond that; 0: 8 s
	Kept    int           // notices that are kept for watchers; 0: 4,096
	// Failed is told of a reading that failed, and Read of each one: whether it was for
	// all watchers. nil: nobody is.
	Failed func(error)
	Read   func(forAll bool)
}

const (
	// pageSize is how many notices are read at once.
	pageSize = 200
	// maxPages bounds how many pages are kept, of however few notices.
	maxPages = 1024

	backoffFirst = 100 * time.Millisecond
	backoffMost  = 5 * time.Second
)

// Feed is what watchers watch. Its methods may be called concurrently.
type Feed struct {
	source Source
	opts   Options

	mu       sync.Mutex
	watchers map[Topic]map[*Watcher]struct{}
	count    int
	stop     context.CancelFunc // of the reading; nil: nobody watches
	reading  sync.WaitGroup
	closed   bool

	head  string // behind the last page; "": not known
	first int64  // number of the first page
	pages []page
	kept  int // notices in pages
}

type page struct {
	before, next string // cursors
	items        []Item
	missed       bool
}

// New makes a feed. Close ends it.
func New(source Source, opts Options) *Feed {
	if opts.Wait == 0 {
		opts.Wait = 20 * time.Second
	}
	if opts.Timeout == 0 {
		opts.Timeout = 8 * time.Second
	}
	if opts.Kept == 0 {
		opts.Kept = 4096
	}
	return &Feed{source: source, opts: opts, watchers: map[Topic]map[*Watcher]struct{}{}}
}

// Close ends the reading. Watchers are told nothing more.
func (f *Feed) Close() {
	f.mu.Lock()
	f.closed = true
	f.halt()
	f.mu.Unlock()
	f.reading.Wait()
}

// halt forgets what was read. It must be called with the lock held.
func (f *Feed) halt() {
	if f.stop != nil {
		f.stop()
		f.stop = nil
	}
	f.first += int64(len(f.pages))
	f.head, f.pages, f.kept = "", nil, 0
}

// begin reads, if nobody does. It must be called with the lock held.
func (f *Feed) begin() {
	if f.stop != nil || f.closed {
		return
	}
	ctx, stop := context.WithCancel(context.Background())
	f.stop = stop
	f.reading.Go(func() { f.read(ctx) })
}

// read reads what comes, until ctx ends.
func (f *Feed) read(ctx context.Context) {
	after, failures, missed := "", 0, false
	for ctx.Err() == nil {
		q := store.NoticeQuery{After: after, Limit: pageSize, Wait: f.opts.Wait}
		if after == "" {
			q.Wait = 0 // what comes is told from a cursor on
		}
		got, err := f.fetch(ctx, q, true)
		usable := err == nil || errors.Is(err, store.ErrPartial) && got.Next != ""
		if usable && (after == "" || len(got.Notices) > 0 || got.Missed || missed) {
			got.Missed, missed = got.Missed || missed, false
			f.publish(ctx, got, after == "")
		}
		if usable {
			after = got.Next
		}
		if errors.Is(err, store.ErrBadCursor) {
			after, missed = "", true // what the cursor was of is gone
		}
		if err == nil {
			failures = 0
			continue
		}
		failures++
		pause := time.NewTimer(min(backoffFirst<<min(failures-1, 10), backoffMost))
		select {
		case <-pause.C:
		case <-ctx.Done():
			pause.Stop()
		}
	}
}

// fetch reads once.
func (f *Feed) fetch(ctx context.Context, q store.NoticeQuery, forAll bool) (store.NoticePage, error) {
	within, cancel := context.WithTimeout(ctx, q.Wait+f.opts.Timeout)
	defer cancel()
	if f.opts.Read != nil {
		f.opts.Read(forAll)
	}
	got, err := f.source.Notices(within, q)
	if err != nil && ctx.Err() == nil && f.opts.Failed != nil {
		f.opts.Failed(err)
	}
	return got, err
}

// publish keeps a page and tells those whom it is for. anew: it does not go on where the
// page before ended.
func (f *Feed) publish(ctx context.Context, got store.NoticePage, anew bool) {
	p := page{next: got.Next, items: items(got.Notices), missed: got.Missed}
	f.mu.Lock()
	defer f.mu.Unlock()
	if ctx.Err() != nil {
		return // nobody watches any more, or others do by now
	}
	placed := f.head != ""
	if !anew {
		p.before = f.head
	}
	f.head = p.next
	f.pages, f.kept = append(f.pages, p), f.kept+len(p.items)
	for len(f.pages) > 1 && (f.kept > f.opts.Kept || len(f.pages) > maxPages) {
		f.kept -= len(f.pages[0].items)
		f.pages[0] = page{}
		f.pages, f.first = f.pages[1:], f.first+1
	}
	told := map[*Watcher]struct{}{}
	for i := range p.items {
		for _, topic := range topicsOf(p.items[i].Notice) {
			for w := range f.watchers[topic] {
				if _, known := told[w]; !known && w.passes(p.items[i].Notice) {
					told[w] = struct{}{}
				}
			}
		}
	}
	for _, watchers := range f.watchers {
		for w := range watchers {
			if _, matched := told[w]; matched || p.missed || !placed {
				w.notify()
			} else if w.at == f.end()-1 { // nothing is in it for one who has all before it
				w.at, w.after = f.end(), p.next
			}
		}
	}
}

// end is the number that the next page gets.
func (f *Feed) end() int64 { return f.first + int64(len(f.pages)) }
