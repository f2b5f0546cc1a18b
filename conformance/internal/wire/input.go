package wire

import (
	"context"
	"encoding/json"
	"errors"
	"slices"

	"github.com/google/uuid"

	"github.com/aguiws/aguiws/client"
	"github.com/aguiws/aguiws/protocol"
)

// Input is a RunAgentInput on its way: sent, sent again until it is answered,
// and followed to its run's end.
type Input struct {
	tab   *Tab
	input protocol.RunAgentInput
	run   *client.Run // the tab's lock holds it
}

// Say sends a user's message, as a client does: with all the messages it holds.
func (tab *Tab) Say(text string) *Input {
	return tab.ask(func(run *protocol.RunAgentInput) { run.Messages = append(run.Messages, user(text)) })
}

// Rewind sends a user's message behind the first of the thread's messages only, as
// a client does whose user has edited what was said.
func (tab *Tab) Rewind(keep int, text string) *Input {
	return tab.ask(func(run *protocol.RunAgentInput) {
		run.Messages = append(slices.Clone(run.Messages[:min(keep, len(run.Messages))]), user(text))
	})
}

func user(text string) protocol.Message {
	return protocol.Message{ID: uuid.NewString(), Role: protocol.RoleUser, Content: protocol.Text(text)}
}

// Resume answers interrupts.
func (tab *Tab) Resume(entries ...protocol.ResumeEntry) *Input {
	return tab.ask(func(run *protocol.RunAgentInput) { run.Resume = entries })
}

func (tab *Tab) ask(fill func(*protocol.RunAgentInput)) *Input {
	tab.t.Helper()
	tab.Await("a connection", View.Live)
	view := tab.thread.View()
	in := &Input{tab: tab, input: protocol.RunAgentInput{RunID: uuid.NewString(), Messages: view.Messages, State: protocol.Any(view.State)}}
	fill(&in.input)
	in.run = tab.thread.Send(in.input)
	tab.mu.Lock()
	defer tab.mu.Unlock()
	tab.inputs = append(tab.inputs, in)
	return in
}

// sent are the inputs so far.
func (tab *Tab) sent() []*Input {
	tab.mu.Lock()
	defer tab.mu.Unlock()
	return slices.Clone(tab.inputs)
}

// RunID is the run asked for.
func (in *Input) RunID() string { return in.input.RunID }

// Again sends the same input once more, whatever was answered.
func (in *Input) Again() {
	run := in.tab.thread.Send(in.input)
	in.tab.mu.Lock()
	defer in.tab.mu.Unlock()
	in.run = run
}

// Stop asks the server to end the run, as a stop button does.
func (in *Input) Stop() {
	run := in.latest()
	in.tab.wg.Go(func() { _, _ = run.Cancel(in.tab.ctx) })
}

// StopWaiting ends the run, which waits for answers, and waits until the server has said so.
func (in *Input) StopWaiting() {
	in.tab.t.Helper()
	ctx, cancel := context.WithTimeout(in.tab.ctx, Patience)
	defer cancel()
	if _, err := in.latest().Cancel(ctx); err != nil {
		in.tab.t.Fatalf("tab %s was not told what became of stopping run %s: %v", in.tab.name.tab, in.RunID(), err)
	}
}

func (in *Input) latest() *client.Run {
	in.tab.mu.Lock()
	defer in.tab.mu.Unlock()
	return in.run
}

// Disposition is what the server answered last, "" before.
func (in *Input) Disposition() string {
	d, _ := accepted(in.latest())
	return string(d)
}

// accepted is what is known of a run now.
func accepted(run *client.Run) (client.Disposition, string) {
	now, cancel := context.WithCancel(context.Background())
	cancel()
	d, of, _ := run.Accepted(now)
	return d, of
}

// End waits for the end of the run that answers the input.
func (in *Input) End() protocol.Event {
	tab, run := in.tab, in.latest()
	tab.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), Patience)
	defer cancel()
	_, err := run.Wait(ctx)
	var refused *client.RefusedError
	switch {
	case errors.As(err, &refused):
		return &protocol.RunError{Code: refused.Code, Message: refused.Message}
	case run.End() == nil:
		tab.t.Fatalf("tab %s never saw the end of run %s: %v\n%s", tab.name.tab, in.RunID(), err, tab.Describe())
	}
	return run.End()
}

// ended reports whether there is an end to be had. The lock is held.
func (in *Input) ended() bool {
	select {
	case <-in.run.Done():
		return true
	default:
		return false
	}
}

// Interrupts waits for the end, which must be an interrupt, and returns what is
// asked.
func (in *Input) Interrupts() []protocol.Interrupt {
	in.tab.t.Helper()
	end := in.End()
	asked := client.Asked(end)
	if len(asked) == 0 {
		text, _ := json.Marshal(end)
		in.tab.t.Fatalf("tab %s: the run should have asked, and ended with %s", in.tab.name.tab, text)
	}
	return asked
}

func describeInputs(inputs []*Input) []map[string]any {
	var list []map[string]any
	for _, in := range inputs {
		run := in.latest()
		d, of := accepted(run)
		list = append(list, map[string]any{"run": in.RunID(), "disposition": d, "of": of, "end": run.End()})
	}
	return list
}
