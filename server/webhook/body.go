package webhook

import (
	"net/url"
	"strings"
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
	notices.Notice
	Href string `json:"href,omitempty"`
}

// bodyOf is the same whenever it is made. public is the address of the server for
// browsers; "": it is not known, and pages are named by their path.
func bodyOf(n store.Notice, public string) ([]byte, error) {
	d := data{Notice: notices.Wire(&n)}
	if d.Page != "" {
		d.Page = strings.TrimSuffix(public, "/") + d.Page
	}
	if n.Kind != store.NoticeThreadGone {
		d.Href = "/v1/threads/" + url.PathEscape(n.Thread.Thread) + "?namespace=" + url.QueryEscape(n.Thread.Namespace)
	}
	return notices.Encode(body{Type: n.Kind, Timestamp: n.At.UTC(), Version: version, Data: d})
}
