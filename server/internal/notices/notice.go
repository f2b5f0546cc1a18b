package notices

import (
	"bytes"
	"encoding/json"
	"net/url"
	"strings"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
)

// Kinds are all kinds of notices.
var Kinds = []store.NoticeKind{
	store.NoticeOpened, store.NoticeDrafted, store.NoticeDecided, store.NoticeExpired, store.NoticeCancelled, store.NoticeReopened,
	store.NoticeRunStarted, store.NoticeRunEnded, store.NoticeDead, store.NoticeThreadGone,
}

// Notice is one as it is told.
type Notice struct {
	ID         string    `json:"id" jsonschema:"The id of the notice. A notice that comes again has the same id, so that a receiver can pass it over."`
	Kind       string    `json:"kind"`
	At         time.Time `json:"at"`
	Severity   string    `json:"severity" jsonschema:"The severity is action if a question waits for an answer, warning if one expired without an answer, error if a run failed or is dead, and info otherwise."`
	Sentence   string    `json:"sentence" jsonschema:"The sentence says in English what happened. It has names of agents, users and threads, and nothing that they wrote."`
	Page       string    `json:"page,omitempty" jsonschema:"The path of the page that shows the thread. A webhook has the whole address if the server knows it."`
	ThreadID   string    `json:"threadId"`
	Namespace  string    `json:"namespace"`
	Tenant     string    `json:"tenant"`
	User       string    `json:"user,omitempty" jsonschema:"The user to whom the thread counts."`
	Agent      string    `json:"agent,omitempty"`
	RunID      string    `json:"run,omitempty" jsonschema:"The server's id of the run that asked, answers, began or ended."`
	Label      string    `json:"runId,omitempty" jsonschema:"The client's id of that run."`
	Interrupts []string  `json:"interruptIds,omitempty"`
	Reasons    []string  `json:"reasons,omitempty" jsonschema:"The reasons of the interrupts."`

	Summaries []store.InterruptSummary `json:"summaries,omitempty" jsonschema:"Summaries of at most the first 5 interrupts. Notices of the kind interrupt.opened have them, if the server is set to show questions."`

	Deadline time.Time `json:"expiresAt,omitzero" jsonschema:"The earliest time at which an open interrupt expires."`
	By       string    `json:"by,omitempty" jsonschema:"The user who did it."`
	How      string    `json:"how,omitempty" jsonschema:"The way in which it ended: finish, fail, cancel or suspend for a run, resolved or cancelled for a decision. For a question that is open again, the code of the error that ended the run of its answer."`
}

// Wire is a notice as it is told.
func Wire(n *store.Notice) Notice {
	w := Notice{
		ID: n.ID, Kind: string(n.Kind), At: n.At.UTC(), Severity: SeverityOf(n), Sentence: sentenceOf(n), Page: pageOf(n), ThreadID: n.Thread.Thread, Namespace: n.Thread.Namespace, Tenant: n.Tenant,
		User: UserOf(n.Owner), Agent: n.Agent, RunID: n.RunID, Label: n.Label, Interrupts: n.Interrupts, Reasons: n.Reasons, Summaries: n.Summaries, By: UserOf(n.By), How: n.How,
	}
	if !n.Deadline.IsZero() {
		w.Deadline = n.Deadline.UTC()
	}
	return w
}

// UserOf is the user whom the store knows by a name of its own, within the tenant that the
// name has as well.
func UserOf(name string) string {
	_, user, found := strings.Cut(name, "/")
	if !found {
		return name
	}
	if plain, err := url.PathUnescape(user); err == nil {
		return plain
	}
	return user
}

// Encode writes JSON without escapes that only HTML needs.
func Encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

// Item is a notice, and the text by which it is told.
type Item struct {
	Notice *store.Notice
	Text   []byte
}

func items(list []store.Notice) []Item {
	all := make([]Item, len(list))
	for i := range list {
		text, err := Encode(Wire(&list[i]))
		if err != nil {
			continue // it is strings and times
		}
		all[i] = Item{&list[i], text}
	}
	return all
}
