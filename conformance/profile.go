package conformance

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Transports are the ways to reach a server.
var Transports = []string{Binding, Plain, SSE, CopilotKit}

// The transports.
const (
	Binding    = "binding"    // WebSocket with the subprotocol agui.v1.json
	Plain      = "plain"      // WebSocket without a subprotocol
	SSE        = "sse"        // HTTP and Server-Sent Events, AG-UI's own binding
	CopilotKit = "copilotkit" // the runtime protocol of CopilotKit
)

// Features are what a server may or may not have, besides the commands of its
// agent. A case that needs one that is not there is skipped.
var Features = map[string]string{
	"resume":       "an input that is sent again is answered by its run: the binding's profile resume, and its like over HTTP",
	"history":      "the server keeps a thread's messages and state: a client that holds nothing may go on with it",
	"queue":        "an input that comes while a run of the thread is active waits for its turn",
	"cancel":       "a run can be stopped: ws.cancel, or CopilotKit's stop",
	"follow":       "a thread can be followed without asking for a run: ws.attach, GET …/threads/{id}/events, or CopilotKit's connect",
	"position":     "it can be followed from a position on: ws.attach with after, or Last-Event-ID",
	"effects":      "the agent's tool calls leave a line each in the file that --effects names",
	"restart":      "--restart-cmd ends the server's process and starts another one on the same address",
	"drain":        "--drain-cmd shuts the server down in an orderly way and starts another one",
	"durable":      "a suspended run survives a restart",
	"capabilities": "what the server can do is told over HTTP: GET …/capabilities",
	"direct":       "nothing between the harness and the server changes requests: Host arrives as it was sent",
	"control":      "the control API of this project, at /v1 of the same host",
	"limits":       "the limits are the defaults: 4 MiB a frame, 20 frames a second with a burst of 40, 16 threads a socket",
}

// Commands are what the agent of a server under test is asked to do, and what it
// then does. A user's message is the command's text.
var Commands = map[string]string{
	"say":      "say TEXT: streams TEXT as one assistant message, in more than one delta if it has more than one word",
	"slow":     "slow N MS: streams the numbers 1 to N as one assistant message, a space behind each, MS milliseconds apart",
	"tool":     "tool NAME JSON: proposes the call and asks for approval by an interrupt of reason tool_call. Approved, it is carried out once; the result is {\"executed\":true,\"args\":…}",
	"parallel": "parallel N: as tool, for N calls task_1 … task_N with {\"number\":n} in one interrupt outcome",
	"form":     "form: asks by an interrupt of reason input_required whose schema wants quarter (Q1 to Q4), year (an integer) and revenue (a number), and echoes the answer as JSON in a message",
	"date":     "date: asks by an interrupt of reason input_required whose schema wants date, a string of the format date, and echoes the answer as JSON in a message",
	"confirm":  "confirm TEXT: asks by an interrupt of reason confirmation and without a schema, with TEXT as its message",
	"twice":    "twice: asks, asks again in the run that continues, then ends",
	"expire":   "expire SECONDS: as confirm, with an expiresAt that far ahead",
	"sleep":    "sleep SECONDS: waits for so long, by an interrupt of reason aguiws:timer, and then says something",
	"event":    "event NAME: says a URL in a message, waits by an interrupt of reason aguiws:event for JSON that is posted there, and then says something",
	"call":     "call TEXT: has an agent that obeys these commands do TEXT on a thread of its own, waits for it by an interrupt of reason aguiws:call, and then says something",
	"fail":     "fail TEXT: fails, which ends the run in RUN_ERROR",
	"panic":    "panic: dies of a fault of its own, which must end the run in RUN_ERROR and nothing else",
	"state":    "state JSON: makes the object the state by a snapshot, then adds the member steps by a delta",
	"think":    "think TEXT: a reasoning span with a reasoning message, then a message",
	"delegate": "delegate TEXT: a subagent says TEXT in a step of its own",
	"activity": "activity: an activity, changed by a delta",
	"frontend": "frontend NAME JSON: leaves a call for the frontend, and ends well. Its tool message is answered in the next run",
}

// Profile is what a server under test offers. The zero value offers everything,
// under the names that the script agent uses.
type Profile struct {
	// Name is for the report.
	Name string `json:"name"`
	// Commands maps commands to the text of the user's message that gives
	// them, in which {} stands for what follows the name. A command that is
	// mapped to null is not offered. Those that are not mentioned are "/name {}".
	Commands map[string]*string `json:"commands"`
	// Offers, when there is one, are the only commands and features offered.
	Offers []string `json:"offers"`
	// Lacks are commands and features that are not offered.
	Lacks []string `json:"lacks"`
}

// ReadProfile reads a mapping file.
func ReadProfile(data []byte) (*Profile, error) {
	d := json.NewDecoder(strings.NewReader(string(data)))
	d.DisallowUnknownFields()
	p := &Profile{}
	if err := d.Decode(p); err != nil {
		return nil, fmt.Errorf("conformance: the mapping: %w", err)
	}
	for name := range p.Commands {
		if Commands[name] == "" {
			return nil, fmt.Errorf("conformance: the mapping: no command is named %q", name)
		}
	}
	for _, name := range slices.Concat(p.Offers, p.Lacks) {
		if Commands[strings.TrimPrefix(name, "/")] == "" && Features[name] == "" {
			return nil, fmt.Errorf("conformance: the mapping: neither a command nor a feature is named %q", name)
		}
	}
	return p, nil
}

// say is the text that gives a command.
func (p *Profile) say(name, argument string) string {
	text := "/" + name + " {}"
	if mapped, there := p.Commands[name]; there && mapped != nil {
		text = *mapped
	}
	return strings.TrimSpace(strings.ReplaceAll(text, "{}", argument))
}

// offers reports whether there is a feature, or a command as "/name".
func (p *Profile) offers(need string) bool {
	name, isCommand := strings.CutPrefix(need, "/")
	if slices.Contains(p.Lacks, name) || p.Offers != nil && !slices.Contains(p.Offers, name) {
		return false
	}
	if !isCommand {
		return true
	}
	mapped, there := p.Commands[name]
	return !there || mapped != nil
}
