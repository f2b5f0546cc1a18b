package operate

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
)

// A round is so many threads, those with the latest inputs first. A page looks at the titles of
// so many rounds, and reads the runs of one.
const (
	roundThreads = 100
	roundLooks   = 10
)

// runMark is the place of a run among those of a round: the latest begun first.
type runMark struct {
	Began int64  `json:"b"` // Unix ms
	ID    string `json:"i"`
}

func markOf(r *RunInfo) runMark { return runMark{r.Created.UnixMilli(), r.ID} }

func (m runMark) compare(other runMark) int {
	return cmp.Or(cmp.Compare(other.Began, m.Began), cmp.Compare(other.ID, m.ID))
}

// latestRuns looks for a page of the runs of all threads of a namespace.
type latestRuns struct {
	*dispatches
	q            *RunQuery
	at           runPlace
	found        []RunInfo
	looks, reads int // at runs, and of threads
}

// threadRuns are the runs of a thread of a round.
type threadRuns struct {
	of    store.ThreadInfo
	first int       // so many of them are not read again
	read  []RunInfo // those behind, in the order of Runs
	ahead []RunInfo // of them those that come behind the place, in the order of the round
	bound int64     // no unread run began later, in Unix ms
	over  bool      // none is unread
}

// findLatest finds runs of all threads of a namespace, the latest begun first. That is the order
// within a round of threads: behind it the next round follows, in which a run may come again if
// its thread was of the round before.
func (ds *dispatches) findLatest(ctx context.Context, q *RunQuery, at runPlace) ([]RunInfo, string, error) {
	l, partial := latestRuns{dispatches: ds, q: q, at: at, found: []RunInfo{}}, error(nil)
	for range roundLooks {
		page, err := ds.Store.Threads(ctx, store.ThreadQuery{Namespace: q.Namespace, From: q.From, Limit: roundThreads, Cursor: l.at.Threads})
		if errors.Is(err, store.ErrPartial) {
			partial, err = err, nil // the cursor names what was missing
			l.at.Then = cmp.Or(l.at.Then, page.Next)
		}
		if err != nil {
			return nil, "", err
		}
		over, err := l.round(ctx, page.Threads)
		if err != nil {
			return nil, "", err
		}
		if over {
			then := cmp.Or(l.at.Then, page.Next)
			if then == "" {
				return l.found, "", partial
			}
			l.at = runPlace{Query: at.Query, Threads: then}
		}
		if !over || l.full() || l.reads > 0 {
			break
		}
	}
	return l.found, l.at.cursor(), partial
}

func (l *latestRuns) full() bool { return len(l.found) == l.q.Limit || l.looks == runLooks }

// round looks through the runs of a round, and moves the place. Over: to their end.
func (l *latestRuns) round(ctx context.Context, threads []store.ThreadInfo) (over bool, err error) {
	if l.at.Past == nil && !l.q.To.IsZero() {
		l.at.Past = &runMark{Began: l.q.To.Add(time.Millisecond - 1).UnixMilli()}
	}
	var list []*threadRuns
	title := strings.ToLower(l.q.Title)
	for _, t := range threads {
		if strings.Contains(strings.ToLower(t.Title), title) {
			// A thread's latest input is no earlier than the beginning of any of its runs.
			list = append(list, &threadRuns{of: t, first: l.at.Deep[t.Thread.Thread], bound: t.Updated.UnixMilli()})
		}
	}
	for !l.full() {
		of, err := l.next(ctx, list)
		if err != nil || of == nil {
			return true, err
		}
		r := of.ahead[0]
		of.ahead = of.ahead[1:]
		mark := markOf(&r)
		l.at.Past = &mark
		if l.looks++; l.q.wants(&r) {
			l.found = append(l.found, r)
		}
	}
	l.at.Deep = nil
	for _, of := range list {
		if n := of.first + l.passed(of.read); n >= runPiece {
			if l.at.Deep == nil {
				l.at.Deep = map[string]int{}
			}
			l.at.Deep[of.of.Thread.Thread] = n
		}
	}
	return false, nil
}

// passed is how many runs stand before the first that comes behind the place.
func (l *latestRuns) passed(runs []RunInfo) int {
	if n := slices.IndexFunc(runs, l.isAhead); n >= 0 {
		return n
	}
	return len(runs)
}

func (l *latestRuns) isAhead(r RunInfo) bool {
	return l.at.Past == nil || markOf(&r).compare(*l.at.Past) > 0
}

// next reads until it is known which thread has the run that began last; nil: none has any.
func (l *latestRuns) next(ctx context.Context, list []*threadRuns) (*threadRuns, error) {
	for {
		var next, unread *threadRuns
		for _, of := range list {
			if len(of.ahead) > 0 && (next == nil || markOf(&of.ahead[0]).compare(markOf(&next.ahead[0])) < 0) {
				next = of
			}
			if !of.over && (unread == nil || of.bound > unread.bound) {
				unread = of
			}
		}
		least := l.q.From
		if next != nil && next.ahead[0].Created.After(least) {
			least = next.ahead[0].Created
		}
		if unread != nil && unread.bound >= least.UnixMilli() {
			if err := l.read(ctx, unread); err != nil {
				return nil, err
			}
			continue
		}
		if next != nil && next.ahead[0].Created.Before(l.q.From) {
			return nil, nil
		}
		return next, nil
	}
}

// read reads another piece of a thread. A run's end is no earlier than its beginning, and those
// that have ended come in the order of their ends, so the last end bounds the beginnings of all
// that are left.
func (l *latestRuns) read(ctx context.Context, of *threadRuns) error {
	runs, err := l.Runs(ctx, of.of.Thread, store.DispatchQuery{States: l.q.States, Offset: of.first + len(of.read), Limit: runPiece})
	if err != nil {
		return err
	}
	l.reads++
	of.over = len(runs) < runPiece
	for _, r := range runs {
		if !r.Completed.IsZero() {
			of.bound = min(of.bound, r.Completed.UnixMilli())
		}
		// A run that begins meanwhile moves the others back.
		known := slices.ContainsFunc(of.read, func(other RunInfo) bool { return other.ID == r.ID })
		r.Title = of.of.Title
		of.read = append(of.read, r)
		if !known && l.isAhead(r) {
			of.ahead = append(of.ahead, r)
		}
	}
	slices.SortFunc(of.ahead, func(x, y RunInfo) int { return markOf(&x).compare(markOf(&y)) })
	return nil
}
