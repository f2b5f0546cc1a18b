package notices

import (
	"net/url"
	"strings"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
)

// Severities, by what somebody has to do about a notice.
const (
	Info    = "info"    // nothing
	Action  = "action"  // a question waits for an answer
	Warning = "warning" // a question expired without one
	Error   = "error"   // a run failed
)

// Severities are all that there are.
var Severities = []string{Info, Action, Warning, Error}

// SeverityOf is what somebody has to do about a notice.
func SeverityOf(n *store.Notice) string {
	switch {
	case n.Kind == store.NoticeOpened || n.Kind == store.NoticeReopened:
		return Action
	case n.Kind == store.NoticeExpired:
		return Warning
	case n.Kind == store.NoticeDead, n.Kind == store.NoticeRunEnded && n.How == "fail":
		return Error
	}
	return Info
}

// sentenceOf says in one sentence what a notice tells. It names agents, users and threads,
// and has no word that an agent or a person wrote.
func sentenceOf(n *store.Notice) string {
	agent, thread := "An agent", "thread "+n.Thread.Thread
	if n.Agent != "" {
		agent = "Agent " + n.Agent
	}
	if user := UserOf(n.Owner); user != "" {
		thread += " of " + user
	}
	who := UserOf(n.By)
	if who == "" {
		who = "Somebody"
	}
	switch n.Kind {
	case store.NoticeOpened:
		return agent + " waits for an answer in " + thread + until(n.Deadline) + "."
	case store.NoticeReopened:
		return agent + " waits again for an answer in " + thread + until(n.Deadline) + "."
	case store.NoticeDrafted:
		return who + " answered a part of what waits in " + thread + "."
	case store.NoticeDecided:
		if n.How == "cancelled" {
			return who + " cancelled what waited in " + thread + "."
		}
		return who + " answered what waited in " + thread + "."
	case store.NoticeExpired:
		return "Nobody answered in time what waited in " + thread + "."
	case store.NoticeCancelled:
		return "What waited in " + thread + " was cancelled."
	case store.NoticeRunStarted:
		return agent + " began a run in " + thread + "."
	case store.NoticeRunEnded:
		return agent + " " + endedBy(n.How) + " in " + thread + "."
	case store.NoticeDead:
		return agent + " lost a run in " + thread + ": an operator can requeue or dismiss it."
	case store.NoticeThreadGone:
		return strings.ToUpper(thread[:1]) + thread[1:] + " was deleted."
	}
	return ""
}

func until(deadline time.Time) string {
	if deadline.IsZero() {
		return ""
	}
	return " until " + deadline.UTC().Format(time.RFC3339)
}

func endedBy(how string) string {
	switch how {
	case "fail":
		return "failed in a run"
	case "cancel":
		return "was stopped in a run"
	case "suspend":
		return "ended a run with a question"
	}
	return "finished a run"
}

// pageOf is the path of the page that shows what a notice tells; "": there is none.
func pageOf(n *store.Notice) string {
	if n.Kind == store.NoticeThreadGone {
		return ""
	}
	return "/?thread=" + url.QueryEscape(n.Thread.Thread) + "&namespace=" + url.QueryEscape(n.Thread.Namespace)
}
