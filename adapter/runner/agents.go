package runner

import (
	"errors"
	"fmt"
	"slices"
)

// checkDefault wants one default agent, under one name.
func (o *Options) checkDefault() error {
	switch {
	case o.Default != "" && o.Agents[""] != nil:
		return fmt.Errorf(`adapter: Options.Agents has an agent named "" beside the default one, %q: leave out either`, o.Default)
	case o.Default != "" && o.Agents[o.Default] == nil:
		return fmt.Errorf("adapter: Options.Default: there is no agent named %q in Agents", o.Default)
	case o.Agents[o.Default] == nil:
		return errors.New(`adapter: Options.Agents needs an agent named "", or Options.Default the name of one`)
	}
	return nil
}

// DefaultAgent is what the agent is called that answers inputs which name none; "": it has no
// name.
func (r *Runner) DefaultAgent() string { return r.node.Options.Default }

// HasAgent reports whether Options.Agents has an agent of that name.
func (r *Runner) HasAgent(name string) bool { return slices.Contains(r.node.Agents, name) }
