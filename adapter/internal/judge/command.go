package judge

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/aguiws/aguiws/adapter/internal/canonical"
	"github.com/aguiws/aguiws/adapter/internal/stored"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
)

// Command is an answer as frontends give it that know no resume: the payload in the
// forwarded properties, and beside it what the question was shown as. Whether it is one
// follows from the thread alone: an agent may have commands of its own.
type Command struct {
	resume json.RawMessage
	named  []string // interrupts of which the question told; none when it was not sent back
	listed map[string][]offer
}

// CommandOf finds the command in an input; nil: it has none.
func CommandOf(input *protocol.RunAgentInput) *Command {
	if len(input.Resume) > 0 || input.ForwardedProps.IsZero() {
		return nil
	}
	// Any other shape of forwarded properties is the application's own, and so is any
	// other spelling.
	command := membersOf(membersOf(input.ForwardedProps)["command"])
	resume, given := command["resume"]
	if !given {
		return nil
	}
	type named struct {
		ID       string            `json:"id"`
		Metadata protocol.Metadata `json:"metadata"`
	}
	var shown struct {
		named
		Interrupts []named `json:"interrupts"`
	}
	c := &Command{resume: resume, listed: map[string][]offer{}}
	if json.Unmarshal(command["interruptEvent"], &shown) == nil {
		seen := map[string]bool{"": true}
		for _, it := range append([]named{shown.named}, shown.Interrupts...) {
			if !seen[it.ID] {
				seen[it.ID] = true
				c.named = append(c.named, it.ID)
				c.listed[it.ID] = offersIn(it.Metadata)
			}
		}
	}
	return c
}

// membersOf are those of an object, none of anything else.
func membersOf(text []byte) (members map[string]json.RawMessage) {
	if json.Unmarshal(text, &members) != nil {
		return nil
	}
	return members
}

// Named are the interrupts that the command is about, as far as it says.
func (c *Command) Named() []string {
	if c == nil {
		return nil
	}
	return c.named
}

// Take puts resume entries in the place of a command that answers what the thread asks
// or has asked. A command that does not say what it answers is for the only open interrupt.
// It is for none if it was accepted before, or if its sender has not seen what the agent
// said since; digest is the input's.
func (j *Judgement) Take(ctx context.Context, c *Command, digest string) error {
	open, err := stored.Suspension(j.View.Suspension)
	if err != nil {
		return err
	}
	ids := c.named
	if len(ids) == 0 {
		if open == nil {
			return nil
		}
		if repeats, refusal, err := j.repeated(j.queuedMessages(), digest); err != nil || repeats != nil || refusal != nil {
			return err
		}
		if j.missesLast() {
			return nil // it was asked something else, before
		}
		ids = open.IDs()
	}
	payloads := c.payloads(ids)
	var resume []protocol.ResumeEntry
	for _, id := range ids {
		payload, given := payloads[id]
		if !given {
			continue
		}
		entry := protocol.ResumeEntry{InterruptID: id, Status: protocol.ResumeCancelled}
		it := open.Item(id)
		before, answered := j.answered[id]
		if it == nil && !answered {
			continue
		}
		if !isNull(payload) {
			entry.Status = protocol.ResumeResolved
			if it != nil {
				entry.Payload, err = j.fitting(ctx, it, payload)
			} else {
				entry.Payload, err = j.asBefore(id, before, payload, c.listed[id])
			}
			if err != nil {
				return err
			}
		}
		resume = append(resume, entry)
	}
	if len(resume) > 0 {
		again := *j.Input
		again.Resume, again.ForwardedProps = resume, withoutAnswer(again.ForwardedProps)
		j.Input = &again
	}
	return nil
}

// withoutAnswer is what is forwarded beside a command that was taken for an answer: agents
// that know commands must not find it a second time, unjudged.
func withoutAnswer(props protocol.Any) protocol.Any {
	members := membersOf(props)
	command := membersOf(members["command"])
	delete(command, "resume")
	delete(command, "interruptEvent")
	delete(members, "command")
	if len(command) > 0 {
		members["command"], _ = json.Marshal(command) // of JSON that was read
	}
	text, _ := json.Marshal(members)
	return text
}

// missesLast reports whether the sender holds some of what the thread's agent has said and
// not the last of it.
func (j *Judgement) missesLast() bool {
	sent := map[string]bool{}
	for _, m := range j.Input.Messages {
		if held, ok := j.Fold.Message(m.ID); ok && held.Role == protocol.RoleAssistant {
			sent[m.ID] = true
		}
	}
	if len(sent) == 0 {
		return false
	}
	missing := false
	for m := range j.Fold.Backward() {
		if m.Role != protocol.RoleAssistant {
			continue
		}
		if sent[m.ID] {
			return missing
		}
		missing = true
	}
	return false
}

