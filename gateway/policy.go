package gateway

import (
	"encoding/json"
	"maps"
	"strings"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/protocol"
)

// ownKey is the member of an interrupt's metadata by which agents of this server say what
// becomes of it.
const ownKey = "aguiws"

// judged is an interrupt with what the configuration says of it in place of what the agent
// does: an agent that says what is answered when its time is over would answer itself.
func (r *relay) judged(i protocol.Interrupt) protocol.Interrupt {
	if !r.manners.ownMetadata {
		i = r.withoutPolicy(i)
	}
	if r.manners.separateDuties {
		i = adapter.AnotherResolves(i)
	}
	return i
}

// withoutPolicy leaves out what an interrupt says in the name of this server: what becomes
// of it, and what is done with its answer. It may say that duties are separate, which
// forbids and permits nothing. The reasons of this server are no agent's elsewhere: what
// they promise is done to questions of this server alone.
func (r *relay) withoutPolicy(i protocol.Interrupt) protocol.Interrupt {
	if space, name, namespaced := strings.Cut(i.Reason, ":"); namespaced && strings.EqualFold(strings.TrimSpace(space), ownKey) {
		i.Reason = r.reason(name)
		r.repaired(RepairReason)
	}
	text := i.Metadata[ownKey]
	if text == nil {
		return i
	}
	var own map[string]json.RawMessage
	_ = json.Unmarshal(text, &own)
	another := string(own[duties]) == "true"
	if another && len(own) == 1 {
		return i
	}
	r.repaired(RepairPolicy)
	i.Metadata = maps.Clone(i.Metadata)
	delete(i.Metadata, ownKey)
	if another {
		i = adapter.AnotherResolves(i)
	}
	return i
}

const duties = "separateDuties"
