package operate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/admission"
	"github.com/aguiws/aguiws/adapter/internal/admit"
	"github.com/aguiws/aguiws/adapter/internal/decision"
	"github.com/aguiws/aguiws/adapter/internal/judge"
	"github.com/aguiws/aguiws/adapter/internal/lifecycle"
	"github.com/aguiws/aguiws/adapter/internal/stored"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
)

// maxDraftBytes is what a store keeps of a draft.
const maxDraftBytes = 64 << 10

var errNotOpen = errors.New("adapter: the interrupt is not open")

// KeepDraft keeps an answer to an open interrupt of a thread as a draft, and submits nothing,
// even if all have one by then: Answer does that. The arguments are Answer's. False: the
// interrupt is not open.
func (ib *inbox) KeepDraft(ctx context.Context, key store.ThreadKey, tenant, user string, entry protocol.ResumeEntry, from store.Origin) (*protocol.RunError, bool, error) {
	entries := []protocol.ResumeEntry{entry}
	input := &protocol.RunAgentInput{ThreadID: key.Thread, RunID: uuid.NewString(), ProtocolVersion: lifecycle.Version, Resume: entries}
	in := admit.Request{Input: admission.Input{Namespace: key.Namespace, Tenant: tenant, User: user, Agent: ib.Options.Default, From: from, Run: input}}
	if refusal := ib.admission.CheckInput(&in); refusal != nil {
		return refusal, true, nil
	}
	kept, err := ib.inTurn(ctx, key, func() (Answered, bool, error) {
		j, open, err := ib.asked(ctx, key, in)
		if err == nil && open.Item(entry.InterruptID) == nil {
			err = errNotOpen
		}
		if err != nil {
			return Answered{}, false, err
		}
		return ib.keep(ctx, key, in, j, open, entries)
	})
	if errors.Is(err, errNotOpen) {
		return nil, false, nil
	}
	return kept.Admitted.Refusal, true, err
}

// DropDraft takes a draft back; user is who does it, as Input.User. False: the interrupt is not open.
func (ib *inbox) DropDraft(ctx context.Context, key store.ThreadKey, user, interruptID string) (bool, error) {
	_, ok, err := ib.Store.Drafts(ctx, key, 0, user, map[string]json.RawMessage{interruptID: nil})
	return ok, err
}

// asked reads what is open in a thread, to judge answers by.
func (ib *inbox) asked(ctx context.Context, key store.ThreadKey, in admit.Request) (*judge.Judgement, *store.Suspension, error) {
	j, err := admit.Read(ctx, ib.Node, key, in.Run)
	if err != nil {
		return nil, nil, err
	}
	j.Duties = judge.Duties{Separate: ib.Options.SeparateDuties, User: in.User}
	open, err := stored.Suspension(j.View.Suspension)
	return j, open, err
}

// keep keeps answers to what is open as drafts. Missing are those that have none by then.
func (ib *inbox) keep(ctx context.Context, key store.ThreadKey, in admit.Request, j *judge.Judgement, open *store.Suspension, entries []protocol.ResumeEntry) (Answered, bool, error) {
	drafts := map[string]json.RawMessage{}
	for _, e := range entries {
		refusal, err := j.CheckDraft(ctx, open, e)
		if err != nil || refusal != nil {
			decision.NoteRefused(ib.Node, key, refusal, []protocol.ResumeEntry{e})
			return Answered{Admitted: admit.Refused(refusal)}, false, err
		}
		if drafts[e.InterruptID], err = json.Marshal(decision.Signed(e, decision.Signature{User: in.User, Origin: in.From})); err != nil {
			return Answered{}, false, fmt.Errorf("adapter: draft: %w", err)
		}
		if n := len(drafts[e.InterruptID]); n > maxDraftBytes {
			return Answered{Admitted: admit.Refused(judge.Refuse(adapter.CodeInvalidInput, fmt.Sprintf(
				"the answer to interrupt %s has %d bytes, and at most %d are kept until the others are given: give all of them at once",
				e.InterruptID, n, maxDraftBytes), nil))}, false, nil
		}
	}
	now, kept, err := ib.Store.Drafts(ctx, key, j.View.Version, in.User, drafts)
	if err != nil || !kept {
		return Answered{}, err == nil, err
	}
	return Answered{Missing: slices.DeleteFunc(open.IDs(), func(id string) bool { return now[id] != nil })}, false, nil
}
