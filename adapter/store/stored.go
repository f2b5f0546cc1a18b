package store

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/aguiws/aguiws/protocol"
)

// These are what the calls of a Store carry as JSON that it keeps without reading:
//
//	Begin.Record, RunState.Record, Dispatch.Record        RunRecord
//	Enqueue.Input, QueuedRun.Input, ClaimResult.Input     QueuedInput
//	Answers of Resume and Steer, ThreadView.Answers       Answer, by interrupt id
//	Fresh.Frozen, Activation.Frozen                       Frozen
//	SnapshotUpdate.Frozen, Snapshot.Frozen                FrozenParts; null: nobody goes on from any
//	SnapshotUpdate.Open, Snapshot.Open                    a JSON array of protocol.Event, as Fold.Opened tells them
//	RunCheckpoint.Undo, ExecutionView.Undo                Undo
//	Resume.Decisions, Batch.Entries, ExecutionView.Journal JournalEntry
//	End.Suspension, ThreadView.Suspension                 Suspension
//	ThreadView.Drafts, InboxItem.Drafts                   protocol.ResumeEntry, by interrupt id
//	Snapshot.Messages                                     protocol.Message
//	End.Summary, Dispatch.Summary                         RunSummary
//	Begin.Headers, BeginResult.Headers, ClaimResult.Headers an object of strings
//	events, terminals, Batch.Closing                      protocol.Event
//
// The names of their members are what lies in databases.

// RunRecord is the run record: what is kept of a run beside its events.
type RunRecord struct {
	Label     string   `json:"label"`
	Execution string   `json:"execution"`
	Agent     string   `json:"agent,omitempty"`    // "": the default agent, or that of the execution it continues
	Digest    string   `json:"digest"`             // of what makes a repeat equal
	Messages  []string `json:"messages,omitempty"` // ids of the input's messages that the thread did not hold
	// Sent is of all messages of the input; nil: Messages has them all.
	Sent   *SentMessages `json:"sent,omitempty"`
	User   string        `json:"user,omitempty"`   // whose input it was; "": not known
	Tenant string        `json:"tenant,omitempty"` // the user's
	// CountsFor is whom the run counts for, if that is not User.
	CountsFor string `json:"countsFor,omitempty"`
	// ParentRunID is the input's: the client's name for the run that this one came from.
	ParentRunID string `json:"parentRunId,omitempty"`
	// Origin says why the run came to be; "": it is not known.
	Origin string `json:"origin,omitempty"`
	// Decisions are those that its RUN_STARTED tells, as it tells them; nil: it tells none,
	// or they are too large to be kept a second time.
	Decisions json.RawMessage `json:"decisions,omitempty"`
	// Left are the Refs of interrupts that expired, and of whose end the agent knows nothing,
	// because the run fails instead of continuing.
	Left []string `json:"left,omitempty"`
	// Asked is the first sentence of the last user message among Messages, or of the one that is
	// answered anew, cut; "": there is none.
	Asked string `json:"asked,omitempty"`
	// Anew is the id of the message that is answered anew; "": none is.
	Anew string `json:"anew,omitempty"`
	// Trace is the id of the trace that its input belongs to, as W3C has it; "": of none.
	Trace string `json:"trace,omitempty"`
	// Said tells what the user messages among Messages say from what others do; "": there are none.
	Said string `json:"said,omitempty"`
	// Joins: while it waits, another run may take its messages.
	Joins bool `json:"joins,omitempty"`
	// Caller is the call that its execution was begun by; nil: by none.
	Caller *Caller `json:"caller,omitempty"`
	// LeftCalls are the threads of the calls that its input does not wait for any more. The run
	// ends them, or whoever stops it.
	LeftCalls []string `json:"leftCalls,omitempty"`
}

// SentMessages tells the messages of an input from others, without naming them.
type SentMessages struct {
	Count  int    `json:"n"`
	Digest string `json:"ids"` // of their ids, in order
}

// RunSummary is what a run has done.
type RunSummary struct {
	// Steps are those that the run has run itself: none that it only replayed.
	Steps []RanStep `json:"steps,omitempty"`
	More  int       `json:"more,omitempty"` // how many have run under names that are not told
	// Wrote counts the messages that the run has added to its input since its last
	// checkpoint. First and Last are the ids of the first and the last one; First is "" if
	// there is one alone. Text is the beginning of the assistant's last text; a run that
	// suspends has none.
	Wrote int    `json:"wrote,omitempty"`
	First string `json:"from,omitempty"`
	Last  string `json:"to,omitempty"`
	Text  string `json:"text,omitempty"`
	// Users are those whose messages an execution was given that another agent called, when it has
	// ended. Other runs keep none.
	Users []string `json:"users,omitempty"`
}

