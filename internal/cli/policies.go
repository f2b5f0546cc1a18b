package cli

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// policies are what holds for all agents, and what holds for some instead.
type policies struct {
	common string
	own    map[string]string // by agent; nil: none has one
}

// of is the policy of an agent.
func (p policies) of(agent string) string {
	if own, there := p.own[agent]; there {
		return own
	}
	return p.common
}

// policiesValue is written POLICY,AGENT=POLICY and so on. The first of those among which
// to choose is for all agents where none is given for them.
type policiesValue struct {
	into  *policies
	among []string
}

func (v policiesValue) Set(text string) error {
	set := policies{common: v.among[0]}
	common := false
	for _, each := range words(text) {
		agent, policy, named := strings.Cut(each, "=")
		if !named {
			agent, policy = "", each
		}
		_, again := set.own[agent]
		switch {
		case !slices.Contains(v.among, policy) || named && agent == "":
			return fmt.Errorf("%q: must be %s", each, v.kind())
		case again || !named && common:
			return fmt.Errorf("%q: there is another policy for the same agents", each)
		case !named:
			set.common, common = policy, true
		default:
			if set.own == nil {
				set.own = map[string]string{}
			}
			set.own[agent] = policy
		}
	}
	*v.into = set
	return nil
}

func (v policiesValue) String() string {
	list := []string{v.into.common}
	for _, agent := range slices.Sorted(maps.Keys(v.into.own)) {
		list = append(list, agent+"="+v.into.own[agent])
	}
	return strings.Join(list, ",")
}

func (v policiesValue) kind() string {
	return strings.Join(v.among, ", ") + " or AGENT=POLICY"
}

// forAgents refuses policies of agents that there are not.
func (p policies) forAgents(setting string, agents []string) error {
	for _, agent := range slices.Sorted(maps.Keys(p.own)) {
		if !slices.Contains(agents, agent) {
			return fmt.Errorf("%s %s=%s: no such agent: must be one of %s", setting, agent, p.own[agent], strings.Join(agents, ", "))
		}
	}
	return nil
}
