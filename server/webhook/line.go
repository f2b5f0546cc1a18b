package webhook

import (
	"context"
	"errors"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/aguiws/aguiws/adapter/store"
)

type checkAddr = func(netip.Addr) error

// line is one target, and what is on the way to it.
type line struct {
	*Sender
	target        Target
	signers       []*standardwebhooks.Webhook
	configuration string

	streak streak
	gone   atomic.Bool   // it wants no more
	busy   atomic.Int32  // taken, and not settled
	wake   chan struct{} // there is room again, or more is wanted
}

// taken is a webhook, and until when it is surely this node's.
type taken struct {
	store.Webhook
	until time.Time
}

// ahead is how many webhooks are taken for each worker: while one is on its way the
// next is there.
const ahead = 2

// hold is for how long they are taken: until the last one was sent, in the worst case.
func (l *line) hold() time.Duration { return (ahead+1)*l.opts.Timeout + 3*storeCall }

// learn notes whether the target wants no more.
func (l *line) learn(gone bool) {
	if l.gone.Swap(gone) && !gone {
		l.poke()
	}
}

func (l *line) poke() {
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

// run takes what is due and gives it to the workers, until the sender shuts down.
func (l *line) run() {
	var workers sync.WaitGroup
	defer workers.Wait()
	jobs := make(chan taken, ahead*l.opts.Workers)
	defer close(jobs)
	for range l.opts.Workers {
		workers.Go(func() {
			for w := range jobs {
				l.send(w)
				if l.busy.Add(-1) < int32(l.opts.Workers) {
					l.poke()
				}
			}
		})
	}
	for l.closing.Err() == nil {
		wait := l.opts.Poll
		if room := cap(jobs) - int(l.busy.Load()); room > 0 && !l.gone.Load() {
			began := time.Now()
			got, err := l.take(room)
			for _, w := range got.Webhooks {
				l.busy.Add(1)
				jobs <- taken{w, began.Add(l.hold())} // there is room
			}
			switch {
			case err != nil:
				wait = storePause
			case got.Next == 0 && len(got.Webhooks) < room:
				continue
			case got.Next > 0:
				wait = min(wait, got.Next)
			}
		}
		l.pause(wait, l.wake)
	}
}

func (l *line) take(room int) (store.WebhooksTaken, error) {
	ctx, cancel := context.WithTimeout(l.closing, storeCall)
	defer cancel()
	t := &l.target
	got, err := l.store.TakeWebhooks(ctx, store.WebhookTake{Target: t.Name, Kinds: t.Kinds, Tenant: t.Tenant, Agents: t.Agents,
		FromStart: t.FromStart, Limit: room, Hold: l.hold()})
	if errors.Is(err, store.ErrPartial) {
		err = nil // the others go on
	}
	l.quiet.note("what is owed to the target "+t.Name, err)
	return got, err
}

// send sends one, unless there is no time left for it, and says what came of it.
func (l *line) send(w taken) {
	r := store.WebhookResult{ID: w.Notice.ID, Hold: w.Hold, Kind: store.WebhookAgain, Tries: w.Tries}
	switch {
	case time.Until(w.until) < l.opts.Timeout+storeCall:
		return // somebody else takes it
	case l.closing.Err() != nil || l.gone.Load():
		l.settle(w, r)
		return
	}
	began := time.Now()
	a := l.try(w.Webhook)
	if a.err != "" && l.cutting.Err() != nil {
		l.settle(w, r) // it may have come
		return
	}
	try := Try{Target: l.target.Name, Took: time.Since(began), Outcome: Delivered}
	switch {
	case a.err == "":
		r.Kind = store.WebhookSent
		if since := l.streak.delivered(w.Taken); !since.IsZero() {
			l.opts.Logger.Info("a target of webhooks takes them again", "target", l.target.Name, "failed for", w.Taken.Sub(since).Round(time.Second).String())
		}
	case a.gone:
		try.Outcome = Gone
		l.retire(w)
	default:
		try.Outcome = Failed
		r.Tries.Count++
		r.Tries.Last, r.Tries.Error = w.Taken, a.err
		if r.Tries.Count == 1 {
			r.Tries.First = w.Taken
		}
		if l.streak.failed(r.Tries.First, w.Taken, a) {
			l.opts.Logger.Warn("a target of webhooks takes nothing; its webhooks are sent again, and the log says so once an hour", "target", l.target.Name, "error", a.err, "failing since", r.Tries.First)
		}
		var more bool
		if r.Delay, more = pause(r.Tries.Count, w.Taken.Sub(r.Tries.First), a.after); !more {
			try.Outcome, r.Kind = Dead, store.WebhookDead
			l.opts.Logger.Warn("a webhook is given up", "target", l.target.Name, "id", w.Notice.ID, "tries", r.Tries.Count, "error", a.err)
		}
	}
	l.settle(w, r)
	l.opts.Observe(try)
}

// retire notes that the target wants no more: what it is owed waits until it does.
func (l *line) retire(w taken) {
	if l.gone.Swap(true) {
		return
	}
	l.opts.Logger.Warn("a target of webhooks answers 410 Gone: the target gets nothing more until it is enabled, or configured otherwise", "target", l.target.Name)
	l.again(w, "what it knows of the target "+l.target.Name, func(ctx context.Context) error {
		return l.store.TargetGone(ctx, l.target.Name, l.configuration)
	})
}

func (l *line) settle(w taken, r store.WebhookResult) {
	l.again(w, "what came of webhooks for "+l.target.Name, func(ctx context.Context) error {
		return l.store.SettleWebhook(ctx, l.target.Name, r)
	})
}

// again calls the store until it answers, for as long as the webhook is held. A webhook
// that is not settled then is sent again.
func (l *line) again(w taken, what string, call func(context.Context) error) {
	for {
		ctx, cancel := context.WithTimeout(l.cutting, storeCall)
		err := call(ctx)
		cancel()
		l.quiet.note(what, err)
		if err == nil || l.closing.Err() != nil || time.Until(w.until) < storeCall || !errors.Is(err, store.ErrOutcomeUnknown) {
			return
		}
		l.Sender.pause(storePause, nil)
	}
}