// payloads are what the command answers to each interrupt: an object with an answer for
// each, by its id; null to all of them; or one answer to the first.
func (c *Command) payloads(ids []string) map[string]json.RawMessage {
	payloads := map[string]json.RawMessage{}
	if isNull(c.resume) {
		for _, id := range ids {
			payloads[id] = c.resume
		}
		return payloads
	}
	if json.Unmarshal(c.resume, &payloads) == nil && len(payloads) > 0 {
		asked := map[string]bool{}
		for _, id := range ids {
			asked[id] = true
		}
		foreign := func(id string) bool { return !asked[id] }
		if !slices.ContainsFunc(slices.Collect(maps.Keys(payloads)), foreign) {
			return payloads
		}
	}
	return map[string]json.RawMessage{ids[0]: c.resume}
}

func isNull(value []byte) bool { return string(bytes.TrimSpace(value)) == "null" }

// fitting is the answer as the open interrupt's schema wants it, or as it came when no
// way to read it fits.
func (j *Judgement) fitting(ctx context.Context, it *store.SuspendedInterrupt, sent json.RawMessage) (protocol.Any, error) {
	var shown protocol.Interrupt
	if err := stored.Decode(it.Interrupt, &shown, "open interrupt %s", it.ID); err != nil {
		return nil, err
	}
	readings := readingsOf(sent)
	if shown.ResponseSchema.IsZero() {
		if offers := offersIn(shown.Metadata); len(offers) > 0 {
			if payload := meant(offers, sent); payload != nil {
				return payload, nil
			}
			return readings[0], nil
		}
		if approval := approvalOf(sent); approval != nil {
			return approval, nil
		}
		if shown.Reason == protocol.ReasonConfirmation {
			return readings[len(readings)-1], nil
		}
		return readings[0], nil
	}
	for _, reading := range readings {
		answers := payloads{schemas: j.schemas, budget: &j.budget}
		if err := answers.check(ctx, shown, protocol.ResumeEntry{InterruptID: it.ID, Payload: reading}); err != nil {
			return nil, err
		}
		if answers.refusal() == nil {
			return reading, nil
		}
	}
	return readings[0], nil
}

// asBefore is the answer as it was accepted before, or as it came when it is another. The
// offers are those that the question is said to have had.
func (j *Judgement) asBefore(id string, before answeredRun, sent json.RawMessage, offers []offer) (protocol.Any, error) {
	readings := readingsOf(sent)
	if payload := meant(offers, sent); payload != nil {
		readings = append(readings, payload)
	}
	for _, reading := range readings {
		key, err := resumeKey(j.thread, protocol.ResumeEntry{InterruptID: id, Status: protocol.ResumeResolved, Payload: reading})
		if err == nil && key == before.Key {
			return reading, nil
		}
	}
	return readings[0], nil
}

// readingsOf are what an answer may mean: what it is; for a clear yes or no, that as an
// approval; for text that is an object, the object.
func readingsOf(sent json.RawMessage) []protocol.Any {
	readings := []protocol.Any{protocol.Any(sent)}
	if approval := approvalOf(sent); approval != nil {
		readings = append(readings, approval)
	}
	var text string
	_ = json.Unmarshal(sent, &text) // what is no text is none of an object
	if object, ok := objectIn(text); ok {
		readings = append(readings, object)
	}
	return readings
}

// approvalOf is a clear yes or no as an approval, nil of anything else.
func approvalOf(sent json.RawMessage) protocol.Any {
	switch wordOf(sent) {
	case "true", "yes":
		return protocol.Any(`{"approved":true}`)
	case "false", "no":
		return protocol.Any(`{"approved":false}`)
	}
	return nil
}

// objectIn is the object that a text is, in its canonical form: nobody has checked the
// text for names that come twice.
func objectIn(text string) (object protocol.Any, ok bool) {
	if !strings.HasPrefix(strings.TrimSpace(text), "{") {
		return nil, false
	}
	form, err := canonical.JSON([]byte(text))
	if err != nil {
		return nil, false
	}
	var entry protocol.ResumeEntry // which says how deep a payload may be
	err = json.Unmarshal(slices.Concat([]byte(`{"interruptId":"-","status":"resolved","payload":`), form, []byte("}")), &entry)
	return entry.Payload, err == nil
}
