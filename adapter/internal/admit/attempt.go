package admit

import (
	"context"
	"fmt"
	"time"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/admission"
	"github.com/aguiws/aguiws/adapter/internal/carry"
	"github.com/aguiws/aguiws/adapter/internal/decision"
	"github.com/aguiws/aguiws/adapter/internal/execution"
	"github.com/aguiws/aguiws/adapter/internal/judge"
	"github.com/aguiws/aguiws/adapter/internal/node"
	"github.com/aguiws/aguiws/adapter/internal/stored"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/internal/tracing"
	"github.com/aguiws/aguiws/protocol"
)

// attempt judges an input once, on one view of its thread, and begins its run if it may
// run.
type attempt struct {
	*Admission
	key     store.ThreadKey
	in      Request
	digest  string // of the input
	version int64  // that the thread must have; 0: any
	runID   string
	share   *carry.Share
	lost    *Losses

	j         *judge.Judgement
	v         judge.Verdict
	answers   bool // the run goes on with what asked
	headers   map[string]string
	available time.Time // the run waits until then; zero: it need not
	waits     bool      // the run is queued
	placed    bool      // this node keeps a place for the run
}

// outcome is what an attempt came to. Stale: the thread has moved meanwhile, or is not at
// the version.
type outcome struct {
	admitted admission.Admitted
	stale    bool
}

func refusing(e *protocol.RunError) *outcome { return &outcome{admitted: Refused(e)} }

// try takes the steps of an attempt in their order, until one has an outcome.
func (t *attempt) try(ctx context.Context) (admitted admission.Admitted, stale bool, err error) {
	defer func() {
		if t.placed {
			t.Capacity.Release()
		}
	}()
	for _, step := range []func(context.Context) (*outcome, error){t.read, t.judge, t.reserve, t.build} {
		switch o, err := step(ctx); {
		case err != nil:
			return admission.Admitted{}, false, err
		case o != nil:
			return o.admitted, o.stale, nil
		}
	}
	panic("adapter: an attempt has come to nothing")
}

// read reads the thread.
func (t *attempt) read(ctx context.Context) (*outcome, error) {
	var command *judge.Command
	if t.in.Commands {
		command = judge.CommandOf(t.in.Run)
	}
	var err error
	if t.j, err = Read(ctx, t.Node, t.key, t.in.Run, command.Named()...); err == nil && command != nil {
		err = t.j.Take(ctx, command, t.digest)
	}
	if err != nil {
		return nil, err
	}
	if t.version != 0 && t.j.View.Version != t.version {
		return &outcome{stale: true}, nil
	}
	if over := t.share.TooMany(); over != nil {
		return refusing(over), nil
	}
	if farBehind(t.j.View) && !t.lost.tidied {
		t.lost.tidied = true
		if tidied(ctx, t.Node, t.key) {
			return &outcome{stale: true}, nil
		}
	}
	return nil, nil
}

// judge judges the input.
func (t *attempt) judge(ctx context.Context) (*outcome, error) {
	var err error
	if t.v, err = t.j.Judge(ctx, t.terms(), t.digest); err != nil {
		return nil, err
	}
	if t.in.Back != nil && t.v.Refusal == nil && t.v.Repeats == nil {
		if t.v.Refusal, err = t.goBack(ctx, t.in.Back); err != nil {
			return nil, err
		}
	}
	switch {
	case t.v.Refusal != nil:
		if t.v.Refusal.Code == adapter.CodeThreadBusy {
			if cleared, err := t.clear(ctx); cleared != nil || err != nil {
				return cleared, err
			}
		}
		below, err := t.askedBelow(ctx, t.v.Refusal)
		if below != "" {
			refused := refusing(elsewhere(t.v.Refusal, interruptIDs(t.in.Run.Resume), below))
			refused.admitted.Elsewhere = below
			return refused, nil
		}
		decision.NoteRefused(t.Node, t.key, t.v.Refusal, t.j.Input.Resume)
		return refusing(t.v.Refusal), err
	case t.v.Repeats != nil:
		record, err := stored.Record(t.v.Repeats)
		return &outcome{admitted: admission.Admitted{Disposition: admission.Repeat, RunID: t.v.Repeats.ID, Of: record.Label, User: record.User, Waits: t.v.Repeats.Status == store.RunQueued}}, err
	case t.v.Supersede:
		return nil, t.share.Replaces(t.j.View.Active)
	}
	return nil, nil
}

