package controlapi

import (
	"slices"

	"github.com/aguiws/aguiws/server/identity"
)

type meJSON struct {
	User      string   `json:"user" jsonschema:"The user that the credential stands for."`
	Tenant    string   `json:"tenant"`
	Namespace string   `json:"namespace" jsonschema:"The namespace of the caller's threads."`
	Name      string   `json:"name,omitempty" jsonschema:"The name by which people call the user, if the credential says it."`
	Scopes    []string `json:"scopes" jsonschema:"The scopes of the caller. A credential without scopes may read and run."`
}

func meOperations() []operation {
	return []operation{
		{method: "GET", path: "/me", id: "getMe", summary: "Read who the caller is, and what the caller may do",
			whoever: true, status: 200, answer: meJSON{}, serve: (*call).getMe},
	}
}

func (c *call) getMe() (any, error) {
	id := c.caller.Identity
	scopes := slices.Clone(id.Scopes)
	if scopes == nil {
		scopes = []string{identity.ScopeRead, identity.ScopeRun}
	}
	return meJSON{id.User, id.Tenant, id.Namespace, id.Name, scopes}, nil
}
