// Package show prints what a store holds of a thread, for whoever operates a server.
package show

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
)

const (
	mostRuns    = 20  // runs that are carried out, and latest ones that ended
	mostQueued  = 100 // inputs that wait
	mostEntries = 500 // the latest entries of a journal that are listed
	mostText    = 300 // characters of an agent's or a user's text
)

// Store is what is read.
type Store interface {
	store.Store
	Keys(context.Context, store.ThreadKey) ([]string, error) // where a thread is stored
}

// Thread prints what the store holds of one thread, and changes nothing of it. It leaves
// out what people and agents said to each other, apart from the words of open questions.
// Texts go through readable, which makes them fit for a terminal. A part that cannot be
// read is named instead, and the error says that there was one.
func Thread(ctx context.Context, st Store, key store.ThreadKey, w io.Writer, readable func(string) string) error {
	p := &page{w: w, readable: readable, now: time.Now()}
	view, unread := st.Read(ctx, key, store.ReadQuery{Journal: true, Window: 1})
	switch {
	case unread == nil && !view.Used:
		p.now = view.Now
		return p.unused(ctx, st, key)
	case unread == nil:
		p.now = view.Now
		p.thread(view)
	default:
		p.line("thread %q of namespace %q cannot be read whole: %v", key.Thread, key.Namespace, unread)
	}
	live, err := st.Dispatches(ctx, key, store.DispatchQuery{States: []store.DispatchState{store.DispatchClaimed}, Limit: mostRuns})
	unread = errors.Join(unread, err)
	ended, err := st.Dispatches(ctx, key, store.DispatchQuery{Limit: mostRuns, States: []store.DispatchState{
		store.DispatchAcked, store.DispatchCancelled, store.DispatchSuperseded, store.DispatchDeadLetter}})
	unread = errors.Join(unread, err)
	p.runs(append(live, ended...))
	if view != nil {
		p.queue(view)
		p.questions(view)
		p.journal(view.Execution)
	}
	return errors.Join(unread, p.keys(ctx, st, key), p.err)
}

// page writes sections of lines, and keeps the first error.
type page struct {
	w        io.Writer
	readable func(string) string
	now      time.Time // the store's
	err      error
}

func (p *page) line(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintln(p.w, p.readable(fmt.Sprintf(format, args...)))
	}
}

// section begins one, which is told from the one before by an empty line.
func (p *page) section(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintln(p.w)
	}
	p.line(format, args...)
}

func (p *page) thread(v *store.ThreadView) {
	p.line("thread %q of namespace %q, tenant %q", v.Thread.Thread, v.Thread.Namespace, v.Tenant)
	p.line("  state    %s", standing(v))
	p.line("  log      epoch %s, events %d to %d", v.Epoch, v.Base, v.Seq)
	p.line("  stored   %d bytes of messages, state and log; version %d", v.Bytes, v.Version)
}

// unused prints what is kept of a thread that has had no input.
func (p *page) unused(ctx context.Context, st Store, key store.ThreadKey) error {
	nodes, err := st.TreeNodes(ctx, key.Namespace, []string{key.Thread})
	if err != nil {
		return err
	}
	if len(nodes) == 0 || nodes[0] == nil || nodes[0].Version == 0 {
		return fmt.Errorf("namespace %q has no thread %q: --namespace names another one", key.Namespace, key.Thread)
	}
	n := nodes[0]
	p.line("thread %q of namespace %q", key.Thread, key.Namespace)
	state := "made, and never used"
	if n.Deleting {
		state = "being deleted"
	}
	p.line("  state    %s", state)
	p.line("  made     %s", p.ago(n.Created))
	if n.Parent != "" {
		p.line("  parent   %q", n.Parent)
	}
	if n.Resource != "" {
		p.line("  about    %q", n.Resource)
	}
	if n.Children > 0 {
		p.line("  threads  %d right below it", n.Children)
	}
	return p.err
}

// standing says what a thread waits for.
func standing(v *store.ThreadView) string {
	state := "at rest"
	switch {
	case v.Suspension != nil:
		state = "waits for an answer"
	case v.Active != nil:
		state = "run " + v.Active.ID + " is carried out"
	case v.QueueLength > 0:
		state = "an input waits for a worker"
	}
	if v.Paused {
		state += ", and it is to pause"
	}
	return state
}

func (p *page) runs(runs []store.Dispatch) {
	p.section("runs, those that are carried out first, and then the latest %d that ended", mostRuns)
	for _, d := range runs {
		var record store.RunRecord
		json.Unmarshal(d.Record, &record) // what cannot be read is shown as empty
		p.line("  %s  %-11s  attempt %d of %d  priority %d  %s", d.ID, d.State, d.Attempts, d.MaxAttempts, d.Priority, p.ago(d.Created))
		p.line("      client's id %q, agent %q, user %q, because of %s", record.Label, record.Agent, record.User, cmp.Or(record.Origin, "an input"))
		switch {
		case !d.LeaseUntil.IsZero():
			p.line("      server %s holds its lease for another %s", d.ClaimedBy, d.LeaseUntil.Sub(p.now).Round(time.Millisecond))
		case d.ClaimedBy != "":
			p.line("      server %s carried it last", d.ClaimedBy)
		}
		if d.Takeovers > 0 {
			p.line("      taken over %d times, from servers that were lost or drained", d.Takeovers)
		}
		switch {
		case d.Waits:
			p.line("      waits for answers")
		case d.ContinuedAs != "":
			p.line("      run %s continued it", d.ContinuedAs)
		}
		if end := ending(d.Outcome); end != "" {
			p.line("      ended: %s", end)
		}
		if d.Error != "" {
			p.line("      error: %s", short(d.Error))
		}
	}
}

