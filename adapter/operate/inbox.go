package operate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/admission"
	"github.com/aguiws/aguiws/adapter/internal/admit"
	"github.com/aguiws/aguiws/adapter/internal/carry"
	"github.com/aguiws/aguiws/adapter/internal/decision"
	"github.com/aguiws/aguiws/adapter/internal/judge"
	"github.com/aguiws/aguiws/adapter/internal/lifecycle"
	"github.com/aguiws/aguiws/adapter/internal/node"
	"github.com/aguiws/aguiws/adapter/internal/stored"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
)

// inbox shows what is open, and answers it.
type inbox struct {
	*node.Node
	admission *admit.Admission
	threads   *threads
	backoff   *carry.Backoff
}

// Answered answers Answer.
type Answered struct {
	// Missing are the open interrupts that have no answer yet: what was given is
	// kept as drafts. Empty: all are answered, and Admitted says what became of
	// the resume.
	Missing  []string
	Admitted admission.Admitted
	// Thread is where they were given, if that is a thread below which has asked; "": in the
	// one that was named.
	Thread string
}

// Answer answers open interrupts of a thread, some of them or all. Answers to
// some are kept as drafts, and replaced by later ones, until all are covered;
// then they are submitted as one resume. What a thread below has asked is answered there.
//
// client.Resolve and client.Withdraw make entries. tenant is Suspended.Tenant. A refusal is no
// error: it is in Admitted.Refusal, Missing is empty, and nothing is kept.
// user is whose answers these are, as Input.User. from says how they came, such as
// store.Origin{Through: store.ThroughInbox}. label is the runId of the continuation; "": a new
// one. The same answers sent again are repeats under any label. headers are Input.Headers, and
// those of the last answer go with the resume; nil: none.
func (ib *inbox) Answer(ctx context.Context, key store.ThreadKey, tenant, user, label string, entries []protocol.ResumeEntry, from store.Origin, headers map[string]string) (Answered, error) {
	input := &protocol.RunAgentInput{ThreadID: key.Thread, RunID: cmp.Or(label, uuid.NewString()), ProtocolVersion: lifecycle.Version, Resume: entries}
	in := admit.Request{Input: admission.Input{Namespace: key.Namespace, Tenant: tenant, User: user, Agent: ib.Options.Default, From: from, Run: input, Headers: headers}}
	if refusal := ib.admission.CheckInput(&in); refusal != nil {
		return Answered{Admitted: admit.Refused(refusal)}, nil
	}
	if len(entries) == 0 {
		return Answered{Admitted: admit.Refused(judge.Refuse(adapter.CodeInvalidInput, "the input has no answer: give at least one", nil))}, nil
	}
	answered, err := ib.answerAt(ctx, key, in, entries)
	if below := answered.Admitted.Elsewhere; err == nil && below != "" {
		key.Thread = below
		run := *in.Run
		run.ThreadID, in.Run = below, &run
		answered, err = ib.answerAt(ctx, key, in, entries)
		answered.Thread = below
	}
	return answered, err
}

func (ib *inbox) answerAt(ctx context.Context, key store.ThreadKey, in admit.Request, entries []protocol.ResumeEntry) (Answered, error) {
	return ib.inTurn(ctx, key, func() (Answered, bool, error) { return ib.answer(ctx, key, in, entries) })
}

// inTurn does something about a thread's answers, and again while the thread changes meanwhile.
func (ib *inbox) inTurn(ctx context.Context, key store.ThreadKey, do func() (answered Answered, stale bool, err error)) (Answered, error) {
	give, refusal, err := ib.admission.Turns.Take(ctx, key)
	if err != nil || refusal != nil {
		return Answered{Admitted: admission.Admitted{Disposition: admission.Refused, Refusal: refusal}}, err
	}
	defer give()
	for lost := (admit.Losses{}); ; {
		answered, stale, err := do()
		if errors.Is(err, store.ErrCorrupted) {
			return Answered{Admitted: admit.Refused(ib.backoff.Unreadable(key, err))}, nil
		}
		if err != nil || !stale {
			return answered, err
		}
		if !lost.Again(ctx) {
			return Answered{}, fmt.Errorf("%w: the thread changes too fast to be answered", store.ErrOutcomeUnknown)
		}
	}
}

func (ib *inbox) answer(ctx context.Context, key store.ThreadKey, in admit.Request, entries []protocol.ResumeEntry) (Answered, bool, error) {
	j, open, err := ib.asked(ctx, key, in)
	if err != nil {
		return Answered{}, false, err
	}
	given, by := map[string]protocol.ResumeEntry{}, map[string]decision.Signature{}
	for id, text := range j.View.Drafts {
		var draft protocol.ResumeEntry
		if err := stored.Decode(text, &draft, "the draft for interrupt %s", id); err != nil {
			return Answered{}, false, err
		}
		by[id], given[id] = decision.DraftOf(&draft), draft
	}
	foreign := false
	for _, e := range entries {
		by[e.InterruptID], given[e.InterruptID] = decision.Signature{User: in.User, Origin: in.From}, e
		foreign = foreign || open.Item(e.InterruptID) == nil
	}
	missing := 0
	all := &protocol.RunAgentInput{ThreadID: key.Thread, RunID: in.Run.RunID, ProtocolVersion: lifecycle.Version}
	if open != nil {
		for _, it := range open.Items {
			entry, ok := given[it.ID]
			if !ok {
				missing++
				continue
			}
			all.Resume = append(all.Resume, entry)
		}
	}
	if foreign || missing == 0 {
		version := j.View.Version // drafts may be taken back until all is accepted
		if foreign {
			all.Resume, version = entries, 0 // Submit says what is wrong, or that it is a repeat
		}
		in.Run, in.Drafted = all, by
		admitted, moved, err := ib.admission.SubmitAt(ctx, in, version)
		return Answered{Admitted: admitted}, moved, err
	}
	answered, stale, err := ib.keep(ctx, key, in, j, open, entries)
	// Others may have given the rest meanwhile: then it is all there to submit.
	return answered, stale || err == nil && answered.Admitted.Refusal == nil && len(answered.Missing) == 0, err
}

// reviewed is how long it is noted that somebody looks at open interrupts, unless that is
// noted again.
const reviewed = time.Minute

// Review notes for a minute that a user, as Input.User, looks at the open interrupts of a
// thread, or, over, does no longer. It returns all who do; false: nothing is open. A user
// without a name is nobody to note.
func (ib *inbox) Review(ctx context.Context, key store.ThreadKey, user string, over bool) ([]string, bool, error) {
	length := reviewed
	if over || user == "" {
		length = 0
	}
	return ib.Store.Review(ctx, key, user, length)
}

// assigned is how long open interrupts are somebody's to answer, unless that is noted again.
const assigned = time.Hour

// Assign notes for an hour that the open interrupts of a thread are a user's to answer, as
// Input.User, and nobody else's; over: they are not this user's any more. False: nothing is
// open. A user without a name is nobody to note.
func (ib *inbox) Assign(ctx context.Context, key store.ThreadKey, user string, over bool) (bool, error) {
	length := assigned
	if over || user == "" {
		length = 0
	}
	return ib.Store.Assign(ctx, key, user, length)
}
