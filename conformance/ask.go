package conformance

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/google/uuid"
)

// ask sends an input:
//
//	run R COMMAND …     a user's message that gives the command
//	resume R [entries]  the answers to interrupts
//	input R {members}   any input; a member that is null is left out
//	again R [as S]      the same bytes once more, maybe under another runId
//	raw R JSON          exactly this text
func (t *trial) ask(c *client, verb, rest string) error {
	name, rest, _ := strings.Cut(rest, " ")
	thread := t.vars["thread"].(string)
	run, known := t.vars[name].(string)
	if !known {
		run = name + "-" + uuid.NewString()[:8]
		t.vars[name] = run
	}
	var input []byte
	var err error
	switch verb {
	case "run":
		what, argument, _ := strings.Cut(rest, " ")
		if Commands[what] == "" {
			return fmt.Errorf("the profile has no command %q", what)
		}
		input, err = json.Marshal(c.input(thread, run, t.profile.say(what, t.vars.text(argument))))
	case "resume":
		var entries json.RawMessage
		if entries, err = t.vars.json(rest); err == nil {
			input, err = with(c.input(thread, run, ""), map[string]json.RawMessage{"resume": entries})
		}
	case "input":
		var members map[string]json.RawMessage
		var filled json.RawMessage
		if filled, err = t.vars.json(rest); err == nil {
			if err = json.Unmarshal(filled, &members); err == nil {
				input, err = with(c.input(thread, run, ""), members)
			}
		}
	case "again":
		input = t.inputOf(name)
		if input == nil {
			return fmt.Errorf("no input was sent under %q", name)
		}
		if as, ok := strings.CutPrefix(rest, "as "); ok {
			name = as
			if run, known = t.vars[name].(string); !known {
				run = name + "-" + uuid.NewString()[:8]
				t.vars[name] = run
			}
			input, err = with(json.RawMessage(input), map[string]json.RawMessage{"runId": encode(run)})
		}
	case "raw":
		input = []byte(t.vars.text(rest))
	}
	if err != nil {
		return err
	}
	var written struct{ RunID string }
	if json.Unmarshal(input, &written) == nil && written.RunID != "" {
		run = written.RunID
	}
	t.vars[name] = run
	x := &exchange{c: c, run: run, of: run, items: newQueue[item]()}
	c.current, c.asked[name], c.inputs[name] = x, x, input
	if err := c.conn.ask(input, x); err != nil {
		x.items.close()
		return err
	}
	return nil
}

// inputOf is what was last sent under a name, by any client.
func (t *trial) inputOf(name string) []byte {
	for _, client := range t.names() {
		if input := t.clients[client].inputs[name]; input != nil {
			return input
		}
	}
	return nil
}

// with replaces members; one that is null is left out.
func with(input any, members map[string]json.RawMessage) ([]byte, error) {
	data, err := json.Marshal(input)
	if err != nil {
		return nil, err
	}
	all := map[string]json.RawMessage{}
	if err := json.Unmarshal(data, &all); err != nil {
		return nil, err
	}
	for name, value := range members {
		if string(value) == "null" {
			delete(all, name)
			continue
		}
		all[name] = value
	}
	return json.Marshal(all)
}
