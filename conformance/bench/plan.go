package main

import (
	"context"
	"regexp"
)

// mainRows are those that the goals are about.
const mainRows = `^(saturated, (100 runs|gateway against our own agent)$|one at a time|16 in flight|paced 5,000/s, (no linger, )?against|fan-out 50 paced 100/s, against bare|approval cycle|attach with|input to|answer to|replay|cold)`

// plan says what is measured.
type plan struct{ quick, large bool }

// sample measures one case, or several that need each other.
type sample struct {
	name  string
	cases []string
	needs string // a rival
	take  func(context.Context, *bench) (map[string]figures, error)
}

// of is how much of some work is done.
func (p plan) of(n int) int {
	if p.quick {
		return max(1, n/10)
	}
	return n
}

var (
	fast   = []string{rate, serverCPU, redisCPU, others}
	inside = []string{rate, serverCPU, redisCPU, allocated, objects, commands, others}
	paced  = []string{p50, p99, serverCPU, redisCPU, others}
)

func (p plan) streams() (rows []row, samples []sample) {
	for _, c := range []streaming{
		{name: "bare", server: "bare", kind: "bare", clients: 100, events: 4000},
		{name: "aguiws", server: "aguiws", redis: "none", kind: "run", clients: 100, events: 4000},
		{name: "aguiws, everysec", server: "aguiws", redis: "everysec", kind: "run", clients: 100, events: 4000},
		{name: "aguiws, always", server: "aguiws", redis: "always", kind: "run", clients: 100, events: 2000},
		{name: "aguiws, SSE", server: "aguiws", redis: "none", kind: "run-sse", clients: 100, events: 4000},
		{name: "aguiws, other node", server: "aguiws", redis: "none", kind: "attach", clients: 100, events: 2000, apart: true},
		{name: "Node", server: "node", kind: "sse", clients: 100, events: 2000},
		{name: "Node, an event a turn", server: "node", args: []string{"turn"}, kind: "sse", clients: 100, events: 1000},
		{name: "Go SDK", server: "gosdk", kind: "sse", clients: 100, events: 2000},
		{name: "aguiws, one at a time", server: "aguiws", args: []string{"--window", "1"}, redis: "none", kind: "run", clients: 100, events: 800},
		{name: "aguiws, 16 in flight", server: "aguiws", args: []string{"--window", "16"}, redis: "none", kind: "run", clients: 100, events: 3000},
		{name: "centrifuge, one at a time", server: "centrifuge", redis: "none", kind: "centrifuge", clients: 100, events: 500},
		{name: "centrifuge, 16 in flight", server: "centrifuge", args: []string{"--window", "16"}, redis: "none", kind: "centrifuge", clients: 100, events: 1000},
		{name: "aguiws, paced", server: "aguiws", redis: "none", kind: "run", clients: 100, events: 150, rate: 50},
		{name: "aguiws, paced, no linger", server: "aguiws", args: []string{"--linger", "-1ms"}, redis: "none", kind: "run", clients: 100, events: 150, rate: 50},
		{name: "aguiws, one at a time, no linger", server: "aguiws", args: []string{"--window", "1", "--linger", "-1ms"}, redis: "none", kind: "run", clients: 100, events: 800},
		{name: "aguiws, 16 in flight, no linger", server: "aguiws", args: []string{"--window", "16", "--linger", "-1ms"}, redis: "none", kind: "run", clients: 100, events: 3000},
		{name: "aguiws, other node, paced", server: "aguiws", redis: "none", kind: "attach", clients: 100, events: 150, rate: 50, apart: true},
		{name: "centrifuge, paced", server: "centrifuge", redis: "none", kind: "centrifuge", clients: 100, events: 150, rate: 50},
		{name: "aguiws, gateway", server: "aguiws", redis: "none", kind: "run", clients: 100, events: 4000, behind: true},
		{name: "aguiws, gateway, paced", server: "aguiws", redis: "none", kind: "run", clients: 100, events: 150, rate: 50, behind: true},
		{name: "bare, fan-out", server: "bare", kind: "shared", clients: 50, events: 5000, fan: true},
		{name: "aguiws, fan-out", server: "aguiws", redis: "none", kind: "attach", clients: 50, events: 5000, fan: true},
		{name: "centrifuge, fan-out", server: "centrifuge", args: []string{"--window", "16"}, redis: "none", kind: "centrifuge-shared", clients: 50, events: 5000, fan: true},
		{name: "bare, fan-out, paced", server: "bare", kind: "shared", clients: 50, events: 300, rate: 100, fan: true},
		{name: "aguiws, fan-out, paced", server: "aguiws", redis: "none", kind: "attach", clients: 50, events: 300, rate: 100, fan: true},
		{name: "centrifuge, fan-out, paced", server: "centrifuge", redis: "none", kind: "centrifuge-shared", clients: 50, events: 300, rate: 100, fan: true},
	} {
		c.events = p.of(c.events)
		s := sample{name: c.name, cases: []string{c.name}, take: c.take}
		if c.server == "node" || c.server == "gosdk" || c.server == "centrifuge" {
			s.needs = c.server
		}
		samples = append(samples, s)
	}
	return []row{
		{"saturated, 100 runs", "aguiws", "bare", fast},
		{"saturated, 100 runs, AOF everysec", "aguiws, everysec", "bare", fast},
		{"saturated, 100 runs, AOF always", "aguiws, always", "bare", fast},
		{"saturated, against Node", "aguiws", "Node", fast},
		{"saturated, against Node an event a turn", "aguiws", "Node, an event a turn", fast},
		{"saturated, against AG-UI's Go SDK", "aguiws", "Go SDK", fast},
		{"saturated, SSE against our WebSocket", "aguiws, SSE", "aguiws", inside},
		{"saturated, other node against the same", "aguiws, other node", "aguiws", inside},
		{"one at a time, against centrifuge", "aguiws, one at a time", "centrifuge, one at a time", inside},
		{"16 in flight, against centrifuge", "aguiws, 16 in flight", "centrifuge, 16 in flight", inside},
		{"paced 5,000/s, against centrifuge", "aguiws, paced", "centrifuge, paced", paced},
		{"paced 5,000/s, no linger, against centrifuge", "aguiws, paced, no linger", "centrifuge, paced", paced},
		{"one at a time, no linger, against centrifuge", "aguiws, one at a time, no linger", "centrifuge, one at a time", inside},
		{"16 in flight, no linger, against centrifuge", "aguiws, 16 in flight, no linger", "centrifuge, 16 in flight", inside},
		{"paced 5,000/s, other node against the same", "aguiws, other node, paced", "aguiws, paced", paced},
		{"saturated, gateway against our own agent", "aguiws, gateway", "aguiws", inside},
		{"paced 5,000/s, gateway against our own agent", "aguiws, gateway, paced", "aguiws, paced", paced},
		{"fan-out 50, against bare", "aguiws, fan-out", "bare, fan-out", fast},
		{"fan-out 50, against centrifuge", "aguiws, fan-out", "centrifuge, fan-out", fast},
		{"fan-out 50 paced 100/s, against bare", "aguiws, fan-out, paced", "bare, fan-out, paced", paced},
		{"fan-out 50 paced 100/s, against centrifuge", "aguiws, fan-out, paced", "centrifuge, fan-out, paced", paced},
	}, samples
}

// choose returns the rows whose names match, and the samples that they need, each once.
func (p plan) choose(match *regexp.Regexp) (rows []row, samples []sample) {
	needed := map[string]bool{}
	var all []sample
	for _, part := range []func() ([]row, []sample){p.streams, p.conversations, p.growth, p.cold, p.sockets} {
		r, s := part()
		all = append(all, s...)
		for _, each := range r {
			if match.MatchString(each.name) {
				rows = append(rows, each)
				needed[each.ours], needed[each.rival] = true, true
			}
		}
	}
	for _, s := range all {
		for _, c := range s.cases {
			if needed[c] {
				samples = append(samples, s)
				break
			}
		}
	}
	return rows, samples
}
