package ws

import (
	"net/http"
	"slices"

	"github.com/aguiws/aguiws/server/internal/frames"
	"github.com/aguiws/aguiws/server/internal/peer"
	"github.com/aguiws/aguiws/server/internal/refusal"
)

// Subprotocol is the name of the WebSocket binding, version 1.
const Subprotocol = "agui.v1.json"

// handshake is what a good request for a socket says.
type handshake struct {
	*peer.Caller
	agent string
	// subprotocol is what is spoken, unless the socket is plain.
	subprotocol string
	plain       bool
	dialect     frames.Dialect
	resumes     *resumption // of a plain socket that goes on with a run; nil: it asks for runs
	counts      bool        // the client of a plain socket wants to be able to
	origin      string
}

// shake decides about a request for a socket, in the order of
// docs/binding/opening.md. The Host was checked before.
func (s *Sockets) shake(r *http.Request) (*handshake, *refusal.Refusal) {
	h, refused := s.shakeFor(r, Subprotocol)
	if refused != nil {
		return nil, refused
	}
	var there bool
	if h.agent, there = s.AgentNamed(r.PathValue("agent")); !there {
		return nil, peer.RefuseAgent
	}
	if h.plain {
		refused = h.readResumption(r)
	}
	return h, refused
}

// shakeFor is shake for a socket that speaks a subprotocol, as far as what is asked for on
// it does not matter.
func (s *Sockets) shakeFor(r *http.Request, subprotocol string) (*handshake, *refusal.Refusal) {
	h := &handshake{origin: r.Header.Get("Origin"), subprotocol: subprotocol}
	if h.origin != "" && !s.Pages.Allow(r, h.origin) {
		return nil, s.RefusePage(r)
	}
	if s.Closed() {
		return nil, peer.RefuseDraining
	}
	if !peer.IsUpgrade(r) {
		return nil, peer.RefuseUpgrade
	}
	offers := peer.Tokens(r.Header, "Sec-WebSocket-Protocol")
	h.plain, h.dialect = len(offers) == 0, frames.DialectOf(r)
	if !h.plain && !slices.Contains(offers, subprotocol) {
		return nil, refusal.New(http.StatusBadRequest, "unsupported_subprotocol", "supported subprotocols: "+subprotocol)
	}
	bearer, present, refused := peer.BearerOf(r, offers)
	if refused != nil {
		return nil, refused
	}
	// A page of any origin can open a socket with its reader's cookies.
	h.Caller, refused = s.Authenticate(r, bearer, present, h.origin != "")
	return h, refused
}

// readResumption reads whether a plain socket goes on with a run, or is to be one that
// another can go on from: what clients of TanStack AI say in the query.
func (h *handshake) readResumption(r *http.Request) *refusal.Refusal {
	query := r.URL.Query()
	label, offset := query.Get("runId"), query.Get("offset")
	if h.counts = label != "" && h.Reads(); label == "" || offset == "" {
		return nil
	}
	if !h.Reads() {
		return peer.RefuseReading
	}
	h.resumes = &resumption{label: label}
	if !h.resumes.read(offset) {
		return refuseOffset
	}
	return nil
}
