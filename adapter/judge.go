package adapter

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/aguiws/aguiws/adapter/internal/lifecycle"
	"github.com/aguiws/aguiws/adapter/internal/stored"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
)

// The codes of refusals (binding, Refusals).
const (
	CodeInvalidInput      = "invalid_input"
	CodePending           = "interrupts_pending"
	CodeUncovered         = "interrupts_uncovered"
	CodeUnknownInterrupt  = "interrupt_unknown"
	CodeConflict          = "interrupt_conflict"
	CodeExpired           = "interrupt_expired"
	CodePayloadInvalid    = "interrupt_payload_invalid"
	CodeThreadBusy        = "thread_busy"
	CodeStoreUnavailable  = "store_unavailable"
	CodeServerDraining    = "server_draining"
	CodeDuplicate         = "dispatch_duplicate" // DispatchOptions.Dedupe
	CodeGone              = "dispatch_gone"      // Runner.Requeue
	retryBusy             = time.Second
	maxRefusalIDsInErrors = 100
)

// BusyPolicy says what becomes of an input while another run is active.
type BusyPolicy string

const (
	BusyQueue     BusyPolicy = "" // it waits
	BusyReject    BusyPolicy = "reject"
	BusySupersede BusyPolicy = "supersede" // the active run and the queued ones are cancelled
)

// verdict is what the rules say about an input on a view of its thread. One of
// refusal, repeats, queue and supersede is set, or the run starts.
type verdict struct {
	refusal   *protocol.RunError
	repeats   *store.RunState // the run that answers the input already
	queue     bool
	supersede bool
	// The run continues the suspended execution with these decisions, in the
	// order of the open interrupts; steer ends that execution instead.
	continues *store.Suspension
	steer     bool
	decisions []protocol.ResumeEntry
	keys      []string // resume keys of the decisions
	deadline  int64    // Unix ms of the first resolved interrupt to expire; 0: none
	fresh     protocol.Messages
	// The run begins by taking all but the first keep messages out of the
	// thread.
	rewinds bool
	keep    int
	final   bool   // the decisions are nobody's to give back
	failure string // the continued run ends at once with this code
}

// judgement is an input with what was read to judge it.
type judgement struct {
	input    *protocol.RunAgentInput
	view     *store.ThreadView
	fold     *protocol.Fold // of the view
	busy     BusyPolicy
	digest   string // of the input, see inputDigest
	schemas  *schemas
	thread   store.ThreadKey
	answered map[string]answeredRun
	refusal  *protocol.RunError // the input asks for too much to be read
}

// answeredRun is an accepted decision with the run that carries it out.
type answeredRun struct {
	store.Decision
	state  *store.RunState
	failed bool // the run ended in RUN_ERROR
}

// judge applies the rules in the order of the binding's Answering interrupts: repeat, unknown,
// conflict, coverage, expiry, payload. It changes nothing, and neither does
// what it refuses.
func (j *judgement) judge() (verdict, error) {
	if j.refusal != nil {
		return verdict{refusal: j.refusal}, nil
	}
	open, err := stored.Suspension(j.view.Suspension)
	if err != nil {
		return verdict{}, err
	}
	known := j.knownMessages()
	// An answer to what is open is never a repeat: the one before was given back.
	if !slices.ContainsFunc(j.input.Resume, func(e protocol.ResumeEntry) bool { return open.Item(e.InterruptID) != nil }) {
		if repeats, err := j.repeated(known); err != nil || repeats != nil {
			return verdict{repeats: repeats}, err
		}
	}
	v := verdict{fresh: j.freshMessages(known)}
	entries, aside, refusal, err := j.sortEntries(open)
	if err != nil || refusal != nil {
		return verdict{refusal: refusal}, err
	}
	// What a rewind took out of the thread is not new: the answer is a late one.
	unknown := func(m protocol.Message) bool { return !j.view.Archived[m.ID] }
	if len(entries) == 0 && len(aside) > 0 && !slices.ContainsFunc(v.fresh, unknown) {
		return verdict{repeats: aside[len(aside)-1].state}, nil
	}
	if open == nil {
		v.queue, v.supersede, v.refusal = j.whenBusy()
		if !v.queue && !v.supersede && v.refusal == nil && len(j.input.Resume) == 0 {
			v.keep, v.rewinds = j.rewound(j.heldMessages())
		}
		return v, nil
	}
	if len(entries) == 0 {
		return verdict{refusal: refuse(CodePending, "the thread waits for answers: send resume with an entry for each open interrupt",
			map[string]any{"interruptIds": open.IDs()})}, nil
	}
	return j.judgeAnswers(v, open, entries)
}