// goBack goes back as the input says. The messages of a branch are read when nothing else
// refuses it.
func (t *attempt) goBack(ctx context.Context, g *GoingBack) (*protocol.RunError, error) {
	if g.Restores != "" {
		if refusal, err := g.find(ctx, t.Store, t.key); refusal != nil || err != nil {
			return refusal, err
		}
	}
	if refusal := g.goBack(t.j, &t.v, t.isLater()); refusal != nil || g.Restores == "" {
		return refusal, nil
	}
	refusal, err := g.read(ctx, t.Store, t.key)
	t.v.Fresh = g.Messages
	return refusal, err
}

// terms tells the judgement who sends the input, and returns what the input meets when a
// run is under way.
func (t *attempt) terms() judge.Busy {
	j, in := t.j, &t.in
	j.Duties = judge.Duties{Separate: t.Options.SeparateDuties, User: in.User, Drafted: map[string]string{}}
	for id, by := range in.Drafted {
		j.Drafted[id] = by.User
	}
	j.LoggedIn, j.Event, j.Called, j.User = in.Login, in.Event, in.Called, in.User
	// An input that may begin only later cancels nothing now.
	j.CancelsUnanswered = (t.Options.CancelsAsked(in.Agent) || j.AllStale()) && !t.isLater()
	j.Joins = in.When == admission.WhenStep
	switch {
	case j.Joins:
		return judge.BusyQueue
	case in.StopsAll:
		return judge.BusySupersede
	}
	return t.Options.Busy
}

// isLater reports whether the run may begin only later.
func (t *attempt) isLater() bool { return t.in.Dispatch.Available.After(t.j.View.Now) }

// reserve decides whether the run begins now or waits, and finds what it takes to begin.
func (t *attempt) reserve(ctx context.Context) (*outcome, error) {
	t.answers = t.v.Continues != nil && !t.v.Steer
	if problem := t.chooseHeaders(ctx); problem != nil {
		return refusing(problem), nil
	}
	if t.v.Continues == nil && t.isLater() {
		t.available = t.in.Dispatch.Available
	}
	t.waits = t.v.Queue || !t.available.IsZero()
	if t.waits && t.v.Edits {
		if t.v.Queue {
			if cleared, err := t.clear(ctx); cleared != nil || err != nil {
				return cleared, err
			}
		}
		return refusing(judge.RefuseToWait()), nil
	}
	if !t.waits {
		t.placed = t.Capacity.Reserve()
		if !t.placed && (t.v.Steer || t.v.Rewinds) {
			return refusing(t.NoPlace()), nil
		}
		t.waits = !t.placed && t.v.Continues == nil
	}
	if over := t.share.TooManyThreads(t.j.View); over != nil {
		return refusing(over), nil
	}
	if !t.waits && !t.answers { // what an answer goes on with was let begin before
		if over := t.share.TooManyRuns(); over != nil {
			return refusing(over), nil
		}
	}
	return nil, nil
}

// chooseHeaders keeps what goes along to the agent. The headers of an answer are chosen
// later, because it is not known yet whose execution it answers.
func (t *attempt) chooseHeaders(ctx context.Context) *protocol.RunError {
	t.headers = node.LowerCase(t.in.Headers)
	if !t.answers {
		t.headers = t.Options.HeadersFor(t.in.Agent, t.headers)
	}
	if n := node.SizeOfHeaders(t.headers); n > node.MaxHeaderBytes {
		return judge.Refuse(adapter.CodeInvalidInput, fmt.Sprintf("the headers that go along have %d bytes, and at most %d are kept with a run", n, node.MaxHeaderBytes), nil)
	}
	if t.Traces != nil { // whoever carries the run goes on with the trace
		t.headers = tracing.Into(t.headers, ctx)
	}
	return nil
}

