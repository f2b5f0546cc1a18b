package server

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/runner"
	"github.com/aguiws/aguiws/adapter/script"
	"github.com/aguiws/aguiws/protocol"
)

// Whoever is known is told which agents there are: the default one first, named or not, and of
// each what it says of itself, if it says anything.
func TestAgentsAreListed(t *testing.T) {
	said := map[string]func(context.Context) (*protocol.AgentCapabilities, error){
		"travel": func(context.Context) (*protocol.AgentCapabilities, error) { return nil, errors.New("it is away") },
		"weather": func(context.Context) (*protocol.AgentCapabilities, error) {
			return sayCaps(t, `{"identity":{"description":"Tells the weather."}}`), nil
		},
	}
	agent := script.New(script.Options{})
	for name, c := range map[string]struct {
		opts runner.Options
		want string
	}{
		"the default one has a name": {
			runner.Options{Agents: map[string]adapter.Agent{"travel": agent, "weather": agent}, Default: "weather"},
			"[map[default:true description:Tells the weather. name:weather] map[name:travel]]",
		},
		"the default one has none": {
			runner.Options{Agents: map[string]adapter.Agent{"": agent, "travel": agent}},
			"[map[default:true] map[name:travel]]",
		},
		"there is one": {runner.Options{Agents: map[string]adapter.Agent{"": agent}}, "[map[default:true]]"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRunner(t, embedded(t), &c.opts)
			named := slices.DeleteFunc(slices.Sorted(maps.Keys(c.opts.Agents)), func(name string) bool { return name == "" })
			ask := maps.Clone(said)
			maps.DeleteFunc(ask, func(name string, _ func(context.Context) (*protocol.AgentCapabilities, error)) bool {
				return !slices.Contains(named, name)
			})
			v := newV1On(t, r, &Options{Agents: named, Capabilities: ask})
			if got := fmt.Sprint(items(v.call("listAgents", 200, "/agents", ""))); got != c.want {
				t.Errorf("listed are %s, want %s", got, c.want)
			}
			v.as("no credential of anybody's").call("listAgents", 401, "/agents", "")
		})
	}
}
