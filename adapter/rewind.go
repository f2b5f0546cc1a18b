package adapter

import (
	"encoding/json"
	"fmt"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
)

// archive takes the messages after the first keep ones out of the thread.
func archive(b *store.Begin, held protocol.Messages, keep int) error {
	b.Archive = map[string]json.RawMessage{}
	for _, m := range held[keep:] {
		text, err := json.Marshal(m)
		if err != nil {
			return fmt.Errorf("adapter: archive: %w", err)
		}
		b.Archive[m.ID] = text
	}
	return nil
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
