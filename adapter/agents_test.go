package adapter_test

import (
	"strings"
	"testing"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/runner"
	"github.com/aguiws/aguiws/adapter/script"
	"github.com/aguiws/aguiws/redisstore"
)

// There is one default agent, under one name.
func TestDefaultAgent(t *testing.T) {
	agent := script.New(script.Options{})
	st, err := redisstore.Embedded(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	for _, tt := range []struct {
		agents map[string]adapter.Agent
		name   string
		fails  string
	}{
		{map[string]adapter.Agent{"": agent}, "", ""},
		{map[string]adapter.Agent{"a": agent, "b": agent}, "b", ""},
		{map[string]adapter.Agent{"a": agent}, "", `an agent named ""`},
		{map[string]adapter.Agent{"a": agent}, "b", `there is no agent named "b"`},
		{map[string]adapter.Agent{"": agent, "a": agent}, "a", "leave out either"},
	} {
		l, err := runner.New(st, &runner.Options{Agents: tt.agents, Default: tt.name})
		switch {
		case tt.fails != "" && (err == nil || !strings.Contains(err.Error(), tt.fails)):
			t.Errorf("%q: %v, want %s", tt.name, err, tt.fails)
		case tt.fails == "" && err != nil:
			t.Errorf("%q: %v", tt.name, err)
		case tt.fails == "":
			if l.DefaultAgent() != tt.name {
				t.Errorf("%q is called %q", tt.name, l.DefaultAgent())
			}
			_ = l.Shutdown(t.Context())
		}
	}
}
