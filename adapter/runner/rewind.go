package runner

import (
	"encoding/json"

	"github.com/aguiws/aguiws/protocol"
)

// archive is what is kept of messages that are taken out of the thread: their ids, by
// which they are known when a client brings them again. The rest would be kept for
// nobody, and grow the thread with every message that is taken back.
func archive(messages protocol.Messages) map[string]json.RawMessage {
	kept := map[string]json.RawMessage{}
	for _, m := range messages {
		kept[m.ID] = json.RawMessage(`1`)
	}
	return kept
}

// cutTo restates messages so that clients that hold more take the rest back.
// Without any activity or reasoning in it, a snapshot would leave clients what
// they have of those.
func cutTo(kept, held protocol.Messages) *protocol.MessagesSnapshot {
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
