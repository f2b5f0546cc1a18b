package adapter

import (
	"encoding/json"
	"fmt"

	"github.com/aguiws/aguiws/protocol"
)

// rewound tells how many of the thread's messages an input keeps, when its
// messages say that its sender has gone back: they are a proper prefix of the
// thread's, longer than its system and developer messages, possibly followed by
// new ones. A missing head, or no messages, is a filter and takes nothing out.
//
// Activities and reasoning are not compared: clients do not send them all.
func (j *judgement) rewound(known map[string]bool) (keep int, ok bool) {
	held := j.fold.Messages()
	var own []int // positions in held of what is compared
	for i, m := range held {
		if m.Role != protocol.RoleActivity && m.Role != protocol.RoleReasoning {
			own = append(own, i)
		}
	}
	same := 0
	var rest []protocol.Message
	for _, m := range j.input.Messages {
		if m.Role == protocol.RoleActivity || m.Role == protocol.RoleReasoning || j.answersInterrupt(m) {
			continue
		}
		if len(rest) == 0 && same < len(own) && held[own[same]].ID == m.ID {
			same++
			continue
		}
		rest = append(rest, m)
	}
	head := 0
	for head < len(own) && (held[own[head]].Role == protocol.RoleSystem || held[own[head]].Role == protocol.RoleDeveloper) {
		head++
	}
	if same == len(own) || same <= head {
		return 0, false
	}
	for _, m := range rest {
		if known[m.ID] {
			return 0, false
		}
	}
	return own[same-1] + 1, true
}

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
