package journal

import (
	"strings"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
)

// AskKey numbers an agent's questions, SleepKey its waits for a time, and CallKey its calls of
// other agents.
const (
	AskKey   = "ask"
	SleepKey = "sleep"
	CallKey  = "aguiws:call"
)

// EventKey begins the names of an agent's waits for events, which are numbered by name.
const EventKey = "event:"

// PauseKey numbers the asks of operators, outside the agent's own.
const PauseKey = "pause"

// IsPause reports whether an entry is of an operator's pause.
func IsPause(r *store.JournalEntry) bool {
	return r.Kind == store.EntryAsk && r.Scope == SystemScope && strings.HasPrefix(r.Key, PauseKey+"#")
}

// AskedBy says which of the server's own an ask is.
func AskedBy(ask *store.JournalEntry) string {
	switch {
	case IsPause(ask):
		return store.AskedByPause
	case ask.Scope == SystemScope:
		return store.AskedByStep
	case strings.HasPrefix(ask.Key, SleepKey+"#"):
		return store.AskedByTimer
	case strings.HasPrefix(ask.Key, EventKey):
		return store.AskedByEvent
	case strings.HasPrefix(ask.Key, CallKey+"#"):
		return store.AskedByCall
	}
	return ""
}

// AsksNobody reports whether an ask is a wait that people are not told of.
func AsksNobody(ask *store.JournalEntry) bool {
	switch AskedBy(ask) {
	case store.AskedByTimer, store.AskedByEvent, store.AskedByCall:
		return true
	}
	return false
}

// stopsAtPause reports whether an answer says that a paused execution ends.
func stopsAtPause(ask, answer *store.JournalEntry) bool {
	return IsPause(ask) && len(answer.Entries) == 1 && answer.Entries[0].Status == protocol.ResumeCancelled
}

// BreakKey numbers the asks of steps that broke off, outside the agent's own. They take
// nothing back, unlike the asks after a lost worker.
const BreakKey = "broke"

func isBreak(r *store.JournalEntry) bool {
	return r.Kind == store.EntryAsk && r.Scope == SystemScope && strings.HasPrefix(r.Key, BreakKey+"#")
}
