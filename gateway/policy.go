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

// withoutPolicy leaves out what an interrupt says of its expiry, however that is written:
// names are read in any case.
func (r *relay) withoutPolicy(i protocol.Interrupt) protocol.Interrupt {
	text := i.Metadata[ownKey]
	if text == nil {
		return i
	}
	var own map[string]json.RawMessage
	if json.Unmarshal(text, &own) != nil {
		return i // what is no object says nothing
	}
	before := len(own)
	maps.DeleteFunc(own, func(name string, _ json.RawMessage) bool {
		return strings.EqualFold(name, "onExpiry") || strings.EqualFold(name, "expiryAnswer") || strings.EqualFold(name, "expiryGraceMs")
	})
	if len(own) == before {
		return i
	}
	r.repaired(RepairPolicy)
	i.Metadata = maps.Clone(i.Metadata)
	delete(i.Metadata, ownKey)
	if len(own) > 0 {
		i.Metadata[ownKey], _ = json.Marshal(own) // of JSON that was read
	}
	return i
}