// RanStep is what a run has run under one name.
type RanStep struct {
	Name   string `json:"name"`
	Count  int    `json:"n"`
	Failed int    `json:"failed,omitempty"`
	First  int64  `json:"first,omitempty"` // when the first one was recorded, Unix ms; 0: by a worker that was lost
	Last   int64  `json:"last,omitempty"`
	Took   int64  `json:"took,omitempty"` // ms that those took together whose worker was not lost
}

// QueuedInput is what activating an input needs that waits.
type QueuedInput struct {
	Input json.RawMessage `json:"input"` // protocol.RunAgentInput
	Agent string          `json:"agent,omitempty"`
	// Fresh are the messages of the input that the thread did not have when it
	// was queued: what followers are shown.
	Fresh protocol.Messages `json:"fresh"`
}

// Answer is what is kept of an accepted answer to an interrupt.
type Answer struct {
	Key   string `json:"key"` // equal for answers that decide the same
	RunID string `json:"run"` // server-made id of the run that carries it out
	Label string `json:"label"`
	At    int64  `json:"at"` // Unix ms
	// Expired: nobody's, but what became of the interrupt when its time was over.
	Expired bool `json:"expired,omitempty"`
	// Stopped: the run that asked was cancelled, and this question with it.
	Stopped bool `json:"stopped,omitempty"`
	// Cancelled: the interrupt was, by whomever.
	Cancelled bool `json:"cancelled,omitempty"`
}

// Frozen is what an execution's agent sees, fixed when it begins.
type Frozen struct {
	// Input has the whole conversation as its messages, unless Of is there, and the
	// thread's state.
	Input *protocol.RunAgentInput `json:"input"`
	// Of says which of the thread's messages are the conversation.
	Of    *Conversation `json:"of,omitempty"`
	Label string        `json:"label"`
	Now   time.Time     `json:"now"`
	// At is the log's end before the execution's first run, and Begun how many
	// events began it.
	At    int64 `json:"at"`
	Begun int   `json:"begun"`
	// User is whose input began the execution, and Tenant the user's; "": not known.
	User   string `json:"user,omitempty"`
	Tenant string `json:"tenant,omitempty"`
	// Answers is the latest user message, if the input brought none itself.
	Answers *Answered `json:"answers,omitempty"`
	// Left are the Refs of the interrupts that the input turned away from, or that expired
	// before it, and of whose end the agent knows nothing.
	Left []string `json:"left,omitempty"`
	// Restores: the run restores a branch, and there is nothing for an agent to do.
	Restores bool `json:"restores,omitempty"`
	// Caller is the call that it was begun by; nil: by none.
	Caller *Caller `json:"caller,omitempty"`
	// LeftCalls are the threads of the calls that the input turned away from: they are ended
	// before the agent is called.
	LeftCalls []string `json:"leftCalls,omitempty"`
}

// Answered is a message that an earlier input brought.
type Answered struct {
	Message string `json:"message"`
	Label   string `json:"run,omitempty"` // of the run that it came with; "": the store knows
}

// Conversation is the messages that an execution's agent sees: the first Count of the
// thread's as of position At. When the stored snapshot has moved beyond that, it says
// in its Frozen how they are made of its own.
type Conversation struct {
	At    int64 `json:"at"`
	Count int   `json:"n"`
}

// FrozenParts are the Conversation of the execution in whose midst a snapshot was moved.
type FrozenParts struct {
	Execution string       `json:"execution"`
	Parts     []FrozenPart `json:"parts"`
}

// FrozenPart is Count messages of the snapshot from index From on, or Messages, which it
// does not hold any more, or not as they were.
type FrozenPart struct {
	From     int               `json:"from,omitempty"`
	Count    int               `json:"n,omitempty"`
	Messages protocol.Messages `json:"messages,omitempty"`
}

// Undo is what going on with a run takes whose snapshot was moved in its midst.
type Undo struct {
	At    int64    `json:"at"`              // of the snapshot
	Calls []string `json:"calls,omitempty"` // that the run has opened and that have no result
	Ended []string `json:"ended,omitempty"` // the subagents of the run that have ended: the latest ones
	// Back is how the thread was when the journal's last final entry was written, or the
	// execution began; nil: At is not after that.
	Back *UndoTo `json:"back,omitempty"`
}