// heldMessages are the ids that the thread holds.
func (j *judgement) heldMessages() map[string]bool {
	held := map[string]bool{}
	for _, m := range j.fold.Messages() {
		held[m.ID] = true
	}
	return held
}

// knownMessages are the ids that the thread holds or has waiting.
func (j *judgement) knownMessages() map[string]bool {
	known := j.heldMessages()
	for _, q := range j.view.Queue {
		if record, err := stored.Record(&store.RunState{Record: q.Record}); err == nil {
			for _, id := range record.Messages {
				known[id] = true
			}
		}
	}
	return known
}

// repeated finds the run that the input repeats (binding, Runs): the same label,
// resume and forwardedProps, and no message that neither the thread nor that
// earlier input has.
func (j *judgement) repeated(known map[string]bool) (*store.RunState, error) {
	for _, state := range slices.Backward(j.view.Labelled) {
		record, err := stored.Record(&state)
		if err != nil {
			return nil, err
		}
		if record.Digest != j.digest {
			continue
		}
		foreign := slices.ContainsFunc(j.input.Messages, func(m protocol.Message) bool {
			return !known[m.ID] && !j.view.Archived[m.ID] && !slices.Contains(record.Messages, m.ID) && !j.answersInterrupt(m) && m.Role != protocol.RoleActivity
		})
		if !foreign {
			return &state, nil
		}
	}
	return nil, nil
}

// answersInterrupt reports whether a message is a tool message for a call that
// has or had an interrupt: CopilotKit adds one at every click. It is never new
// and never stored.
func (j *judgement) answersInterrupt(m protocol.Message) bool {
	return m.Role == protocol.RoleTool && j.view.Asked[m.ToolCallID]
}

func (j *judgement) freshMessages(known map[string]bool) protocol.Messages {
	var fresh protocol.Messages
	for _, m := range j.input.Messages {
		if known[m.ID] || j.answersInterrupt(m) || m.Role == protocol.RoleActivity {
			continue
		}
		known[m.ID] = true
		fresh = append(fresh, m)
	}
	return fresh
}

// sortEntries separates the entries for open interrupts from those that were
// accepted before and are set aside.
func (j *judgement) sortEntries(open *store.Suspension) (entries []protocol.ResumeEntry, aside []answeredRun, refusal *protocol.RunError, err error) {
	seen := map[string]bool{}
	var unknown, conflicting []string
	var first answeredRun
	for _, entry := range j.input.Resume {
		if seen[entry.InterruptID] {
			return nil, nil, refuse(CodeInvalidInput, "resume has two entries for interrupt "+entry.InterruptID, nil), nil
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
				return nil, nil, refuse(CodeInvalidInput, "the payload for interrupt "+entry.InterruptID+" is not JSON that can be compared", nil), nil
			}
			if key != before.Key && !(entry.Status == protocol.ResumeCancelled && before.failed) {
				conflicting = append(conflicting, entry.InterruptID)
				first = before
				continue
			}
			aside = append(aside, before)
		}
	}
	switch {
	case len(unknown) > 0:
		refusal = refuse(CodeUnknownInterrupt, "resume names interrupts that this thread never raised: "+list(unknown),
			map[string]any{"interruptIds": unknown})
	case len(conflicting) > 0:
		refusal = refuse(CodeConflict, "these interrupts were already answered differently: "+list(conflicting),
			map[string]any{"interruptIds": conflicting, "answeredAt": time.UnixMilli(first.At).UTC().Format(time.RFC3339Nano), "runId": first.Label})
	}
	return entries, aside, refusal, nil
}

// whenBusy decides about an input on a thread without open interrupts.
func (j *judgement) whenBusy() (queue, supersede bool, refusal *protocol.RunError) {
	if j.view.Active == nil && len(j.view.Queue) == 0 {
		return false, false, nil
	}
	switch j.busy {
	case BusyReject:
		return false, false, refuse(CodeThreadBusy, "another run of the thread is under way: try again later",
			map[string]any{"retryAfterMs": retryBusy.Milliseconds()})
	case BusySupersede:
		return false, true, nil
	}
	return true, false, nil
}

