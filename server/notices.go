package server

import (
	"net/http"
	"slices"
	"strings"

	"github.com/aguiws/aguiws/server/internal/controlapi"
	"github.com/aguiws/aguiws/server/internal/core"
	"github.com/aguiws/aguiws/server/internal/notices"
	"github.com/aguiws/aguiws/server/internal/peer"
	"github.com/aguiws/aguiws/server/internal/refusal"
)

// noticesOver answers requests for notices: by a socket or a stream if that is asked for,
// else by page.
func (s *Server) noticesOver(page http.HandlerFunc) http.HandlerFunc {
	rules := core.WatchRules{Query: s.noticeQuery, Refuse: controlapi.Refuse}
	return func(w http.ResponseWriter, r *http.Request) {
		switch {
		case peer.IsUpgrade(r):
			s.sockets.ServeNotices(w, r, rules)
		case slices.ContainsFunc(peer.Tokens(r.Header, "Accept"), isEventStream):
			s.streams.ServeNotices(w, r, rules)
		default:
			page(w, r)
		}
	}
}

func isEventStream(accepted string) bool {
	kind, _, _ := strings.Cut(accepted, ";")
	return strings.EqualFold(strings.TrimSpace(kind), "text/event-stream")
}

// noticeQuery reads what a request to watch asks for.
func (s *Server) noticeQuery(r *http.Request, c *peer.Caller) (notices.Query, *refusal.Refusal) {
	q, refused := controlapi.NoticeQuery(s.gate, c, r.URL.Query())
	if id := r.Header.Get("Last-Event-ID"); id != "" {
		q.After = id
	}
	return q, refused
}
