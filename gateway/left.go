package gateway

import (
	"encoding/json"
	"strconv"

	"github.com/google/uuid"

	"github.com/aguiws/aguiws/protocol"
)

// maxRefused bounds how often an agent's questions are refused for one message: one that
// asks whenever it is refused is heard then.
const maxRefused = 8

// reference is what Ask is given for an interrupt's id: who turns away from it later knows
// by that what to tell the agent.
type reference struct {
	Upstream string `json:"upstream"`
	ID       string `json:"id"`
	Run      string `json:"run,omitempty"` // as the agent calls the run that asked
	// Dialect is that of who asked, and No what a cancellation is to it, if it would take one
	// for an answer.
	Dialect Dialect         `json:"dialect,omitempty"`
	No      json.RawMessage `json:"no,omitempty"`
}

func (o *outcome) reference(upstream, id string) string {
	text, err := json.Marshal(reference{upstream, id, o.Run, o.Dialect, o.No[id]})
	if err != nil {
		return id
	}
	return string(text)
}

// turned is what an input has turned away from.
type turned struct {
	left    []protocol.ResumeEntry
	no      map[string]json.RawMessage // as in a request
	asked   string                     // the agent's run that has asked
	dialect Dialect                    // of who has asked
}

// turnedAway are the cancellations of what the agent has open, and the input that began the
// execution has turned away from, or come too late for. Questions of another agent of the
// thread are left out.
func (c *call) turnedAway() (of turned) {
	for _, text := range c.run.Left() {
		var ref reference
		if json.Unmarshal([]byte(text), &ref) != nil || ref.Upstream != c.u.options.Name {
			continue
		}
		of.left, of.asked, of.dialect = append(of.left, protocol.ResumeEntry{InterruptID: ref.ID, Status: protocol.ResumeCancelled}), ref.Run, ref.Dialect
		if ref.No != nil {
			if of.no == nil {
				of.no = map[string]json.RawMessage{}
			}
			of.no[ref.ID] = ref.No
		}
	}
	return of
}

// settle refuses what the agent has open in requests of their own, and what it asks when it
// is refused. Its reply is told nobody, because the thread has turned away from it: it is
// part of the thread as soon as the agent says so. An agent that fails at it has been told.
// The outcome has what all that has used.
func (c *call) settle(as ids, of turned) (outcome, error) {
	var used []protocol.TokenUsage
	free, upTo := c.free, c.upTo
	c.free = nil // the message goes by the same place
	defer func() { c.free, c.upTo = free, upTo }()
	for n := range maxRefused {
		if len(of.left) == 0 {
			break
		}
		said, err := c.all(request{
			ids: ids{as.thread, derived(as.run, "refuses "+strconv.Itoa(n))}, parent: of.asked, legacy: true,
			answers: of.left, no: of.no, manners: mannersOf[of.dialect], unheard: true,
		})
		used = together(used, said.Usage)
		if err != nil || said.Failure != nil && !said.Failure.own && said.Failure.Code != CodeRefused {
			said.Usage = used
			return said, err
		}
		of.left, of.no, of.asked = nil, said.No, said.Run
		for i := range said.Interrupts {
			of.left = append(of.left, protocol.ResumeEntry{InterruptID: said.Interrupts[i].ID, Status: protocol.ResumeCancelled})
		}
	}
	return outcome{Usage: used}, nil
}

// derived is the id of a run that is made because of another, and the same when it is made
// again.
func derived(run, because string) string {
	space, err := uuid.Parse(run)
	if err != nil {
		return run
	}
	return uuid.NewSHA1(space, []byte(because)).String()
}

// unheard is where events go that nobody is told.
type unheard struct{ sink }

func (unheard) Relay(protocol.Event, []byte) error { return nil }
func (unheard) Emit(...protocol.Event) error       { return nil }
