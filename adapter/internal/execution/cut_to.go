package execution

import (
	"encoding/json"

	"github.com/aguiws/aguiws/protocol"
)

// CutTo restates messages so that clients that hold more take the rest back.
// Without any activity or reasoning in it, a snapshot would leave clients what
// they have of those.
func CutTo(kept, held protocol.Messages) *protocol.MessagesSnapshot {
	restated := &protocol.MessagesSnapshot{Messages: kept}
	activities, reasoning := 0, 0
	for _, m := range kept {
		if m.Role == protocol.RoleReasoning {
			reasoning++
		}
	}
	for _, m := range held {
		switch m.Role {
		case protocol.RoleActivity:
			activities++
		case protocol.RoleReasoning:
			if reasoning == 0 {
				m.Content = protocol.Text("")
				restated.Messages = append(restated.Messages, m)
				reasoning++
			}
		}
	}
	if activities > 0 {
		restated.Metadata = protocol.Metadata{"@ag-ui/client": json.RawMessage(`{"authoritativeActivityTypes":null}`)}
	}
	return restated
}
