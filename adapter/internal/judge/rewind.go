package judge

import "github.com/aguiws/aguiws/protocol"

// rewound tells how many of the thread's messages an input keeps, when its
// messages say that its sender has gone back: they are a proper prefix of the
// thread's, longer than its system and developer messages, possibly followed by
// new ones. A missing head, or no messages, is a filter and takes nothing out.
//
// Nor does who was cut off from the agent's last events go back by not having them.
//
// Activities and reasoning are not compared: clients do not send them all.
func (j *Judgement) rewound(known map[string]bool) (keep int, ok bool) {
	held := j.Fold.Messages()
	var own []int // positions in held of what is compared
	for i, m := range held {
		if m.Role != protocol.RoleActivity && m.Role != protocol.RoleReasoning {
			own = append(own, i)
		}
	}
	same, last := 0, 0
	var rest []protocol.Message
	for i, m := range j.Input.Messages {
		if m.Role == protocol.RoleActivity || m.Role == protocol.RoleReasoning || j.answersInterrupt(m) {
			continue
		}
		if len(rest) == 0 && same < len(own) && held[own[same]].ID == m.ID {
			same, last = same+1, i
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
	kept := held[own[same-1]:]
	if cutShort(j.Input.Messages[last], kept[0]) || cutOffAfter(j.Input.Messages, last, kept) {
		return 0, false
	}
	for _, m := range rest {
		if known[m.ID] {
			return 0, false
		}
	}
	return own[same-1] + 1, true
}
