// Package judge is the rules by which an input is judged: on what a thread holds, it
// begins a run, waits, repeats what was accepted before, answers what is open, or is
// refused. It begins nothing.
package judge

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/aguiws/aguiws/adapter/internal/canonical"
	"github.com/aguiws/aguiws/adapter/internal/lifecycle"
	"github.com/aguiws/aguiws/adapter/internal/responseschema"
	"github.com/aguiws/aguiws/adapter/internal/stored"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
	"github.com/aguiws/aguiws/protocol/fold"
)

// Busy says what becomes of an input while another run is active.
type Busy string

const (
	BusyQueue     Busy = "" // it waits
	BusyReject    Busy = "reject"
	BusySupersede Busy = "supersede" // the active run and the queued ones are cancelled
)

// Verdict is what the rules say about an input on a view of its thread. One of
// Refusal, Repeats, Queue and Supersede is set, or the run begins.
type Verdict struct {
	Refusal   *protocol.RunError
	Repeats   *store.RunState // the run that answers the input already
	Queue     bool
	Supersede bool
	// The run Continues the suspended execution with these Decisions, in the
	// order of the open interrupts; Steer ends that execution instead.
	Continues *store.Suspension
	Steer     bool
	Decisions []protocol.ResumeEntry
	Keys      []string // resume keys of the decisions
	Deadline  int64    // Unix ms of the first resolved interrupt to expire; 0: none
	Fresh     protocol.Messages
	// The run begins by taking all but the first Keep messages out of the
	// thread.
	Rewinds bool
	Keep    int
	Edits   bool   // it goes back to a message that it has in other words
	Final   bool   // the decisions are nobody's to give back
	Failure string // the continued run ends at once with this code
	Stops   bool   // the continued run ends at once as cancelled
	// Behind says that the sender, when the run begins, does not hold what the thread
	// does, and that no event will bring it.
	Behind bool
}

// Ends reports whether the continued run ends at once, without a call of its agent.
func (v *Verdict) Ends() bool { return v.Stops || v.Failure != "" }

// Judgement is an input with what was read to judge it.
type Judgement struct {
	Input    *protocol.RunAgentInput
	View     *store.ThreadView
	Fold     *fold.Fold // of the view
	Snapshot *fold.Fold // of the view's stored snapshot
	Duties
	// A new user message without resume cancels what is open.
	CancelsUnanswered bool
	// User is whose input it is; "": nobody's that is known.
	User string
	// Joins: what is active, or waits for answers, may take the input's messages. It is
	// neither refused for that nor answers anything.
	Joins bool
	// LoggedIn is the interrupt that a login resolves, which nobody else can, Event the one
	// that an event does, and Called the one that the end of a call does.
	LoggedIn, Event, Called string
	// Waits is ThreadView.Execution of the view. The view itself has it no more: a run keeps that for
	// as long as it goes on.
	Waits *store.ExecutionView

	sent     protocol.Messages // by the input, before any was recognised
	knows    bool              // the input's sender holds messages of the thread
	behind   bool              // and was cut off from others
	thread   store.ThreadKey
	schemas  *responseschema.Set
	budget   responseschema.Budget // for all payloads of the input
	answered map[string]answeredRun
	refusal  *protocol.RunError // the input asks for too much to be read
}

// answeredRun is an accepted decision with the run that carries it out.
type answeredRun struct {
	store.Answer
	state  *store.RunState
	failed bool // the run ended in RUN_ERROR
}

// Accepted is the verdict on an input that was judged before and has waited since:
// its run begins.
func (j *Judgement) Accepted() Verdict {
	return Verdict{Fresh: j.freshMessages(nil)}
}

// Judge applies the rules in the order of the binding's Answering interrupts: repeat,
// unknown, conflict, coverage, separate duties, expiry, payload. digest is the input's, see InputDigest.
// It changes nothing, and neither does what it refuses. It ends early with ctx.
func (j *Judgement) Judge(ctx context.Context, busy Busy, digest string) (Verdict, error) {
	if j.refusal != nil {
		return Verdict{Refusal: j.refusal}, nil
	}
	open, err := stored.Suspension(j.View.Suspension)
	if err != nil {
		return Verdict{}, err
	}
	queued := j.queuedMessages()
	if !j.answersOpen(open) {
		if repeats, refusal, err := j.repeated(queued, digest); err != nil || repeats != nil || refusal != nil {
			return Verdict{Repeats: repeats, Refusal: refusal}, err
		}
	}
	v := Verdict{Fresh: j.freshMessages(queued), Behind: j.behind}
	if j.Joins {
		v.Queue = open != nil || j.View.Active != nil || len(j.View.Queue) > 0
		v.Refusal = RefuseToJoin(v.Fresh)
		return v, nil
	}
	return j.decide(ctx, v, open, busy)
}

