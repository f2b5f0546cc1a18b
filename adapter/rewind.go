package adapter

import (
	"encoding/json"
	"fmt"

	"github.com/aguiws/aguiws/protocol"
)

// archive is what is kept of messages that are taken out of the thread.
func archive(messages protocol.Messages) (map[string]json.RawMessage, error) {
	kept := map[string]json.RawMessage{}
	for _, m := range messages {
		text, err := json.Marshal(m)
		if err != nil {
			return nil, fmt.Errorf("adapter: archive: %w", err)
		}
		kept[m.ID] = text
	}
	return kept, nil
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
