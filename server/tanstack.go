package server

import (
	"net/http"

	"github.com/aguiws/aguiws/protocol"
	"github.com/aguiws/aguiws/protocol/downgrade"
	"github.com/aguiws/aguiws/server/internal/tanstack"
)

// dialect is what a client needs that AG-UI does not say.
type dialect string

// dialectTanStack is TanStack AI's: it declares no version and reads today's, and its
// user can answer an interrupt that is bound to it.
const dialectTanStack dialect = "tanstack"

// dialectOf is the client that a request names.
func dialectOf(r *http.Request) dialect {
	if named := dialect(r.URL.Query().Get("client")); named == dialectTanStack {
		return named
	}
	return ""
}

// of is the client, which an input may show as well.
func (d dialect) of(in *protocol.RunAgentInput) dialect {
	if tanstack.Sent(in) {
		return dialectTanStack
	}
	return d
}

// profile is what can be sent to the client of an input.
func (d dialect) profile(in *protocol.RunAgentInput) downgrade.Profile {
	if d == dialectTanStack && in.ProtocolVersion == "" {
		return downgrade.ProfileCurrent
	}
	return downgrade.ProfileOf(in.ProtocolVersion)
}

// told is an event as it is told to the client.
func (d dialect) told(event []byte) ([]byte, error) {
	if d == dialectTanStack && typeOf(event) == protocol.TypeRunFinished {
		return tanstack.Bind(event)
	}
	return event, nil
}