// answersOpen reports whether the input answers what is open. Such an input is never a
// repeat: the answer before was given back.
func (j *Judgement) answersOpen(open *store.Suspension) bool {
	return slices.ContainsFunc(j.Input.Resume, func(e protocol.ResumeEntry) bool { return open.Item(e.InterruptID) != nil })
}

// fromRewound reports whether a message was taken out of the thread by a rewind. It is
// not new: the answer that comes with it is a late one.
func (j *Judgement) fromRewound(m protocol.Message) bool {
	return j.View.Archived[m.ID] && !j.Fold.Has(m.ID)
}

// decide judges an input that is no repeat and does not join a run.
func (j *Judgement) decide(ctx context.Context, v Verdict, open *store.Suspension, busy Busy) (Verdict, error) {
	entries, aside, refusal, err := j.sortEntries(open)
	if err != nil || refusal != nil {
		return Verdict{Refusal: refusal}, err
	}
	if len(j.Input.Resume) == 0 {
		if keep, follows, edits := j.edited(); edits {
			v.Keep, v.Rewinds, v.Edits, v.Fresh = keep, true, true, follows
		}
	}
	unknown := func(m protocol.Message) bool { return !j.fromRewound(m) }
	if len(entries) == 0 && len(aside) > 0 && !slices.ContainsFunc(v.Fresh, unknown) {
		return Verdict{Repeats: aside[len(aside)-1].state}, nil
	}
	if open == nil {
		v.Queue, v.Supersede, v.Refusal = j.whenBusy(busy)
		if !v.Queue && !v.Supersede && v.Refusal == nil && !v.Edits && len(j.Input.Resume) == 0 {
			v.Keep, v.Rewinds = j.rewound()
		}
		// The run that it waits for says more; a rewind restates what is left.
		v.Behind = !v.Rewinds && (v.Behind || v.Queue && j.knows)
		return v, nil
	}
	if j.CancelsUnanswered && len(j.Input.Resume) == 0 &&
		slices.ContainsFunc(v.Fresh, func(m protocol.Message) bool { return m.Role == protocol.RoleUser && unknown(m) }) {
		return j.steerAway(ctx, v, open, busy)
	}
	if len(entries) == 0 {
		return Verdict{Refusal: Refuse(CodePending, j.pending(open),
			map[string]any{"interruptIds": open.IDs()})}, nil
	}
	return j.judgeAnswers(ctx, v, open, entries)
}

// steerAway judges an input as if it cancelled all that is open.
func (j *Judgement) steerAway(ctx context.Context, v Verdict, open *store.Suspension, busy Busy) (Verdict, error) {
	entries := make([]protocol.ResumeEntry, 0, len(open.Items))
	for _, it := range open.Items {
		entries = append(entries, protocol.ResumeEntry{InterruptID: it.ID, Status: protocol.ResumeCancelled})
	}
	v, err := j.judgeAnswers(ctx, v, open, entries)
	if err == nil && v.Refusal == nil {
		if !v.Edits {
			v.Keep, v.Rewinds = j.rewound()
		}
		v.Supersede = busy == BusySupersede && len(j.View.Queue) > 0
	}
	return v, err
}

// queuedMessages are the ids of those that wait in the thread's queue.
func (j *Judgement) queuedMessages() map[string]bool {
	queued := map[string]bool{}
	for _, q := range j.View.Queue {
		if record, err := stored.Record(&store.RunState{Record: q.Record}); err == nil {
			for _, id := range record.Messages {
				queued[id] = true
			}
		}
	}
	return queued
}

// repeated finds the run that the input repeats (binding, Runs): the same label,
// resume and forwardedProps, and no message that neither the thread nor that
// earlier input has. An input of the same user that only says something else is refused:
// it would be lost.
func (j *Judgement) repeated(queued map[string]bool, digest string) (*store.RunState, *protocol.RunError, error) {
	var otherwise *protocol.RunError
	for _, state := range slices.Backward(j.View.Labelled) {
		record, err := stored.Record(&state)
		if err != nil {
			return nil, nil, err
		}
		if digest != record.Digest {
			continue
		}
		brought := j.broughtBefore(&record)
		foreign := slices.ContainsFunc(j.Input.Messages, func(m protocol.Message) bool {
			return !j.Fold.Has(m.ID) && !queued[m.ID] && !j.View.Archived[m.ID] && !brought[m.ID] && !j.neverHeld(m)
		})
		if foreign {
			continue
		}
		// The refusal tells nobody what another user's run was begun with.
		if said, all := j.said(record.Messages); all && said != record.Said && record.User == j.User {
			otherwise = Refuse(CodeInvalidInput, "runId "+j.Input.RunID+" was used for another text: send this one under a new runId, and its message under a new id", nil)
			continue
		}
		return &state, nil, nil
	}
	return nil, otherwise, nil
}

