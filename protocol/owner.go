package protocol

import "strconv"

// Owner is who an event or an item belongs to. The zero value is the parent
// agent, which differs from a subagent whose id is empty.
type Owner struct {
	subagent bool
	id       string
}

// NewOwner returns whose an event or an item with this subagentRunId is.
func NewOwner(id *string) Owner {
	if id == nil {
		return Owner{}
	}
	return Owner{subagent: true, id: *id}
}

// Tag is the owner as events carry it.
func (o Owner) Tag() *string {
	if !o.subagent {
		return nil
	}
	return &o.id
}

// String names the owner in a message.
func (o Owner) String() string {
	if !o.subagent {
		return "the parent agent"
	}
	return "subagent " + strconv.Quote(o.id)
}
