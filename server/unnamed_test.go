package server

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// unnamedClient has no ids for messages, as AG-UI's client for .NET, and repeats its history
// in each turn.
type unnamedClient struct {
	t       *testing.T
	history []string
	ask     func(input string) (events []string)
}

func (c *unnamedClient) says(run, text string) string {
	c.t.Helper()
	c.history = append(c.history, fmt.Sprintf(`{"role":"user","content":%q}`, text))
	return c.sends(run)
}

// sends an input with the history, and notes the answer.
func (c *unnamedClient) sends(run string) string {
	c.t.Helper()
	var said strings.Builder
	kind := ""
	for _, event := range c.ask(fmt.Sprintf(`{"threadId":"t","runId":%q,"messages":[%s]}`, run, strings.Join(c.history, ","))) {
		var e struct{ Type, Delta string }
		if err := json.Unmarshal([]byte(event), &e); err != nil {
			c.t.Fatal(err)
		}
		if kind = e.Type; kind == "TEXT_MESSAGE_CONTENT" {
			said.WriteString(e.Delta)
		}
	}
	if kind != "RUN_FINISHED" {
		c.t.Fatalf("%s ends with %s", run, kind)
	}
	return said.String()
}

func (c *unnamedClient) notes(text string) {
	c.history = append(c.history, fmt.Sprintf(`{"role":"assistant","content":%q}`, text))
}

// Over POST and over a plain socket a thread holds what such a client has, each message once.
func TestClientsWithoutIDs(t *testing.T) {
	for _, over := range []string{"POST", "a plain socket"} {
		t.Run(over, func(t *testing.T) {
			ts, _ := endToEnd(t)
			c := &unnamedClient{t: t}
			if over == "POST" {
				c.ask = func(input string) (events []string) {
					s := ts.post(input)
					for e, ok := s.next(); ok; e, ok = s.next() {
						if e.data != "" {
							events = append(events, e.data)
						}
					}
					return events
				}
			} else {
				plain := ts.connect("/agui/ws", plainMode)
				c.ask = func(input string) (events []string) {
					plain.send(input)
					for {
						e := string(plain.read())
						if events = append(events, e); strings.Contains(e, `"type":"RUN_FINISHED"`) || strings.Contains(e, `"type":"RUN_ERROR"`) {
							return events
						}
					}
				}
			}
			holds := func() {
				t.Helper()
				var held []string
				for _, text := range ts.restatedMessages() {
					var m struct{ ID, Role, Content string }
					if err := json.Unmarshal(text, &m); err != nil || m.ID == "" {
						t.Fatalf("%s: %v", text, err)
					}
					held = append(held, fmt.Sprintf(`{"role":%q,"content":%q}`, m.Role, m.Content))
				}
				if got, want := strings.Join(held, "\n"), strings.Join(c.history, "\n"); got != want {
					t.Errorf("the thread holds\n%s\nand the client\n%s", got, want)
				}
			}
			for i, text := range []string{"/say go", "/say go", "/say on"} {
				run := fmt.Sprint("r", i)
				said := c.says(run, text)
				c.sends(run) // once more: it is told the run again
				c.notes(said)
				holds()
			}
			c.history = c.history[:len(c.history)-2]
			c.notes(c.says("edit", "/say edited"))
			holds()
			all := c.history
			c.history = c.history[2:]
			c.notes(c.says("trimmed", "/say go"))
			c.history = append(all[:len(all):len(all)], c.history[len(c.history)-2:]...)
			holds()
		})
	}
}
