package conformance

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"sync"

	"github.com/google/uuid"

	agui "github.com/aguiws/aguiws/client"
	"github.com/aguiws/aguiws/protocol"
	"github.com/aguiws/aguiws/protocol/fold"
)

// conn is a client's way to the server. What it gets it hands to exchanges.
type conn interface {
	// ask sends an input, the bytes as they are.
	ask(input []byte, x *exchange) error
	// follow follows a thread, from a position on if there is one.
	follow(thread string, after *agui.Position, x *exchange) error
	// cancel stops a run.
	cancel(thread, run string) error
	// quiet waits until nothing is under way that the case would miss.
	quiet(ctx context.Context) error
	// close ends it at once.
	close()
}

// client is one page of a case: what it holds of its thread, and its connection.
// Steps use it in one goroutine; its connection's reader in another.
type client struct {
	name  string
	trace *trace
	over  string

	conn    conn
	frames  *queue[frame]        // of the latest socket, which may be closed
	current *exchange            // the latest
	asked   map[string]*exchange // by the case's names of runs
	inputs  map[string][]byte

	mu   sync.Mutex
	fold *fold.Fold
	at   *agui.Position // the latest position that it was told; nil before
	view *view          // binding only: what it knows of its thread
	// quiet: it takes events in from the middle, so it holds nothing of use.
	quiet bool
}

func newClient(name, over string, t *trace) *client {
	return &client{
		name: name, trace: t, over: over, asked: map[string]*exchange{}, inputs: map[string][]byte{},
		fold: fold.New(nil, nil), view: &view{},
	}
}

func (c *client) wrong(rule, format string, args ...any) {
	c.trace.wrong(c.name, rule, format, args...)
}

// forget is what a reloaded page holds.
func (c *client) forget() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.fold, c.at = fold.New(nil, nil), nil
}

// apply takes an event in.
func (c *client) apply(e protocol.Event) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.quiet {
		return
	}
	if err := c.fold.Apply(e); err != nil {
		c.wrong(ruleOrder, "%s cannot be applied: %s", e.Type(), plainly(err))
	}
}

// wasTold compares what was restated as of where the client stands with what it
// has been told up to there.
func (c *client) wasTold(restated []protocol.Event) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.quiet {
		return
	}
	held := map[string]string{}
	for _, m := range c.fold.Messages() {
		if m.Role == protocol.RoleAssistant {
			held[m.ID] = m.Content.String()
		}
	}
	for _, e := range restated {
		snapshot, ok := e.(*protocol.MessagesSnapshot)
		if !ok {
			continue
		}
		for _, m := range snapshot.Messages {
			if m.Role == protocol.RoleAssistant && held[m.ID] != m.Content.String() {
				c.wrong(ruleCounting, "restated with %q, and up to that position %q was told", m.Content.String(), held[m.ID])
			}
		}
	}
}

// stand notes the position of the last event taken in.
func (c *client) stand(p agui.Position) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = &p
}

// standing returns it, nil before there is one.
func (c *client) standing() *agui.Position {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.at == nil {
		return nil
	}
	p := *c.at
	return &p
}

// input is what a page sends: all that it holds, and a user's message if there is
// a text.
func (c *client) input(thread, run, text string) *protocol.RunAgentInput {
	c.mu.Lock()
	defer c.mu.Unlock()
	if text != "" {
		said := protocol.Message{ID: uuid.NewString(), Role: protocol.RoleUser, Content: protocol.Text(text)}
		c.fold.Restore(append(slices.Clone(c.fold.Messages()), said), c.fold.State())
	}
	version := "1.0"
	if c.over == CopilotKit {
		version = "" // it embeds a client from before there were versions
	}
	return &protocol.RunAgentInput{
		ThreadID: thread, RunID: run, ProtocolVersion: version,
		Messages: slices.DeleteFunc(slices.Clone(c.fold.Messages()), isActivity), State: protocol.Any(c.fold.State()),
	}
}

// Activities are for showing; a client does not send them back.
func isActivity(m protocol.Message) bool { return m.Role == protocol.RoleActivity }

// holds is what a person would see.
func (c *client) holds(what string) (any, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	var data []byte
	var err error
	switch what {
	case "messages":
		data, err = json.Marshal(c.fold.Messages())
	case "state":
		data = c.fold.State()
	case "interrupts":
		data, err = json.Marshal(append([]protocol.Interrupt{}, c.fold.Interrupts()...))
	default: // text: what the assistant said last
		messages := c.fold.Messages()
		for i := len(messages) - 1; i >= 0; i-- {
			if m := &messages[i]; m.Role == protocol.RoleAssistant && m.Content.String() != "" {
				return m.Content.String(), nil
			}
		}
		return "", nil
	}
	if err != nil {
		return nil, err
	}
	return decode(data)
}

// plainly is an error without the name of the package that made it.
func plainly(err error) string {
	return strings.TrimPrefix(err.Error(), "protocol: ")
}

func clip(data []byte, most int) string {
	if len(data) <= most {
		return string(data)
	}
	return strings.ToValidUTF8(string(data[:most]), "") + "…"
}
