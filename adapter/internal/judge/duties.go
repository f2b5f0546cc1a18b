package judge

import (
	"encoding/json"
	"slices"

	"github.com/aguiws/aguiws/adapter/internal/lifecycle"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
)

// Duties say who answers, where who asked for a call may not approve it.
type Duties struct {
	Separate bool   // nobody approves what their own inputs led to
	User     string // whose input it is; "": nobody knows
	// Drafted are who has given the answers that the input only brings together, by
	// interrupt.
	Drafted map[string]string
}

// AnotherKey is the member of an interrupt's own metadata that makes it one that
// somebody else than its initiator must resolve.
const AnotherKey = "separateDuties"

// own reports whether resolving an interrupt is refused because whoever answers may
// be one of those whose inputs led to it. A user who is not known may be anybody.
func (j *Judgement) own(open *store.Suspension, shown protocol.Interrupt, entry protocol.ResumeEntry) bool {
	if !j.Duties.Separate || entry.Status != protocol.ResumeResolved || !approves(shown) {
		return false
	}
	user, drafted := j.Duties.Drafted[entry.InterruptID]
	if !drafted {
		user = j.Duties.User
	}
	return user == "" || len(open.Users) == 0 || slices.Contains(open.Users, "") || slices.Contains(open.Users, user)
}

// approves reports whether resolving the interrupt permits something: a tool call, or
// what its agent says needs another.
func approves(shown protocol.Interrupt) bool {
	if shown.Reason == protocol.ReasonToolCall || shown.ToolCallID != "" {
		return true
	}
	var own map[string]json.RawMessage
	_ = json.Unmarshal(shown.Metadata[lifecycle.MetadataKey], &own)
	return string(own[AnotherKey]) == "true"
}

func refuseOwn(ids []string) *protocol.RunError {
	return Refuse(CodeOwnApproval, "whoever asked for this may not approve it: somebody else has to, or you cancel it; if it is not known who asked, it can only be cancelled",
		map[string]any{"interruptIds": ids})
}