// UndoTo is what makes messages and state of a snapshot what they were before it.
type UndoTo struct {
	At       int64             `json:"at"` // where the log ended then
	State    json.RawMessage   `json:"state,omitempty"`
	Drop     int               `json:"drop,omitempty"`     // how many messages go off the end
	Append   []string          `json:"append,omitempty"`   // and which come in their place
	Messages protocol.Messages `json:"messages,omitempty"` // those that were others, or are there no more
	Open     json.RawMessage   `json:"open,omitempty"`     // as Snapshot.Open
	Calls    []string          `json:"calls,omitempty"`    // as Undo.Calls
	Begun    []string          `json:"begun,omitempty"`    // the subagents that have begun since
}

// Suspension is the open interrupts of an execution: what people were shown, byte for
// byte, and what to do about the answer.
type Suspension struct {
	Execution string               `json:"execution"`
	RunID     string               `json:"run"`   // server-made
	Label     string               `json:"label"` // of the run that asked
	Agent     string               `json:"agent,omitempty"`
	Items     []SuspendedInterrupt `json:"items"`
	// Users are those whose messages have led to it: who began the execution, and who
	// sent some with an answer. None: they are not known.
	Users []string `json:"users,omitempty"`
	// Caller is the call that the execution was begun by; nil: by none.
	Caller *Caller `json:"caller,omitempty"`
}

// Expires is when all interrupts have expired, in Unix ms; 0: never.
func (s *Suspension) Expires() int64 {
	var last int64
	for _, it := range s.Items {
		if it.ExpiresAt == 0 {
			return 0
		}
		last = max(last, it.ExpiresAt)
	}
	return last
}

// SuspendedInterrupt is one of a Suspension.
type SuspendedInterrupt struct {
	ID        string          `json:"id"`
	Ref       string          `json:"ref,omitempty"`       // what the agent calls it; nobody else is told
	Interrupt json.RawMessage `json:"interrupt"`           // protocol.Interrupt
	ExpiresAt int64           `json:"expiresAt,omitempty"` // Unix ms
	OnExpiry  string          `json:"onExpiry,omitempty"`  // the policy: keep, cancel, fail or answer
	Due       int64           `json:"due,omitempty"`       // when the policy is carried out, Unix ms; 0: at ExpiresAt
	Default   json.RawMessage `json:"default,omitempty"`   // what it is answered then, with answer
	// Call is what the interrupt is about, for those who do not see the thread.
	Call *protocol.ToolFunction `json:"call,omitempty"`
	// Login is what it asks for, and what alone resolves it; nil: it asks for none.
	Login *Login `json:"login,omitempty"`
	// Child is what it waits for; nil: it waits for no call.
	Child *Child `json:"child,omitempty"`
	// By is AskedByPause, AskedByStep, AskedByTimer, AskedByEvent or AskedByCall if the server
	// itself has asked, whatever the interrupt's reason; "": an agent has.
	By string `json:"by,omitempty"`
}

const (
	AskedByPause = "pause" // of an operator's pause
	AskedByStep  = "step"  // of a step of which nobody knows what became
	AskedByTimer = "timer" // of a wait for a time, which ends it; nobody answers it
	AskedByEvent = "event" // of a wait for an event, which whoever has its token answers, and nobody else
)

// Login is an account at a provider.
type Login struct {
	Provider string   `json:"provider"`
	Scopes   []string `json:"scopes,omitempty"` // beside those that the configuration names
	User     string   `json:"user,omitempty"`   // whose it is; "": nobody's, unless users are not told apart at all
}

// Refs are what the agent calls those of the open interrupts that it has a name for.
func (s *Suspension) Refs() []string {
	var refs []string
	for _, it := range s.Items {
		if it.Ref != "" {
			refs = append(refs, it.Ref)
		}
	}
	return refs
}

// IDs are those of the open interrupts, in order.
func (s *Suspension) IDs() []string {
	ids := make([]string, len(s.Items))
	for i, it := range s.Items {
		ids[i] = it.ID
	}
	return ids
}

// Item finds an open interrupt; nil when s is nil or has none of that id.
func (s *Suspension) Item(id string) *SuspendedInterrupt {
	if s != nil {
		for i := range s.Items {
			if s.Items[i].ID == id {
				return &s.Items[i]
			}
		}
	}
	return nil
}

// SuspendedCall is a tool call as people were asked about it.
type SuspendedCall struct {
	ID   string          `json:"id"`
	Name string          `json:"name"`
	Args json.RawMessage `json:"args"`
	Mode string          `json:"mode,omitempty"` // what a decision does to it
}

