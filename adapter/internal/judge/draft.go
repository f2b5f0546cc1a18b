package judge

import (
	"context"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
)

// CheckDraft refuses an answer that could not be accepted later.
func (j *Judgement) CheckDraft(ctx context.Context, it store.SuspendedInterrupt, entry protocol.ResumeEntry) (*protocol.RunError, error) {
	if _, err := resumeKey(j.thread, entry); err != nil {
		return Refuse(CodeInvalidInput, "the payload for interrupt "+it.ID+" is not JSON that can be compared", nil), nil
	}
	if entry.Status == protocol.ResumeCancelled {
		return nil, nil
	}
	if it.ExpiresAt > 0 && it.ExpiresAt < j.View.Now.UnixMilli() {
		return Refuse(CodeExpired, "the interrupt has expired, it can only be cancelled",
			map[string]any{"interruptIds": []string{it.ID}}), nil
	}
	p := payloads{schemas: j.schemas, budget: &j.budget}
	if err := p.check(ctx, it, entry); err != nil {
		return nil, err
	}
	return p.refusal(), nil
}
