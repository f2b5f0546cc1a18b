package gateway

import (
	"regexp"
	"slices"
	"strings"

	"github.com/aguiws/aguiws/protocol"
)

// Ids of messages are bounded as those in inputs of clients are, which are told them and
// send them back. Ids of calls are not bounded there, and some endpoints keep in them what a
// model has to be sent again.
const (
	maxIDBytes     = 1024
	maxCallIDBytes = 16 << 10
)

// An alias is the id that clients are told for a message or a call of an agent whose own
// id cannot be told: it is taken, empty or too long. It holds the agent's own id in front
// of a tilde and a UUID, so that every server knows the own id without keeping a table.
var aliasForm = regexp.MustCompile(`~[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$`)

const aliasBytes = 1 + 36

// aliasOf makes an alias of an agent's id with a new UUID. For an id that is too long to be
// in one it is the UUID alone, and the agent gets that.
func aliasOf(k kind, own, uuid string) string {
	if len(own)+aliasBytes > k.maxBytes() {
		return uuid
	}
	return own + "~" + uuid
}

// ownOf is the agent's id behind an alias, or the id itself.
func ownOf(id string) string {
	if at := len(id) - aliasBytes; at >= 0 && id[at] == '~' && aliasForm.MatchString(id) {
		return id[:at]
	}
	return id
}

// tellable reports whether clients can be told an agent's id as it is, if it is free.
func tellable(k kind, own string) bool {
	return own != "" && len(own) <= k.maxBytes() && ownOf(own) == own
}

// asOwn are messages under the ids that the agent knows. A message that a user has sent
// keeps its id.
func asOwn(messages protocol.Messages) protocol.Messages {
	var own protocol.Messages // a copy, if anything is other
	for i := range messages {
		m := &messages[i]
		if m.Role == protocol.RoleUser || !aliased(m) {
			continue
		}
		if own == nil {
			own = slices.Clone(messages)
		}
		o := &own[i]
		o.ID, o.ToolCallID = ownOf(o.ID), ownOf(o.ToolCallID)
		o.ToolCalls = slices.Clone(o.ToolCalls)
		for j := range o.ToolCalls {
			o.ToolCalls[j].ID = ownOf(o.ToolCalls[j].ID)
		}
	}
	if own == nil {
		return messages
	}
	return own
}

func aliased(m *protocol.Message) bool {
	return strings.Contains(m.ID, "~") || strings.Contains(m.ToolCallID, "~") ||
		slices.ContainsFunc(m.ToolCalls, func(c protocol.ToolCall) bool { return strings.Contains(c.ID, "~") })
}
