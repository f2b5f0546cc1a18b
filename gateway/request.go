package gateway

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/aguiws/aguiws/gateway/internal/wire"
	"github.com/aguiws/aguiws/protocol"
)

// request is what goes upstream.
type request struct {
	ids
	parent  string               // the agent's run that asked
	legacy  bool                 // it asked by CUSTOM events
	asked   []protocol.Interrupt // what is answered
	answers []protocol.ResumeEntry
	no      map[string]json.RawMessage // what the cancellations among them are to the agent, by interrupt
	left    []protocol.ResumeEntry     // what the input turns away from, which the agent has open
	dialect Dialect                    // of who asked
	manners manners                    // its
	anew    bool                       // the agent knows nothing of the thread
	later   bool                       // answers before these are the agent's
	unheard bool                       // what comes of it is told nobody
	noPlace *failure                   // it could not be made here
	// versionless leaves protocolVersion out, which agents of before AG-UI 1.0 may forbid.
	versionless bool
}

// body is the request's text, and the last message that the agent has been sent by it.
func (r *request) body(c *call) (*wire.Payload, string, error) {
	latest := c.run.LatestInput()
	messages := c.run.Messages()
	last := c.upTo
	if len(messages) > 0 {
		last = messages[len(messages)-1].ID
	}
	switch {
	case r.anew:
		messages = withoutOpenCalls(messages)
	case c.u.options.History == HistoryNew:
		messages = unseen(messages, c.upTo)
	}
	in := protocol.RunAgentInput{
		ThreadID: r.thread, RunID: r.run, ParentRunID: r.parent, ProtocolVersion: protocol.Version11,
		Messages: asOwn(withoutEmptied(messages)), State: protocol.Any(c.run.State()),
		Tools: latest.Tools, Context: latest.Context, ForwardedProps: latest.ForwardedProps,
	}
	if r.versionless {
		in.ProtocolVersion = ""
	}
	var command map[string]any
	switch {
	case r.answers == nil:
		in.Resume = r.toAgent(r.left)
	case r.manners.command != nil && (r.legacy || r.manners.severalByCommand && len(r.answers) > 1):
		command = r.manners.command(r.asked, r.toAgent(r.answers))
	default:
		in.Resume = r.toAgent(r.answers)
	}
	var err error
	if in.ForwardedProps, err = withCommand(in.ForwardedProps, command); err != nil {
		return nil, "", err
	}
	text, err := in.MarshalJSON()
	if err != nil {
		return nil, "", err
	}
	return wire.NewPayload(text), last, nil
}

// toAgent are entries as the agent gets them: a cancellation that it would take for an
// answer is its no.
func (r *request) toAgent(entries []protocol.ResumeEntry) []protocol.ResumeEntry {
	if len(r.no) == 0 {
		return entries
	}
	entries = slices.Clone(entries)
	for n, e := range entries {
		if no := r.no[e.InterruptID]; no != nil && e.Status == protocol.ResumeCancelled {
			entries[n].Status, entries[n].Payload = protocol.ResumeResolved, protocol.Any(no)
		}
	}
	return entries
}

// runID is the agent's id of a run that answers. Answers that were given back and are given
// otherwise are another run's.
func (r *request) runID(own string) string {
	text, err := json.Marshal(r.answers)
	if err != nil {
		return own
	}
	return derived(own, string(text))
}

// withCommand is forwardedProps with a command, or with none. A client's own never goes
// along: agents take it for an answer, or for a step past their question, that nobody has
// judged. Some read its name in whichever case.
func withCommand(props protocol.Any, command map[string]any) (protocol.Any, error) {
	members := map[string]json.RawMessage{}
	if !props.IsZero() {
		_ = json.Unmarshal(props, &members) // what is no object cannot have a command
	}
	before := len(members)
	maps.DeleteFunc(members, func(name string, _ json.RawMessage) bool { return strings.EqualFold(name, "command") })
	if command == nil && len(members) == before {
		return props, nil
	}
	if members == nil {
		members = map[string]json.RawMessage{}
	}
	if command != nil {
		text, err := json.Marshal(command)
		if err != nil {
			return nil, err
		}
		members["command"] = text
	}
	text, err := json.Marshal(members)
	return protocol.Any(text), err
}

// withoutEmptied leaves out reasoning that a rewind took back: the thread keeps it without
// its words, so that clients let go of theirs.
func withoutEmptied(messages protocol.Messages) protocol.Messages {
	emptied := func(m protocol.Message) bool {
		return m.Role == protocol.RoleReasoning && m.EncryptedValue == "" && (m.Content == nil || m.Content.IsText() && m.Content.String() == "")
	}
	if !slices.ContainsFunc(messages, emptied) {
		return messages
	}
	return slices.DeleteFunc(slices.Clone(messages), emptied)
}

// unseen are the messages that the agent has not got yet: those behind the last that it
// made, and behind the last that this execution has sent it. Results of calls are sent
// though they may be its own: those of the frontend look like them.
func unseen(messages protocol.Messages, upTo string) protocol.Messages {
	for i := len(messages) - 1; i >= 0; i-- {
		m := &messages[i]
		if upTo != "" && m.ID == upTo {
			return messages[i+1:]
		}
		if slices.Contains(saidByAgents, m.Role) {
			return messages[i+1:]
		}
	}
	return messages
}

// saidByAgents are the roles of what agents alone say.
var saidByAgents = []protocol.Role{protocol.RoleAssistant, protocol.RoleReasoning, protocol.RoleActivity}
