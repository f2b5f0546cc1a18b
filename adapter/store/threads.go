package store

import (
	"context"
	"time"
)

// Threads is what keeping threads takes: to list, name and forget them.
type Threads interface {
	// Threads pages through the threads of a namespace, latest input first. A cursor
	// belongs to the query that it came from, but for Limit. If Agent or Status is asked
	// for, a page may be short, or empty, and not the last one: so many threads are looked
	// at for it.
	Threads(ctx context.Context, q ThreadQuery) (ThreadPage, error)
	// SetTitle names the thread, which Tree may have made before its first input. At most
	// 60 bytes are kept, whatever inputs come. False: there is no such thread.
	SetTitle(ctx context.Context, key ThreadKey, title string) (bool, error)
	// Delete forgets the thread, unless a run is active or queued in it, or Withdraw keeps
	// it: then false. Its log epoch is never used again.
	Delete(ctx context.Context, key ThreadKey, by Deletion) (bool, error)
	// Erase is Delete whatever goes on in the thread, and whether or not what is
	// stored of it can be read. Its worker is fenced.
	Erase(ctx context.Context, key ThreadKey, by Deletion) error
}

// ThreadQuery asks for threads of a namespace.
type ThreadQuery struct {
	Namespace string
	Tenant    *string   // whose they are; nil: anybody's
	From, To  time.Time // From ≤ their latest input < To; zero: any
	Limit     int       // 0: 50
	Cursor    string    // of the page before; "": the first page
	ThreadFilter
}

// ThreadFilter picks threads by what they are at now.
type ThreadFilter struct {
	Agent  *string      // whose run began last; nil: any
	Status ThreadStatus // "": any
}

// ThreadStatus is what a thread is at.
type ThreadStatus string

// A thread whose run is active while an input waits is ThreadActive.
const (
	ThreadActive  ThreadStatus = "active"  // a run is under way, or an input waits for one
	ThreadWaiting ThreadStatus = "waiting" // interrupts are open
	ThreadIdle    ThreadStatus = "idle"    // neither
)

// Status is what a thread is at; nil: it was never used.
func (i *ThreadInfo) Status() ThreadStatus {
	switch {
	case i == nil:
		return ThreadIdle
	case i.Suspended:
		return ThreadWaiting
	case i.Active || i.Queued > 0:
		return ThreadActive
	}
	return ThreadIdle
}

// Wants reports whether a thread is one of those; nil: it was never used.
func (f ThreadFilter) Wants(i *ThreadInfo) bool {
	return (f.Agent == nil || i != nil && i.LatestRun != "" && i.Agent == *f.Agent) && (f.Status == "" || i.Status() == f.Status)
}

// All reports whether it picks all threads.
func (f ThreadFilter) All() bool { return f.Agent == nil && f.Status == "" }

// ThreadPage is a page of threads.
type ThreadPage struct {
	Threads []ThreadInfo
	Next    string
}

// ThreadInfo is what a list says of a thread.
type ThreadInfo struct {
	Thread    ThreadKey
	Title     string
	Unused    bool      // it was made, and named before its first input: it has nothing else
	Created   time.Time // its first input; zero: nobody has noted it
	Updated   time.Time // its latest input
	Active    bool
	Suspended bool // interrupts are open
	// WaitsOn is the reason of an open interrupt that asks nobody, and Until when that wait
	// ends at the latest, zero if not by itself. "": no such interrupt is open.
	WaitsOn   string
	Until     time.Time
	Expires   time.Time // when all open interrupts that ask somebody have expired; zero: never
	Queued    int
	ActiveRun string // "": none is
	LatestRun string // that began last; "": none has
	Agent     string // whose run that is
	Tenant    string
	Failed    bool // that run has ended by EndFail, or is a dead letter that was not dismissed
}
