package notices

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
)

// Topic is what a watcher may be told of. One of the members is set, or All.
type Topic struct {
	Tenant, Namespace string
	All               bool
}

func topicsOf(n *store.Notice) [3]Topic {
	return [3]Topic{{Tenant: n.Tenant}, {Namespace: n.Thread.Namespace}, {All: true}}
}

// Query says what a watcher is told.
type Query struct {
	Topic Topic
	// Passes is asked of each notice of the topic. It must not block. nil: all pass.
	Passes func(*store.Notice) bool
	After  string    // as NoticeQuery.After
	From   time.Time // as NoticeQuery.From, of a page
}

// Page is what a watcher is told.
type Page struct {
	Items  []Item
	Next   string // where the watcher is now; "": not known yet
	Missed bool   // notices before these may have been given up already
	More   bool   // there may be more at once: otherwise notify tells
}

// Watcher is a cursor over notices. One goroutine uses it.
type Watcher struct {
	feed   *Feed
	query  Query
	notify func()

	// The feed's lock guards these:
	after string
	at    int64 // the page that is next; -1: the watcher reads for itself

	own []string // what it has read for itself last, which the feed may bring again
	old int      // pages of the feed since
}

// Watch begins to watch. notify is called when there may be something, with the feed's lock
// held: it must not block. The caller closes the watcher.
func (f *Feed) Watch(q Query, notify func()) *Watcher {
	w := &Watcher{feed: f, query: q, notify: notify, after: q.After, at: -1}
	f.mu.Lock()
	defer f.mu.Unlock()
	of := f.watchers[q.Topic]
	if of == nil {
		of = map[*Watcher]struct{}{}
		f.watchers[q.Topic] = of
	}
	of[w] = struct{}{}
	f.count++
	f.begin()
	return w
}

// Close ends the watching.
func (w *Watcher) Close() {
	f := w.feed
	f.mu.Lock()
	defer f.mu.Unlock()
	of := f.watchers[w.query.Topic]
	if _, watches := of[w]; !watches {
		return
	}
	if delete(of, w); len(of) == 0 {
		delete(f.watchers, w.query.Topic)
	}
	if f.count--; f.count == 0 {
		f.halt()
	}
}

// Cursor is where the watcher is; "": that is not known yet.
func (w *Watcher) Cursor() string {
	w.feed.mu.Lock()
	defer w.feed.mu.Unlock()
	return w.after
}

func (w *Watcher) passes(n *store.Notice) bool { return w.query.Passes == nil || w.query.Passes(n) }

// Next returns what comes next. It waits for nothing but the store, and for that only
// where the watcher reads for itself. Some, beside an error that wraps store.ErrPartial.
func (w *Watcher) Next(ctx context.Context) (Page, error) {
	f := w.feed
	f.mu.Lock()
	if w.after == "" { // from where the feed began to read, or is
		if f.head == "" {
			f.mu.Unlock()
			return Page{}, nil
		}
		w.after, w.at = f.head, f.end()
		defer f.mu.Unlock()
		return Page{Next: w.after}, nil
	}
	w.join()
	if w.at >= f.first {
		defer f.mu.Unlock()
		return w.kept(), nil
	}
	w.at = -1
	after, joins, known := w.after, f.end(), f.head != ""
	f.mu.Unlock()

	got, err := f.fetch(ctx, store.NoticeQuery{After: after, Limit: pageSize}, false)
	if err != nil && (!errors.Is(err, store.ErrPartial) || got.Next == "") {
		return Page{}, err
	}
	p := Page{Next: got.Next, Missed: got.Missed, More: true}
	w.own, w.old = w.own[max(0, len(w.own)-pageSize):], 0
	all := items(got.Notices)
	for i := range all {
		if w.own = append(w.own, all[i].Notice.ID); w.mayKnow(all[i].Notice) && w.passes(all[i].Notice) {
			p.Items = append(p.Items, all[i])
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	w.after = got.Next
	// All that the feed had when this was asked for is behind the watcher now.
	if err == nil && known && f.head != "" && len(got.Notices) == 0 {
		w.at = joins
	}
	return p, err
}

// join finds the watcher's cursor among those of the pages that are kept.
func (w *Watcher) join() {
	f := w.feed
	if w.at >= 0 || f.head == "" {
		return
	}
	if w.after == f.head {
		w.at = f.end()
		return
	}
	for i := range f.pages {
		if f.pages[i].before == w.after {
			w.at = f.first + int64(i)
			return
		}
	}
}

// kept returns what the feed has for the watcher: the pages up to one that has something.
func (w *Watcher) kept() Page {
	f := w.feed
	p := Page{Next: w.after}
	for w.at < f.end() && len(p.Items) == 0 {
		from := &f.pages[w.at-f.first]
		for _, item := range from.items {
			if w.mayKnow(item.Notice) && w.passes(item.Notice) && !slices.Contains(w.own, item.Notice.ID) {
				p.Items = append(p.Items, item)
			}
		}
		p.Missed = p.Missed || from.missed
		w.at, w.after, p.Next = w.at+1, from.next, from.next
		if w.old++; w.old > 2 {
			w.own = nil
		}
	}
	p.More = w.at < f.end()
	return p
}

// mayKnow reports whether the notice is of the watcher's topic.
func (w *Watcher) mayKnow(n *store.Notice) bool {
	switch t := w.query.Topic; {
	case t.All:
		return true
	case t.Namespace != "":
		return n.Thread.Namespace == t.Namespace
	default:
		return n.Tenant == t.Tenant
	}
}