// EntryKind says what a journal entry tells of.
type EntryKind string

const (
	EntryStart  EntryKind = "start"  // a step was started that is not idempotent, or is given something
	EntryStep   EntryKind = "step"   // a step ended, with a result or an error
	EntryAsk    EntryKind = "ask"    // the execution suspended
	EntryAnswer EntryKind = "answer" // the decisions of the ask before it
	EntryFork   EntryKind = "fork"   // branches begin that go on side by side
	EntryBranch EntryKind = "branch" // one of them has returned
	EntryJoin   EntryKind = "join"   // messages of waiting inputs have joined the execution
	EntryRename EntryKind = "rename" // bookkeeping: a takeover gave ids that cannot be used again new ones
)

// JournalEntry is one entry of an execution's journal.
type JournalEntry struct {
	Kind  EntryKind `json:"kind"`
	Scope string    `json:"scope,omitempty"` // "" is the agent's function, "fork#1/0" a branch, "!" outside of both
	Key   string    `json:"key,omitempty"`   // name and ordinal within the scope
	// Position is the log's end when the entry was written: all before it is
	// final, what follows may be taken back by a takeover.
	Position int64 `json:"position"`

	Result json.RawMessage `json:"result,omitempty"` // step
	Failed *string         `json:"failed,omitempty"` // step: the error's text

	Idempotent bool       `json:"idempotent,omitempty"` // start: the step may run again
	BrokeOff   string     `json:"brokeOff,omitempty"`   // start once more: why the step's own worker does not know what became of it
	About      *StepAbout `json:"about,omitempty"`      // start: what a human is told if it is not known what became of the step

	Branches int `json:"branches,omitempty"` // fork

	Digest string          `json:"digest,omitempty"` // ask, start: of what was asked or given; "" is not compared
	Calls  []SuspendedCall `json:"calls,omitempty"`  // ask: the calls to carry out
	Login  *Login          `json:"login,omitempty"`  // ask: the account that is asked for
	Child  *Child          `json:"child,omitempty"`  // ask: what was called
	IDs    []string        `json:"ids,omitempty"`    // ask: interrupt ids in order
	Trace  string          `json:"trace,omitempty"`  // ask: the trace context of its run, a traceparent; "": it has none
	Steps  []StepRef       `json:"steps,omitempty"`  // ask in scope "!": the uncertain steps, in order of IDs

	Entries  []protocol.ResumeEntry `json:"entries,omitempty"`  // answer, in the ask's order
	Messages protocol.Messages      `json:"messages,omitempty"` // answer: messages that came with it; join: those that did
	Label    string                 `json:"run,omitempty"`      // answer: the label of the run it began
	User     string                 `json:"user,omitempty"`     // answer: whose it was; "": not known
	Users    []string               `json:"users,omitempty"`    // join: whose they were, as far as that is known; answer: who has written to what was called
	// Input is, of an answer, what its input brought for the agent: tools, context and
	// forwardedProps, and no messages; nil: nothing.
	Input *protocol.RunAgentInput `json:"input,omitempty"`

	Final   bool   `json:"final,omitempty"`   // answer: nobody's to give back
	Failure string `json:"failure,omitempty"` // answer: the run ends with this code instead of continuing
	Stops   bool   `json:"stops,omitempty"`   // answer: the run ends as cancelled instead of continuing

	Renamed map[string]string `json:"renamed,omitempty"` // rename: subagents, by the agent's own ids
}

func (e *JournalEntry) String() string {
	where := ""
	if e.Scope != "" {
		where = " in " + e.Scope
	}
	return fmt.Sprintf("%s %s%s", e.Kind, e.Key, where)
}

// StepAbout says of a step what those need to know who are asked what became of it, and look
// that up elsewhere.
type StepAbout struct {
	Did  string          `json:"did,omitempty"`  // what was begun, a sentence without its end; "": the step, by its name
	Call string          `json:"call,omitempty"` // what was called, by its name
	Args json.RawMessage `json:"args,omitempty"` // with what
	Key  string          `json:"key,omitempty"`  // the idempotency key that went along
	// AgentRun is an agent's own id of its run, by which its log names what it did; "": none.
	AgentRun string `json:"agentRun,omitempty"`
	Rerun    string `json:"rerun,omitempty"` // how doing it again is called; "": in general words
}

// StepRef names a step across scopes.
type StepRef struct {
	Scope string `json:"scope,omitempty"`
	Key   string `json:"key"`
}