// judgeAnswers checks coverage, expiry and payloads.
func (j *judgement) judgeAnswers(v verdict, open *store.Suspension, entries []protocol.ResumeEntry) (verdict, error) {
	byID := map[string]protocol.ResumeEntry{}
	for _, e := range entries {
		byID[e.InterruptID] = e
	}
	var uncovered, expired []string
	var fields []map[string]string
	cancelled := 0
	for _, it := range open.Items {
		entry, covered := byID[it.ID]
		if !covered {
			uncovered = append(uncovered, it.ID)
			continue
		}
		key, err := resumeKey(j.thread, entry)
		if err != nil {
			return verdict{refusal: refuse(CodeInvalidInput, "the payload for interrupt "+it.ID+" is not JSON that can be compared", nil)}, nil
		}
		v.decisions = append(v.decisions, entry)
		v.keys = append(v.keys, key)
		if entry.Status == protocol.ResumeCancelled {
			cancelled++
			continue
		}
		if it.ExpiresAt > 0 {
			if it.ExpiresAt < j.view.Now.UnixMilli() {
				expired = append(expired, it.ID)
				continue
			}
			if v.deadline == 0 || it.ExpiresAt < v.deadline {
				v.deadline = it.ExpiresAt
			}
		}
		problems, err := j.checkPayload(it, entry)
		if err != nil {
			return v, err
		}
		for _, p := range problems {
			fields = append(fields, map[string]string{"interruptId": it.ID, "pointer": p.Pointer, "message": p.Message})
		}
	}
	switch {
	case len(uncovered) > 0:
		return verdict{refusal: refuse(CodeUncovered, "resume leaves open interrupts out: "+list(uncovered),
			map[string]any{"interruptIds": uncovered})}, nil
	case len(expired) > 0:
		return verdict{refusal: refuse(CodeExpired, "these interrupts have expired, they can only be cancelled: "+list(expired),
			map[string]any{"interruptIds": expired})}, nil
	case len(fields) > 0:
		return verdict{refusal: refuse(CodePayloadInvalid, "the answer does not fit what was asked: "+
			strings.TrimSpace(fields[0]["pointer"]+" "+fields[0]["message"]), map[string]any{"fields": fields})}, nil
	}
	v.continues = open
	v.steer = cancelled == len(open.Items) && slices.ContainsFunc(v.fresh, func(m protocol.Message) bool { return m.Role == protocol.RoleUser })
	return v, nil
}

func (j *judgement) checkPayload(it store.SuspendedInterrupt, entry protocol.ResumeEntry) ([]protocol.Problem, error) {
	var shown protocol.Interrupt
	if err := stored.Decode(it.Interrupt, &shown, "open interrupt %s", it.ID); err != nil {
		return nil, err
	}
	if shown.ResponseSchema.IsZero() {
		return nil, nil
	}
	return j.schemas.check(shown.ResponseSchema, entry.Payload)
}

// resumeKey is equal for entries that decide the same: metadata is about the
// envelope and does not count.
func resumeKey(thread store.ThreadKey, entry protocol.ResumeEntry) (string, error) {
	return digest([]any{thread.Namespace, thread.Thread, entry.InterruptID, entry.Status, entry.Payload})
}

// inputDigest is equal for inputs of which one can be a repeat of the other,
// their messages aside.
func inputDigest(thread store.ThreadKey, input *protocol.RunAgentInput) (string, error) {
	keys := make([]string, len(input.Resume))
	for i, entry := range input.Resume {
		key, err := resumeKey(thread, entry)
		if err != nil {
			return "", err
		}
		keys[i] = key
	}
	slices.Sort(keys)
	return digest([]any{keys, input.ForwardedProps})
}

// refuse makes the RUN_ERROR of a refusal, with its details.
func refuse(code, message string, details map[string]any) *protocol.RunError {
	e := &protocol.RunError{Code: code, Message: message}
	if details != nil {
		if text, err := json.Marshal(details); err == nil {
			e.Metadata = protocol.Metadata{lifecycle.MetadataKey: text}
		}
	}
	return e
}

func list(ids []string) string {
	if len(ids) > maxRefusalIDsInErrors {
		ids = ids[:maxRefusalIDsInErrors]
	}
	return strings.Join(ids, ", ")
}
