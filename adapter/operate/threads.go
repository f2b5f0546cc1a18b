package operate

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/aguiws/aguiws/adapter/internal/admit"
	"github.com/aguiws/aguiws/adapter/internal/carry"
	"github.com/aguiws/aguiws/adapter/internal/lifecycle"
	"github.com/aguiws/aguiws/adapter/internal/node"
	"github.com/aguiws/aguiws/adapter/internal/stored"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
)

// Thread is a thread as a reader sees it, at rest or in mid-run.
type Thread struct {
	store.ThreadKey
	Tenant   string
	Title    string
	Messages protocol.Messages // partial ones of an active run included
	State    json.RawMessage
	End      store.Position // of its log
	Active   string         // server-made id of the active run; ""
	OpenRun  string         // of the run that is active, or whose interrupts are open; ""
	Latest   string         // of the run that began last; "": it is not kept any more, or there was none
	Queued   int
	Pause    PauseState // of its active run, or of the one whose interrupts are open
	Open     *Suspended // nil: no interrupt is open
	// Corrupted says that some of what is stored cannot be read, and is left out.
	Corrupted bool
}

// threads reads and changes threads at rest.
type threads struct {
	*node.Node
	admission *admit.Admission
	backoff   *carry.Backoff
}

// Threads pages through the threads of a namespace, latest input first, and
// returns the cursor of the next page, "" at the end. Errors are as Inbox's.
func (ts *threads) Threads(ctx context.Context, q store.ThreadQuery) ([]store.ThreadInfo, string, error) {
	page, err := ts.Store.Threads(ctx, q)
	return page.Threads, page.Next, err
}

// ThreadInfos are what a list says of threads, in their order; nil for one that was never
// used, and not named either. Errors are as Inbox's.
func (ts *threads) ThreadInfos(ctx context.Context, threads []store.ThreadKey) ([]*store.ThreadInfo, error) {
	return ts.Store.ThreadInfos(ctx, threads)
}

// Thread reads one thread; nil when it was never used.
func (ts *threads) Thread(ctx context.Context, key store.ThreadKey) (*Thread, error) {
	view, err := ts.Store.Read(ctx, key, store.ReadQuery{})
	if err != nil || view.Version == 0 {
		return nil, err
	}
	t := &Thread{
		ThreadKey: key, Tenant: view.Tenant, Title: view.Title, State: lifecycle.State(nil),
		End: store.Position{Epoch: view.Epoch, Seq: view.Seq}, Queued: len(view.Queue),
	}
	if fold, err := stored.Fold(view, -1); err == nil {
		t.Messages, t.State = fold.Messages(), lifecycle.State(fold.State())
	} else if t.Corrupted = errors.Is(err, store.ErrCorrupted); !t.Corrupted {
		return nil, err
	}
	if view.Active != nil {
		t.Active = view.Active.ID
	}
	if view.Latest != nil {
		t.Latest = view.Latest.ID
	}
	open, _ := stored.Suspension(view.Suspension) // of one that cannot be read more is said below
	t.OpenRun = openRun(view, open)
	switch {
	case open != nil && pausedOf(open) != "":
		t.Pause = PausePaused
	case view.Paused:
		t.Pause = PausePending
	}
	t.Open, err = suspended(store.InboxItem{
		Thread: key, Version: view.Version, Title: view.Title, Suspension: view.Suspension, Drafts: view.Drafts,
	})
	if errors.Is(err, store.ErrCorrupted) {
		t.Open, t.Corrupted, err = &Suspended{Thread: key, Title: view.Title, Corrupted: true}, true, nil
	}
	return t, err
}

// SetTitle names a thread. Longer titles are cut to 60 bytes. False: there is no such
// thread.
func (ts *threads) SetTitle(ctx context.Context, key store.ThreadKey, title string) (bool, error) {
	return ts.Store.SetTitle(ctx, key, admit.CutTitle(title))
}

// unixMilli is the time of a stored number; zero for 0.
func unixMilli(ms int64) time.Time {
	if ms == 0 {
		return time.Time{}
	}
	return time.UnixMilli(ms)
}

// unreadableThread reports whether what the thread waits for cannot be read, so that
// nobody can end it in order.
func (ts *threads) unreadableThread(ctx context.Context, key store.ThreadKey) (bool, error) {
	view, err := ts.Store.Read(ctx, key, store.ReadQuery{})
	if err == nil {
		_, err = stored.Suspension(view.Suspension)
	}
	if errors.Is(err, store.ErrCorrupted) {
		return true, nil
	}
	return false, err
}
