package store

import (
	"context"
	"time"
)

// Threads is what keeping threads takes: to list, name and forget them.
type Threads interface {
	// Threads pages through the threads of a namespace, latest input first.
	Threads(ctx context.Context, namespace string, q PageQuery) (ThreadPage, error)
	// SetTitle names the thread. At most 60 bytes are kept. False: the thread
	// was never used.
	SetTitle(ctx context.Context, key ThreadKey, title string) (bool, error)
	// Delete forgets the thread, unless a run is active, queued or suspended in
	// it: then false. Its log epoch is never used again.
	Delete(ctx context.Context, key ThreadKey) (bool, error)
	// Erase is Delete whatever goes on in the thread, and whether or not what is
	// stored of it can be read. Its worker is fenced.
	Erase(ctx context.Context, key ThreadKey) error
}

// ThreadPage is a page of threads.
type ThreadPage struct {
	Threads []ThreadInfo
	Next    string
}

// ThreadInfo is what a list says of a thread.
type ThreadInfo struct {
	Thread    ThreadKey
	Title     string
	Updated   time.Time // its latest input
	Active    bool
	Suspended bool // interrupts are open
	Queued    int
	ActiveRun string // "": none is
	LatestRun string // that began last; "": none has
}