// answersInterrupt reports whether a message is a tool message for a call that
// has or had an interrupt: CopilotKit adds one at every click. It is never new
// and never stored.
func (j *Judgement) answersInterrupt(m protocol.Message) bool {
	return m.Role == protocol.RoleTool && j.View.Asked[m.ToolCallID] && !j.Fold.Has(m.ID)
}

// neverHeld reports whether a message is none that a thread takes from its clients.
func (j *Judgement) neverHeld(m protocol.Message) bool {
	return j.answersInterrupt(m) || m.Role == protocol.RoleActivity
}

// freshMessages are those that neither the thread nor its queue has.
func (j *Judgement) freshMessages(queued map[string]bool) protocol.Messages {
	var fresh protocol.Messages
	taken := map[string]bool{}
	for _, m := range j.Input.Messages {
		if j.Fold.Has(m.ID) || queued[m.ID] || taken[m.ID] || j.neverHeld(m) {
			continue
		}
		taken[m.ID] = true
		fresh = append(fresh, m)
	}
	return fresh
}

// sortEntries separates the entries for open interrupts from those that were
// accepted before and are set aside.
func (j *Judgement) sortEntries(open *store.Suspension) (entries []protocol.ResumeEntry, aside []answeredRun, refusal *protocol.RunError, err error) {
	seen := map[string]bool{}
	var unknown, conflicting, expired, stopped []string
	var first answeredRun
	for _, entry := range j.Input.Resume {
		if seen[entry.InterruptID] {
			return nil, nil, Refuse(CodeInvalidInput, "resume has two entries for interrupt "+entry.InterruptID, nil), nil
		}
		seen[entry.InterruptID] = true
		before, answeredBefore := j.answered[entry.InterruptID]
		switch {
		case open.Item(entry.InterruptID) != nil:
			entries = append(entries, entry)
		case !answeredBefore:
			unknown = append(unknown, entry.InterruptID)
		default:
			key, err := resumeKey(j.thread, entry)
			if err != nil {
				return nil, nil, Refuse(CodeInvalidInput, "the payload for interrupt "+entry.InterruptID+" is not JSON that can be compared", nil), nil
			}
			if key != before.Key && !(entry.Status == protocol.ResumeCancelled && before.failed) {
				if before.Expired {
					expired = append(expired, entry.InterruptID)
					continue
				}
				if first = before; before.Stopped {
					stopped = append(stopped, entry.InterruptID)
					continue
				}
				conflicting = append(conflicting, entry.InterruptID)
				continue
			}
			aside = append(aside, before)
		}
	}
	switch {
	case len(stopped) > 0:
		refusal = Refuse(CodeConflict, "the run that asked was cancelled, and these interrupts with it: "+list(stopped),
			map[string]any{"interruptIds": stopped, "answeredAt": time.UnixMilli(first.At).UTC().Format(time.RFC3339Nano), "runId": first.Label})
	case len(unknown) > 0:
		why := "resume names interrupts that this thread never raised: "
		if j.View.Deleted {
			why = "the thread was deleted, and what was open in it was cancelled: "
		}
		refusal = Refuse(CodeUnknownInterrupt, why+list(unknown), map[string]any{"interruptIds": unknown})
	case len(conflicting) > 0:
		refusal = Refuse(CodeConflict, "these interrupts were already answered differently: "+list(conflicting),
			map[string]any{"interruptIds": conflicting, "answeredAt": time.UnixMilli(first.At).UTC().Format(time.RFC3339Nano), "runId": first.Label})
	case len(expired) > 0:
		refusal = Refuse(CodeExpired, "these interrupts had expired and are not open any more: "+list(expired),
			map[string]any{"interruptIds": expired})
	}
	return entries, aside, refusal, nil
}

// whenBusy decides about an input on a thread without open interrupts.
func (j *Judgement) whenBusy(busy Busy) (queue, supersede bool, refusal *protocol.RunError) {
	if j.View.Active == nil && len(j.View.Queue) == 0 {
		return false, false, nil
	}
	switch busy {
	case BusyReject:
		return false, false, RefuseForNow(CodeThreadBusy, "another run of the thread is under way: try again later")
	case BusySupersede:
		return false, true, nil
	}
	return true, false, nil
}

