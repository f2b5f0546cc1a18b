package server

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// Disconnect says what becomes of a run whose client over HTTP closes the connection
// that asked for it.
type Disconnect string

const (
	// DisconnectStop: the run is cancelled when the grace is over, or as soon as another
	// input of the thread comes to the same server, unless somebody follows the thread by then.
	DisconnectStop Disconnect = "stop"
	// DisconnectFinish: the run goes on to its end.
	DisconnectFinish Disconnect = "finish"
)

// The routes that OnDisconnect knows.
const (
	routeAGUI       = "/agui"
	routeCopilotKit = "/copilotkit"
)

// defaultAgent is what OnDisconnect calls the agent that has no name.
const defaultAgent = "default"

// DisconnectDefaults is what holds if Options.OnDisconnect says nothing else: /agui stop,
// /copilotkit finish.
func DisconnectDefaults() map[string]Disconnect {
	return map[string]Disconnect{routeAGUI: DisconnectStop, routeCopilotKit: DisconnectFinish}
}

// CheckOnDisconnect judges what Options.OnDisconnect would be beside these agents, of which one
// may have no name.
func CheckOnDisconnect(on map[string]Disconnect, agents []string) error {
	names := []string{routeAGUI, routeCopilotKit}
	for _, name := range agents {
		if name = cmp.Or(name, defaultAgent); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(on)) {
		if !slices.Contains(names, name) {
			return fmt.Errorf("there is no route or agent %q: must be one of %s", name, strings.Join(names, ", "))
		}
		if policy := on[name]; policy != DisconnectStop && policy != DisconnectFinish {
			return fmt.Errorf("%s cannot be %q: must be %s or %s", name, policy, DisconnectStop, DisconnectFinish)
		}
	}
	return nil
}

// onDisconnect is what holds for an agent on a route: what was said of the agent, or
// else of the route.
func (o *Options) onDisconnect(route, agent string) Disconnect {
	if policy, ok := o.OnDisconnect[cmp.Or(agent, defaultAgent)]; ok {
		return policy
	}
	if policy, ok := o.OnDisconnect[route]; ok {
		return policy
	}
	return DisconnectDefaults()[route]
}

// disconnectJSON is how an agent's capabilities tell of it.
type disconnectJSON struct {
	AGUI       Disconnect `json:"/agui"`
	CopilotKit Disconnect `json:"/copilotkit"`
	GraceMs    int64      `json:"graceMs"`
}

func (o *Options) disconnectOf(agent string) disconnectJSON {
	return disconnectJSON{o.onDisconnect(routeAGUI, agent), o.onDisconnect(routeCopilotKit, agent), max(o.DisconnectGrace, 0).Round(time.Millisecond).Milliseconds()}
}