// build builds the run's beginning, makes room for it, and begins it.
func (t *attempt) build(ctx context.Context) (*outcome, error) {
	record := store.RunRecord{User: t.in.User, Tenant: t.in.Tenant, Joins: t.v.Queue && t.j.Joins, Asked: askedOf(t.v.Fresh), Trace: tracing.ID(ctx)}
	if t.answers {
		if by := carry.BeganBy(t.v.Continues, t.in.User); by != t.in.User {
			record.CountsFor = by
		}
	}
	if back := t.in.Back; back != nil && back.Again {
		message, _ := around(t.j.Fold, t.v.Keep)
		record.Anew, record.Asked = message.ID, askedOf(protocol.Messages{message})
	}
	t.j.Brought(&record)
	b, run, err := BeginBuilder{
		Judgement: t.j, Verdict: t.v, Thread: t.key, Digest: t.digest, Agent: t.in.Agent, User: t.in.User,
		waits: t.waits && !t.v.Supersede, sent: t.in.Run, available: t.available, runID: t.runID,
		from: t.in.From, drafted: t.in.Drafted, redact: t.Options.Redact, Headers: t.headers, back: t.in.Back, Caller: t.in.Caller, users: t.in.Users,
	}.Build(store.Begin{
		Tenant: t.in.Tenant, User: t.in.User, Title: t.title(), MaxAttempts: t.Options.MaxAttempts,
		Priority: t.in.Dispatch.Priority, Dedupe: t.in.Dispatch.Dedupe, Sender: t.in.Sender,
	}, record)
	if err != nil {
		return nil, err
	}
	if o, err := t.makeRoom(ctx, &b); o != nil || err != nil {
		return o, err
	}
	return t.start(ctx, b, run, record)
}

// makeRoom refuses what is too large. Runs and inputs that give way to the input are gone
// for good, so they do so after every check that may refuse it; only the bound of the queue
// comes later.
func (t *attempt) makeRoom(ctx context.Context, b *store.Begin) (*outcome, error) {
	adds := brings(*b, t.in.Run.Messages)
	if t.in.Back != nil {
		adds += sizeOfMessages(t.in.Back.Messages)
	}
	if large := tooLarge(&t.Options, t.j.View, t.v, t.j, adds); large != nil {
		return refusing(large), nil
	}
	if t.v.Supersede {
		_, err := t.Control.EndAll(ctx, store.StopAll{Thread: t.key, Reason: "superseded by another input", By: t.in.User, Instead: b.RunID})
		return &outcome{stale: true}, err
	}
	if t.v.Queue && !t.j.Joins {
		if cleared, err := t.clear(ctx); cleared != nil || err != nil {
			return cleared, err
		}
	}
	if k, ok := b.Kind.(store.Enqueue); ok {
		if full := t.queueFull(t.j.View, len(k.Input)+len(b.Record)+len(b.Headers)); full != nil {
			return refusing(full), nil
		}
	}
	return nil, nil
}

// start begins the run, or queues it; run is nil then.
func (t *attempt) start(ctx context.Context, b store.Begin, run *execution.Begun, record store.RunRecord) (*outcome, error) {
	sharing := false // of what was asked for
	if run != nil {
		run.Left = run.Continuing && !t.placed && !t.Options.Blocking
		run.Holding = carry.HoldingOfRecord(record, b.RunID)
		sharing = t.share != nil && run.Holding == t.share.Holding()
		run.Counts = sharing && t.share.Counts()
	}
	admitted, stale, err := t.Begin(ctx, b, run)
	if err != nil {
		return nil, err
	}
	decision.NoteRefused(t.Node, t.key, admitted.Refusal, t.j.Input.Resume)
	admitted.Behind = t.v.Behind
	if sharing {
		t.share.Carried = run.Launched
	}
	if t.v.Steer && admitted.Disposition == admission.Started {
		t.Parking.Dismiss(t.v.Continues.Execution)
		t.Control.ended(t.key, t.v.Continues.Caller)
		if len(t.in.Run.Resume) == 0 {
			t.noteUnanswered(&t.in, t.v)
		}
	}
	return &outcome{admitted, stale}, nil
}

// title is what the thread is called with the input.
func (t *attempt) title() string {
	held := t.j.Fold.Messages()
	if t.v.Rewinds {
		held = held[:t.v.Keep]
	}
	return nextTitle(t.j.View.Title, held, t.v.Fresh, t.v.Continues)
}

// clear cancels the active run if its client has left it; nil: nothing was cancelled.
func (t *attempt) clear(ctx context.Context) (*outcome, error) {
	active := t.j.View.Active
	if active == nil || t.in.Left == nil || !t.in.Left(active.ID) {
		return nil, nil
	}
	record, err := stored.Record(active)
	if err != nil {
		return nil, err
	}
	cancelled, err := t.Control.CancelLeft(ctx, t.key, active.ID, record.Label, 0)
	if err != nil || !cancelled.Stopped {
		return nil, err
	}
	return &outcome{admission.Admitted{Cleared: active.ID}, true}, t.share.Replaces(active)
}