// ending is how a run ended, by its terminal event; "": it did not.
func ending(event json.RawMessage) string {
	var e struct {
		Type, Code, Message string
		Outcome             struct{ Type string }
	}
	if json.Unmarshal(event, &e) != nil {
		return ""
	}
	if e.Type == "RUN_ERROR" {
		return strings.TrimSpace("error " + e.Code + " " + short(e.Message))
	}
	return cmp.Or(e.Outcome.Type, e.Type)
}

func (p *page) queue(v *store.ThreadView) {
	p.section("queue: %d", v.QueueLength)
	for _, q := range v.Queue[:min(len(v.Queue), mostQueued)] {
		p.line("  %s  %d bytes", q.ID, q.Size)
	}
}

func (p *page) questions(v *store.ThreadView) {
	if v.Suspension == nil {
		p.section("open questions: 0")
		return
	}
	var s store.Suspension
	if err := json.Unmarshal(v.Suspension, &s); err != nil {
		p.section("open questions: what is stored of them cannot be read")
		return
	}
	p.section("open questions: %d", len(s.Items))
	for _, item := range s.Items {
		var i protocol.Interrupt
		if err := json.Unmarshal(item.Interrupt, &i); err != nil {
			p.line("  %s  what is stored of it cannot be read", item.ID)
			continue
		}
		p.line("  %s  %s  %s", item.ID, i.Reason, short(i.Message))
		if item.Call != nil {
			p.line("      about a call of %s, %d bytes of arguments", item.Call.Name, len(item.Call.Arguments))
		}
		if item.ExpiresAt > 0 {
			p.line("      expires %s, and then: %s", p.ago(time.UnixMilli(item.ExpiresAt)), cmp.Or(item.OnExpiry, "the server's default"))
		}
		if _, drafted := v.Drafts[item.ID]; drafted {
			p.line("      has an answer in part")
		}
	}
}

func (p *page) journal(x *store.ExecutionView) {
	if x == nil {
		return
	}
	p.section("journal of execution %s of agent %q, which began %s", x.ID, x.Agent, p.ago(x.Began))
	first := max(0, len(x.Journal)-mostEntries)
	if first > 0 {
		p.line("  %d older entries", first)
	}
	for n, raw := range x.Journal[first:] {
		var e store.JournalEntry
		if err := json.Unmarshal(raw, &e); err != nil {
			p.line("  %4d  this version cannot read it (%d bytes)", first+n+1, len(raw))
			continue
		}
		p.line("  %4d  %-6s  %s", first+n+1, e.Kind, strings.TrimSpace(entryScope(&e)+entryText(&e)))
	}
}

func entryScope(e *store.JournalEntry) string {
	if e.Scope == "" || e.Scope == "!" {
		return ""
	}
	return "in " + e.Scope + ": "
}

// entryText says in a line what an entry records.
func entryText(e *store.JournalEntry) string {
	switch e.Kind {
	case store.EntryStart:
		if e.Idempotent {
			return "step " + e.Key + " begins; it may run again"
		}
		return "step " + e.Key + " begins; it must not run again"
	case store.EntryStep:
		if e.Failed != nil {
			return "step " + e.Key + " failed: " + short(*e.Failed)
		}
		return fmt.Sprintf("step %s ended with %d bytes", e.Key, len(e.Result))
	case store.EntryAsk:
		calls := ""
		for _, c := range e.Calls {
			calls += ", for a call of " + c.Name
		}
		return strings.Join(e.IDs, ", ") + calls
	case store.EntryAnswer:
		said := make([]string, len(e.Entries))
		for i, entry := range e.Entries {
			said[i] = entry.InterruptID + " " + string(entry.Status) + verdict(entry.Payload)
		}
		text := strings.Join(said, ", ") + ", by " + cmp.Or(e.User, "nobody that is known")
		if e.Failure != "" {
			text += "; the run fails with " + e.Failure
		}
		if e.Stops {
			text += "; the run is stopped"
		}
		return text
	case store.EntryFork:
		return fmt.Sprintf("%d branches begin", e.Branches)
	case store.EntryBranch:
		return "the branch has returned"
	case store.EntryJoin:
		return fmt.Sprintf("%d messages joined", len(e.Messages))
	case store.EntryRename:
		return "ids got new names after a takeover"
	}
	return "this version does not know the kind"
}

// verdict is what an answer says of the call that it is about, if it says it.
func verdict(payload protocol.Any) string {
	var said struct{ Approved *bool }
	if json.Unmarshal(payload, &said) != nil || said.Approved == nil {
		return ""
	}
	if *said.Approved {
		return " and approved"
	}
	return " and declined"
}

func (p *page) keys(ctx context.Context, st Store, key store.ThreadKey) error {
	names, err := st.Keys(ctx, key)
	if err != nil {
		return err
	}
	p.section("keys in Redis")
	for _, name := range names {
		p.line("  %s", name)
	}
	return nil
}

// ago is a time, and how far it is from the store's.
func (p *page) ago(t time.Time) string {
	at := t.UTC().Format(time.RFC3339)
	if d := p.now.Sub(t).Round(time.Second); d >= 0 {
		return fmt.Sprintf("%s (%s ago)", at, d)
	}
	return fmt.Sprintf("%s (in %s)", at, t.Sub(p.now).Round(time.Second))
}

// short is the beginning of a text.
func short(text string) string {
	if runes := []rune(text); len(runes) > mostText {
		return string(runes[:mostText]) + "…"
	}
	return text
}
