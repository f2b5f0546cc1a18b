package judge

import "github.com/aguiws/aguiws/protocol"

// rewound tells how many of the thread's messages an input keeps, when its messages say
// that its sender has gone back. They are then a proper prefix of the thread's, longer than
// its system and developer messages, possibly followed by new ones. A missing head, or no
// messages, is a filter and takes nothing out.
//
// A sender that was cut off from the agent's last events does not go back by not having
// them.
//
// Activities and reasoning are not compared: clients do not send them all.
func (j *Judgement) rewound() (keep int, ok bool) {
	all := j.Input.Messages
	var sent []int // those that are compared
	for i, m := range all {
		if !notCompared(m) && !j.answersInterrupt(m) {
			sent = append(sent, i)
		}
	}
	same, lead, more := 0, 0, false // lead: system and developer messages in front
	for m := range j.Fold.All() {
		if notCompared(m) {
			continue
		}
		leads := lead == same && (m.Role == protocol.RoleSystem || m.Role == protocol.RoleDeveloper)
		if same == len(sent) || all[sent[same]].ID != m.ID {
			more = !leads
			break
		}
		same++
		if leads {
			lead++
		}
	}
	if !more || same <= lead {
		return 0, false
	}
	last := sent[same-1]
	place, _ := j.Fold.Place(all[last].ID)
	kept, _ := j.Fold.Message(all[last].ID)
	if cutShort(all[last], kept) || cutOffAfter(all, last, j.Fold.From(place)) {
		return 0, false
	}
	for _, i := range sent[same:] {
		if j.Fold.Has(all[i].ID) {
			return 0, false
		}
	}
	return j.Fold.Rank(place) + 1, true
}

func notCompared(m protocol.Message) bool {
	return m.Role == protocol.RoleActivity || m.Role == protocol.RoleReasoning
}
