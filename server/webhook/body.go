package webhook

import (
	"encoding/json"
	"net/url"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/server/internal/notices"
)

// version is the body's. Members may be added to it; what changes its meaning, or goes,
// raises it.
const version = 1

// body is what is sent: Standard Webhooks' form.
type body struct {
	Type      store.NoticeKind `json:"type"`
	Timestamp time.Time        `json:"timestamp"`
	Version   int              `json:"version"`
	Data      data             `json:"data"`
}

// data is a notice as /v1/notices has it, and where there is more of it.
type data struct {
	ID         string   `json:"id"`
	ThreadID   string   `json:"threadId"`
	Namespace  string   `json:"namespace"`
	Tenant     string   `json:"tenant"`
	User       string   `json:"user,omitempty"`
	Agent      string   `json:"agent,omitempty"`
	RunID      string   `json:"run,omitempty"`
	Label      string   `json:"runId,omitempty"`
	Interrupts []string `json:"interruptIds,omitempty"`
	Reasons    []string `json:"reasons,omitempty"`

	Summaries []store.InterruptSummary `json:"summaries,omitempty"`

	Deadline time.Time `json:"expiresAt,omitzero"`
	By       string    `json:"by,omitempty"`
	How      string    `json:"how,omitempty"`
	Href     string    `json:"href,omitempty"`
}

// bodyOf is the same whenever it is made.
func bodyOf(n store.Notice) ([]byte, error) {
	d := data{ID: n.ID, ThreadID: n.Thread.Thread, Namespace: n.Thread.Namespace, Tenant: n.Tenant, User: notices.UserOf(n.Owner), Agent: n.Agent, RunID: n.RunID,
		Label: n.Label, Interrupts: n.Interrupts, Reasons: n.Reasons, Summaries: n.Summaries, Deadline: n.Deadline.UTC(), By: notices.UserOf(n.By), How: n.How}
	if n.Deadline.IsZero() {
		d.Deadline = time.Time{}
	}
	if n.Kind != store.NoticeThreadGone {
		d.Href = "/v1/threads/" + url.PathEscape(n.Thread.Thread) + "?namespace=" + url.QueryEscape(n.Thread.Namespace)
	}
	return json.Marshal(body{Type: n.Kind, Timestamp: n.At.UTC(), Version: version, Data: d})
}
