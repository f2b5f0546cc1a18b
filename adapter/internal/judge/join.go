package judge

import (
	"fmt"

	"github.com/aguiws/aguiws/protocol"
)

// RefuseToJoin refuses messages that events of text do not tell whole; nil: they may join
// a run.
func RefuseToJoin(fresh protocol.Messages) *protocol.RunError {
	if len(fresh) == 0 {
		return Refuse(CodeInvalidInput, "an input that joins a run needs a message that the thread does not hold, and it has none", nil)
	}
	for _, m := range fresh {
		why := ""
		switch {
		case m.Role != protocol.RoleUser:
			why = fmt.Sprintf("is of role %q", m.Role)
		case !m.Content.IsText() || m.Content.String() == "":
			why = "is not of text alone"
		case m.EncryptedValue != "" || m.SubagentRunID != nil || len(m.Metadata) > 0 || len(m.Extra) > 0:
			why = "has more than an id, a name and a text"
		default:
			continue
		}
		return Refuse(CodeInvalidInput, fmt.Sprintf("message %s %s: only text of users can join a run; send the message as an input that waits", m.ID, why), nil)
	}
	return nil
}
