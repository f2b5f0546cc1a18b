package adaptertest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/operate"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
	"github.com/aguiws/aguiws/protocol/fold"
)

// Run is what a client was told until a run has ended or asked.
type Run struct {
	ClientRunID string               // its runId
	Outcome     protocol.OutcomeType // "" if it failed
	Failed      *protocol.RunError   // nil: it did not
	Events      []protocol.Event

	interrupts []protocol.Interrupt
	before     []string
	after      *fold.Fold
}

// Interrupts are those that the run has asked, or an agent that it waits for.
func (r *Run) Interrupts() []protocol.Interrupt { return r.interrupts }

// Text is what the agent has said in the run, its messages parted by line feeds.
func (r *Run) Text() string {
	var texts []string
	for _, m := range r.after.Messages() {
		if m.Role == protocol.RoleAssistant && m.Content != nil && m.Content.String() != "" && !slices.Contains(r.before, m.ID) {
			texts = append(texts, m.Content.String())
		}
	}
	return strings.Join(texts, "\n")
}

// Messages and State are what a client holds of the thread at the end of the run.
func (r *Run) Messages() protocol.Messages { return r.after.Messages() }
func (r *Run) State() json.RawMessage      { return r.after.State() }

// Next waits for the end of the next run that no method has returned: of a time that has run
// out, of an input that Begin has sent.
func (b *Bench) Next() *Run {
	b.t.Helper()
	return b.ends("")
}

// Until waits for the next event that is wanted. The Run of Next has the events up to it, too.
func (b *Bench) Until(wanted func(protocol.Event) bool) protocol.Event {
	b.t.Helper()
	return b.until(wanted, false)
}

// ends waits until the run of that name has ended or asks; "": any run. A run that waits for a
// call goes on in the next one, and so does one that a planned death has kept from its end.
func (b *Bench) ends(label string) *Run {
	b.t.Helper()
	r := &Run{}
	calls := false
	for {
		e := b.until(func(e protocol.Event) bool {
			return isEnd(e) && (label == "" || b.running == label)
		}, calls)
		r.ClientRunID, r.Outcome, r.Failed, r.interrupts = b.running, "", nil, nil
		switch e := e.(type) {
		case *protocol.RunError:
			r.Failed = e
		case *protocol.RunFinished:
			if r.Outcome = protocol.OutcomeSuccess; e.Outcome != nil {
				r.Outcome, r.interrupts = e.Outcome.Type, e.Outcome.Interrupts
			}
		default: // an agent asks that the run waits for
			r.Outcome, r.interrupts = protocol.OutcomeInterrupt, b.askedBelow()
		}
		if next, goesOn := b.recover(r); goesOn {
			label = next
			continue
		}
		if e == nil || !waitsForCall(r.interrupts) {
			break
		}
		label, calls = "", true
	}
	r.Events, r.before, r.after = b.got, b.known, b.told.Clone()
	b.got, b.known = nil, nil
	for m := range b.told.All() {
		b.known = append(b.known, m.ID)
	}
	return r
}

func isEnd(e protocol.Event) bool {
	return e.Type() == protocol.TypeRunFinished || e.Type() == protocol.TypeRunError
}

func waitsForCall(interrupts []protocol.Interrupt) bool {
	return len(interrupts) > 0 && interrupts[0].Reason == adapter.ReasonCall
}

// askedBelow are the interrupts that people are asked by threads below this one.
func (b *Bench) askedBelow() []protocol.Interrupt {
	b.t.Helper()
	list, _, err := b.node.runner.Inbox(b.ctx(), operate.InboxQuery{InboxQuery: store.InboxQuery{Namespace: b.key.Namespace}})
	if err != nil {
		if b.node.hasDied() {
			return nil
		}
		b.t.Fatal(err)
	}
	var asked []protocol.Interrupt
	for _, thread := range list {
		for _, open := range thread.Interrupts {
			var i protocol.Interrupt
			if err := json.Unmarshal(open.Interrupt, &i); err != nil {
				b.t.Fatal(err)
			}
			b.below[i.ID] = thread.Thread.Thread
			asked = append(asked, i)
		}
	}
	return asked
}

// until returns the next event that is wanted. It returns nil when calls is set and a
// thread below this one asks.
func (b *Bench) until(wanted func(protocol.Event) bool, calls bool) protocol.Event {
	b.t.Helper()
	ctx := b.ctx()
	var look <-chan time.Time
	if calls {
		tick := time.NewTicker(sweep)
		defer tick.Stop()
		look = tick.C
	}
	for {
		for len(b.unread) > 0 {
			e, err := protocol.Decode(b.unread[0])
			if err != nil {
				b.t.Fatal(err)
			}
			b.unread = b.unread[1:]
			if b.take(e); wanted(e) {
				return e
			}
		}
		page, err := b.cursor.Next(ctx)
		if b.unread = page.Events; len(b.unread) > 0 {
			continue
		}
		if err != nil && !b.node.hasDied() {
			b.t.Fatal(err)
		}
		select {
		case <-b.woken:
		case <-b.node.died:
			b.takeOver()
		case <-look:
			if len(b.askedBelow()) > 0 {
				return nil
			}
		case <-ctx.Done():
			b.t.Fatalf("nothing more happens after %s", b.shown())
		}
	}
}

// take is what a client does with an event.
func (b *Bench) take(e protocol.Event) {
	b.t.Helper()
	b.got = append(b.got, e)
	if started, ok := e.(*protocol.RunStarted); ok {
		b.running = started.RunID
	}
	err := b.order.Check(e)
	if err == nil {
		err = b.told.Apply(e)
	}
	if err != nil {
		b.t.Fatalf("%v: %s", err, b.shown())
	}
}

func (b *Bench) shown() string {
	var types []string
	for _, e := range b.got {
		name := string(e.Type())
		if failed, ok := e.(*protocol.RunError); ok {
			name += fmt.Sprintf("(%s: %s)", failed.Code, failed.Message)
		}
		types = append(types, name)
	}
	return strings.Join(types, " ")
}
