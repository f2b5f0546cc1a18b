package runner

import (
	"strings"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
)

// pauseKey numbers the asks of operators, outside the agent's own.
const pauseKey = "pause"

// isPause reports whether an entry is of an operator's pause.
func isPause(r *store.JournalEntry) bool {
	return r.Kind == store.EntryAsk && r.Scope == systemScope && strings.HasPrefix(r.Key, pauseKey+"#")
}

// askedBy says which of the server's own an ask is.
func askedBy(ask *store.JournalEntry) string {
	switch {
	case isPause(ask):
		return store.AskedByPause
	case ask.Scope == systemScope:
		return store.AskedByStep
	}
	return ""
}

// stopsAtPause reports whether an answer says that a paused execution ends.
func stopsAtPause(ask, answer *store.JournalEntry) bool {
	return isPause(ask) && len(answer.Entries) == 1 && answer.Entries[0].Status == protocol.ResumeCancelled
}

// breakKey numbers the asks of steps that broke off, outside the agent's own. They take
// nothing back, unlike the asks after a lost worker.
const breakKey = "broke"

func isBreak(r *store.JournalEntry) bool {
	return r.Kind == store.EntryAsk && r.Scope == systemScope && strings.HasPrefix(r.Key, breakKey+"#")
}
