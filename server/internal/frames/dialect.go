package frames

import (
	"net/http"

	"github.com/aguiws/aguiws/protocol"
	"github.com/aguiws/aguiws/protocol/downgrade"
	"github.com/aguiws/aguiws/server/internal/tanstack"
)

// Dialect is what a client needs that AG-UI does not say.
type Dialect string

// TanStack is TanStack AI's: it declares no version and reads today's, and its
// user can answer an interrupt that is bound to it.
const TanStack Dialect = "tanstack"

// DialectOf is the client that a request names.
func DialectOf(r *http.Request) Dialect {
	if named := Dialect(r.URL.Query().Get("client")); named == TanStack {
		return named
	}
	return ""
}

// Of is the client, which an input may show as well.
func (d Dialect) Of(in *protocol.RunAgentInput) Dialect {
	if tanstack.Sent(in) {
		return TanStack
	}
	return d
}

// Profile is what can be sent to the client of an input.
func (d Dialect) Profile(in *protocol.RunAgentInput) downgrade.Profile {
	if d == TanStack && in.ProtocolVersion == "" {
		return downgrade.ProfileCurrent
	}
	return downgrade.ProfileOf(in.ProtocolVersion)
}

// Told is an event as it is told to the client.
func (d Dialect) Told(event []byte) ([]byte, error) {
	if d == TanStack && TypeOf(event) == protocol.TypeRunFinished {
		return tanstack.Bind(event)
	}
	return event, nil
}
