package protocol

import "strconv"

// owner is who an event or an item belongs to. The zero value is the parent
// agent, which differs from a subagent whose id is empty.
type owner struct {
	subagent bool
	id       string
}

func ownerOf(id *string) owner {
	if id == nil {
		return owner{}
	}
	return owner{subagent: true, id: *id}
}

// tag is the owner as events carry it.
func (o owner) tag() *string {
	if !o.subagent {
		return nil
	}
	return &o.id
}

func (o owner) String() string {
	if !o.subagent {
		return "the parent agent"
	}
	return "subagent " + strconv.Quote(o.id)
}
