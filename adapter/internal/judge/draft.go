package judge

import (
	"context"

	"github.com/aguiws/aguiws/adapter/internal/stored"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
)

// CheckDraft refuses an answer to one of the open interrupts that could not be accepted later.
func (j *Judgement) CheckDraft(ctx context.Context, open *store.Suspension, entry protocol.ResumeEntry) (*protocol.RunError, error) {
	it := open.Item(entry.InterruptID)
	if _, err := resumeKey(j.thread, entry); err != nil {
		return Refuse(CodeInvalidInput, "the payload for interrupt "+it.ID+" is not JSON that can be compared", nil), nil
	}
	if entry.Status == protocol.ResumeCancelled {
		return nil, nil
	}
	var shown protocol.Interrupt
	if err := stored.Decode(it.Interrupt, &shown, "open interrupt %s", it.ID); err != nil {
		return nil, err
	}
	if j.needsLogin(*it) {
		return refuseWithoutLogin([]string{it.ID}), nil
	}
	if j.onlyWaits(*it) {
		return refuseToResolve([]string{it.ID}), nil
	}
	if j.own(open, shown, entry) {
		return refuseOwn([]string{it.ID}), nil
	}
	if it.ExpiresAt > 0 && it.ExpiresAt < j.View.Now.UnixMilli() {
		return Refuse(CodeExpired, "the interrupt has expired, it can only be cancelled",
			map[string]any{"interruptIds": []string{it.ID}}), nil
	}
	p := payloads{schemas: j.schemas, budget: &j.budget}
	if err := p.check(ctx, shown, entry); err != nil {
		return nil, err
	}
	return p.refusal(), nil
}
