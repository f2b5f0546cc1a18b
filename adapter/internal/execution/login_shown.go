package execution

import (
	"encoding/json"

	"github.com/aguiws/aguiws/adapter/internal/node"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
)

// showLogin puts into an interrupt what a login needs, which a configuration may word
// otherwise by the next replay: it is no part of what a replay compares.
func showLogin(n *node.Node, i *protocol.Interrupt, thread string, of *store.Login) {
	scopes, _ := json.Marshal(of.Scopes)
	text := func(s string) json.RawMessage {
		t, _ := json.Marshal(s)
		return t
	}
	title := n.Options.Logins.Title(of.Provider)
	i.Message = "Sign in at " + title + " to go on."
	i.Metadata = protocol.Metadata{
		"authorizeUrl": text(n.Options.Logins.URL(thread, i.ID)), "provider": text(of.Provider), "providerTitle": text(title),
	}
	if len(of.Scopes) > 0 {
		i.Metadata["scopes"] = scopes
	}
}
