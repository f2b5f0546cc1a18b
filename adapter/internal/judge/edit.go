package judge

import (
	"slices"

	"github.com/aguiws/aguiws/protocol"
)

// edited finds the first message of a user that the input has in other words than the
// thread, under its id: how many of the thread's stand before it, and what follows there as
// the input has it. Frontends edit so, and AG-UI's own agents go back to such a message.
// Differences that a client's copy may have without an edit do not count, such as answers
// that were cut short, parts that it could not be told, and metadata.
func (j *Judgement) edited() (keep int, follows protocol.Messages, ok bool) {
	at := slices.IndexFunc(j.Input.Messages, func(m protocol.Message) bool {
		if m.Role != protocol.RoleUser {
			return false
		}
		held, known := j.Fold.Message(m.ID)
		return known && held.Role == protocol.RoleUser && saysOtherwise(m.Content, held.Content)
	})
	if at < 0 {
		return 0, nil, false
	}
	place, _ := j.Fold.Place(j.Input.Messages[at].ID)
	keep = j.Fold.Rank(place)
	taken := map[string]bool{}
	for i, m := range j.Input.Messages[at:] {
		stands, held := j.Fold.Place(m.ID)
		if taken[m.ID] || j.neverHeld(m) || held && stands < place {
			continue
		}
		taken[m.ID] = true
		if whole, held := j.Fold.Message(m.ID); held && i > 0 && m.Role != protocol.RoleUser {
			m = whole
		}
		follows = append(follows, m)
	}
	return keep, follows, true
}

// saysOtherwise reports whether content was sent that is not what is held: other words, or
// another picture. Empty content is no edit.
func saysOtherwise(sent, held *protocol.Content) bool {
	parts, _ := sent.Parts()
	if sent.String() == "" && len(parts) == 0 {
		return false
	}
	if sent.String() != held.String() {
		return true
	}
	there := map[string]bool{}
	of, _ := held.Parts()
	for _, p := range of {
		if p.Source != nil {
			there[p.Source.Value] = true
		}
	}
	return slices.ContainsFunc(parts, func(p protocol.Part) bool { return p.Source != nil && !there[p.Source.Value] })
}

// RefuseToWait refuses an input that edits a message and would have to wait: by then it may
// stand behind others.
func RefuseToWait() *protocol.RunError {
	return RefuseForNow(CodeThreadBusy, "a message that the thread holds was edited, and an input that goes back cannot wait: stop the run that is under way, or wait until it has ended")
}
