package judge

import (
	"github.com/aguiws/aguiws/adapter/internal/stored"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
)

// CheckDraft refuses an answer to one of the open interrupts that could not be accepted later.
func (j *Judgement) CheckDraft(open *store.Suspension, entry protocol.ResumeEntry) (*protocol.RunError, error) {
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
	if j.own(open, shown, entry) {
		return refuseOwn([]string{it.ID}), nil
	}
	if it.ExpiresAt > 0 && it.ExpiresAt < j.View.Now.UnixMilli() {
		return Refuse(CodeExpired, "the interrupt has expired, it can only be cancelled",
			map[string]any{"interruptIds": []string{it.ID}}), nil
	}
	problems, err := j.checkPayload(shown, entry)
	if err != nil || len(problems) == 0 {
		return nil, err
	}
	var fields []map[string]string
	for _, p := range problems {
		fields = append(fields, map[string]string{"interruptId": it.ID, "pointer": p.Pointer, "message": p.Message})
	}
	return Refuse(CodePayloadInvalid, "the answer does not fit what was asked: "+fields[0]["pointer"]+" "+fields[0]["message"],
		map[string]any{"fields": fields}), nil
}
