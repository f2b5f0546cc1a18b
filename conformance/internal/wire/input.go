package wire

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/aguiws/aguiws/protocol"
)

// Input is a RunAgentInput on its way: sent, sent again until it is answered,
// and followed to its run's end.
type Input struct {
	tab         *Tab
	run         protocol.RunAgentInput
	frame       string // id of the frame on the present socket
	disposition string
	of          string
	end         protocol.Event
}

// Say sends a user's message, as a client does: with all the messages it holds.
func (tab *Tab) Say(text string) *Input {
	return tab.ask(func(run *protocol.RunAgentInput) {
		run.Messages = append(run.Messages, protocol.Message{ID: uuid.NewString(), Role: protocol.RoleUser, Content: protocol.Text(text)})
	})
}

// Rewind sends a user's message behind the first of the thread's messages only, as
// a client does whose user has edited what was said.
func (tab *Tab) Rewind(keep int, text string) *Input {
	return tab.ask(func(run *protocol.RunAgentInput) {
		run.Messages = append(slices.Clone(run.Messages[:min(keep, len(run.Messages))]),
			protocol.Message{ID: uuid.NewString(), Role: protocol.RoleUser, Content: protocol.Text(text)})
	})
}

// Resume answers interrupts.
func (tab *Tab) Resume(entries ...protocol.ResumeEntry) *Input {
	return tab.ask(func(run *protocol.RunAgentInput) { run.Resume = entries })
}

// Resolve is an entry with a payload, written as JSON; "" is none.
func Resolve(i protocol.Interrupt, payload string) protocol.ResumeEntry {
	entry := protocol.ResumeEntry{InterruptID: i.ID, Status: protocol.ResumeResolved}
	if payload != "" {
		entry.Payload = protocol.Any(payload)
	}
	return entry
}

// Cancel is an entry that takes the question back.
func Cancel(i protocol.Interrupt) protocol.ResumeEntry {
	return protocol.ResumeEntry{InterruptID: i.ID, Status: protocol.ResumeCancelled}
}

func (tab *Tab) ask(fill func(*protocol.RunAgentInput)) *Input {
	tab.t.Helper()
	tab.Await("a connection", View.Live)
	tab.mu.Lock()
	defer tab.mu.Unlock()
	in := &Input{tab: tab, run: protocol.RunAgentInput{
		ThreadID: tab.thread, RunID: uuid.NewString(), Messages: tab.view.fold.Messages(), ProtocolVersion: "1.0",
		State: protocol.Any(tab.view.fold.State()),
	}}
	fill(&in.run)
	tab.inputs = append(tab.inputs, in)
	if tab.view.live {
		tab.submit(in)
	}
	return in
}

// submit sends the input. The lock is held.
func (tab *Tab) submit(in *Input) {
	in.frame = tab.frameID()
	data, err := json.Marshal(in.run)
	if err != nil {
		tab.wrong("%v", err)
		return
	}
	// The frame's id stands beside the members of the input.
	tab.send(json.RawMessage(`{"id":"` + in.frame + `",` + strings.TrimPrefix(string(data), "{")))
}

// RunID is the run asked for.
func (in *Input) RunID() string { return in.run.RunID }

// Again sends the same input once more, whatever was answered.
func (in *Input) Again() {
	in.tab.mu.Lock()
	defer in.tab.mu.Unlock()
	in.disposition, in.of, in.end = "", "", nil
	in.tab.submit(in)
}

// Stop asks the server to end the run, as a stop button does. A socket that is
// lost meanwhile may lose the wish with it.
func (in *Input) Stop() {
	tab := in.tab
	tab.mu.Lock()
	defer tab.mu.Unlock()
	tab.send(map[string]string{"type": "ws.cancel", "id": tab.frameID(), "threadId": tab.thread, "runId": in.run.RunID})
}

// Disposition is what the server answered last, "" before.
func (in *Input) Disposition() string {
	in.tab.mu.Lock()
	defer in.tab.mu.Unlock()
	return in.disposition
}

// End waits for the end of the run that answers the input.
func (in *Input) End() protocol.Event {
	in.tab.t.Helper()
	in.tab.Await("the end of run "+in.run.RunID, func(View) bool { return in.end != nil })
	in.tab.mu.Lock()
	defer in.tab.mu.Unlock()
	return in.end
}

// Interrupts waits for the end, which must be an interrupt, and returns what is
// asked.
func (in *Input) Interrupts() []protocol.Interrupt {
	in.tab.t.Helper()
	end := in.End()
	asked := Asked(end)
	if len(asked) == 0 {
		text, _ := json.Marshal(end)
		in.tab.t.Fatalf("tab %s: the run should have asked, and ended with %s", in.tab.name, text)
	}
	return asked
}

// answered takes ws.run.
func (tab *Tab) answered(f *frame) {
	for _, in := range tab.inputs {
		if in.frame != f.ID {
			continue
		}
		if f.RunID != in.run.RunID {
			tab.wrong("ws.run about %q in answer to %q", f.RunID, in.run.RunID)
		}
		in.disposition, in.of = f.Disposition, f.Of
		tab.view.replying = in
		switch f.Disposition {
		case "started", "queued", "refused":
			if f.Of != "" {
				tab.wrong("ws.run %s of %q", f.Disposition, f.Of)
			}
		case "repeat":
		default:
			tab.wrong("ws.run with the disposition %q", f.Disposition)
		}
		return
	}
	tab.wrong("ws.run %s %q answers nothing that is waiting", f.ID, f.RunID)
}

// reply takes the events that answer an input outside the log.
func (tab *Tab) reply(in *Input, events []protocol.Event) {
	last := events[len(events)-1]
	if !terminal(last) {
		return // restated in mid-run: its end comes with the log
	}
	if failed, ok := last.(*protocol.RunError); ok && in.disposition == "refused" {
		if len(events) != 1 {
			tab.wrong("a refusal of %d events", len(events))
		}
		if failed.Code == "store_unavailable" || failed.Code == "server_draining" || failed.Code == "rate_limited" {
			tab.later(in)
			return
		}
	}
	in.end = last
}

// runEnded gives a run's end to the inputs that it answers.
func (tab *Tab) runEnded(id string, end protocol.Event) {
	for _, in := range tab.inputs {
		if in.end == nil && (in.run.RunID == id || in.of == id && id != "") {
			in.end = end
		}
	}
}

func describeInputs(inputs []*Input) []map[string]any {
	var list []map[string]any
	for _, in := range inputs {
		list = append(list, map[string]any{
			"run": in.run.RunID, "frame": in.frame, "disposition": in.disposition, "of": in.of, "end": in.end,
		})
	}
	return list
}