// judgeAnswers checks coverage, expiry and payloads.
func (j *Judgement) judgeAnswers(ctx context.Context, v Verdict, open *store.Suspension, entries []protocol.ResumeEntry) (Verdict, error) {
	byID := map[string]protocol.ResumeEntry{}
	for _, e := range entries {
		byID[e.InterruptID] = e
	}
	var uncovered, own, expired, logins, waits []string
	answers := payloads{schemas: j.schemas, budget: &j.budget}
	cancelled := 0
	for _, it := range open.Items {
		entry, covered := byID[it.ID]
		if !covered {
			uncovered = append(uncovered, it.ID)
			continue
		}
		key, err := resumeKey(j.thread, entry)
		if err != nil {
			return Verdict{Refusal: Refuse(CodeInvalidInput, "the payload for interrupt "+it.ID+" is not JSON that can be compared", nil)}, nil
		}
		v.Decisions = append(v.Decisions, sent(entry))
		v.Keys = append(v.Keys, key)
		if entry.Status == protocol.ResumeCancelled {
			cancelled++
			continue
		}
		var shown protocol.Interrupt
		if err := stored.Decode(it.Interrupt, &shown, "open interrupt %s", it.ID); err != nil {
			return v, err
		}
		if j.needsLogin(it) {
			logins = append(logins, it.ID)
			continue
		}
		if j.onlyWaits(it) {
			waits = append(waits, it.ID)
			continue
		}
		if it.ID == j.Called {
			continue
		}
		if j.own(open, shown, entry) {
			own = append(own, it.ID)
			continue
		}
		if it.ExpiresAt > 0 {
			if it.ExpiresAt < j.View.Now.UnixMilli() {
				expired = append(expired, it.ID)
				continue
			}
			if v.Deadline == 0 || it.ExpiresAt < v.Deadline {
				v.Deadline = it.ExpiresAt
			}
		}
		if err := answers.check(ctx, shown, entry); err != nil {
			return v, err
		}
	}
	payload := answers.refusal()
	switch {
	case len(uncovered) > 0:
		return Verdict{Refusal: Refuse(CodeUncovered, "resume leaves open interrupts out: "+list(uncovered),
			map[string]any{"interruptIds": uncovered})}, nil
	case len(own) > 0:
		return Verdict{Refusal: refuseOwn(own)}, nil
	case len(logins) > 0:
		return Verdict{Refusal: refuseWithoutLogin(logins)}, nil
	case len(waits) > 0:
		return Verdict{Refusal: refuseToResolve(waits)}, nil
	case len(expired) > 0:
		return Verdict{Refusal: Refuse(CodeExpired, "these interrupts have expired, they can only be cancelled: "+list(expired),
			map[string]any{"interruptIds": expired})}, nil
	case payload != nil:
		return Verdict{Refusal: payload}, nil
	}
	v.Continues, v.Final = open, j.Event != "" || j.Called != "" // who has sent an event, or has ended, cannot be asked again
	v.Steer = cancelled == len(open.Items) && slices.ContainsFunc(v.Fresh, func(m protocol.Message) bool { return m.Role == protocol.RoleUser })
	return v, nil
}

// sent is an entry as a client may send it: what our member of its metadata says, the server
// alone does.
func sent(entry protocol.ResumeEntry) protocol.ResumeEntry {
	if _, ours := entry.Metadata[lifecycle.MetadataKey]; ours {
		entry.Metadata = maps.Clone(entry.Metadata)
		delete(entry.Metadata, lifecycle.MetadataKey)
	}
	return entry
}

// resumeKey is equal for entries that decide the same: metadata is about the
// envelope and does not count.
func resumeKey(thread store.ThreadKey, entry protocol.ResumeEntry) (string, error) {
	return canonical.Digest([]any{thread.Namespace, thread.Thread, entry.InterruptID, entry.Status, entry.Payload})
}

// InputDigest is equal for inputs of which one can be a repeat of the other,
// their messages aside.
func InputDigest(thread store.ThreadKey, input *protocol.RunAgentInput) (string, error) {
	keys := make([]string, len(input.Resume))
	for i, entry := range input.Resume {
		var err error
		if keys[i], err = resumeKey(thread, entry); err != nil {
			return "", err
		}
	}
	slices.Sort(keys)
	return canonical.Digest([]any{keys, input.ForwardedProps})
}
