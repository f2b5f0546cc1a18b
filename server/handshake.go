package server

import (
	"encoding/base64"
	"net"
	"net/http"
	"slices"
	"strings"

	"github.com/aguiws/aguiws/server/identity"
	"github.com/aguiws/aguiws/server/internal/frames"
	"github.com/aguiws/aguiws/server/internal/refusal"
)

// Subprotocol is the name of the WebSocket binding, version 1.
const Subprotocol = "agui.v1.json"

// handshake is what a good request for a socket says.
type handshake struct {
	*caller
	agent string
	// subprotocol is what is spoken, unless the socket is plain.
	subprotocol string
	plain       bool
	dialect     frames.Dialect
	resumes     *resumption // of a plain socket that goes on with a run; nil: it asks for runs
	counts      bool        // the client of a plain socket wants to be able to
	origin      string
}

// checkAddress refuses requests that came by a name or an address that must
// not be served.
func (s *core) checkAddress(r *http.Request) *refusal.Refusal {
	if !hostAllowed(r, s.opts.Hosts) {
		return s.refuseName(r)
	}
	if _, none := s.opts.Auth.(identity.None); none {
		if local, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr); ok && public(local) {
			return refusePublic
		}
	}
	return nil
}

// shake decides about a request for a socket, in the order of
// docs/binding/opening.md. The Host was checked before.
func (s *core) shake(r *http.Request) (*handshake, *refusal.Refusal) {
	h, refused := s.shakeFor(r, Subprotocol)
	if refused != nil {
		return nil, refused
	}
	var there bool
	if h.agent, there = s.agentNamed(r.PathValue("agent")); !there {
		return nil, refuseAgent
	}
	if h.plain {
		refused = h.readResumption(r)
	}
	return h, refused
}

// shakeFor is shake for a socket that speaks a subprotocol, as far as what is asked for on
// it does not matter.
func (s *core) shakeFor(r *http.Request, subprotocol string) (*handshake, *refusal.Refusal) {
	h := &handshake{origin: r.Header.Get("Origin"), subprotocol: subprotocol}
	if h.origin != "" && !s.pages.allow(r, h.origin) {
		return nil, s.refusePage(r)
	}
	if s.draining.Load() {
		return nil, refuseDraining
	}
	if !isUpgrade(r) {
		return nil, refuseUpgrade
	}
	offers := tokens(r.Header, "Sec-WebSocket-Protocol")
	h.plain, h.dialect = len(offers) == 0, frames.DialectOf(r)
	if !h.plain && !slices.Contains(offers, subprotocol) {
		return nil, refusal.New(http.StatusBadRequest, "unsupported_subprotocol", "supported subprotocols: "+subprotocol)
	}
	bearer, present, refused := bearerOf(r, offers)
	if refused != nil {
		return nil, refused
	}
	// A page of any origin can open a socket with its reader's cookies.
	h.caller, refused = s.authenticate(r, bearer, present, h.origin != "")
	return h, refused
}

// readResumption reads whether a plain socket goes on with a run, or is to be one that
// another can go on from: what clients of TanStack AI say in the query.
func (h *handshake) readResumption(r *http.Request) *refusal.Refusal {
	query := r.URL.Query()
	label, offset := query.Get("runId"), query.Get("offset")
	if h.counts = label != "" && h.reads(); label == "" || offset == "" {
		return nil
	}
	if !h.reads() {
		return refuseReading
	}
	h.resumes = &resumption{label: label}
	if !h.resumes.read(offset) {
		return refuseOffset
	}
	return nil
}

func isUpgrade(r *http.Request) bool {
	has := func(header, token string) bool {
		return slices.ContainsFunc(tokens(r.Header, header), func(t string) bool { return strings.EqualFold(t, token) })
	}
	key, err := base64.StdEncoding.DecodeString(strings.TrimSpace(r.Header.Get("Sec-WebSocket-Key")))
	return r.Method == http.MethodGet && r.ProtoAtLeast(1, 1) && has("Connection", "upgrade") && has("Upgrade", "websocket") &&
		r.Header.Get("Sec-WebSocket-Version") == "13" && err == nil && len(key) == 16 && len(r.Header["Sec-Websocket-Key"]) == 1
}

func tokens(h http.Header, name string) []string {
	var list []string
	for _, line := range h.Values(name) {
		for t := range strings.SplitSeq(line, ",") {
			if t = strings.TrimSpace(t); t != "" {
				list = append(list, t)
			}
		}
	}
	return list
}

// public reports whether an address can be reached from other machines. An address of
// another kind, such as a Unix socket, cannot.
func public(addr net.Addr) bool {
	if addr == nil {
		return false
	}
	host, _, err := net.SplitHostPort(addr.String())
	if err != nil {
		return false
	}
	ip := net.ParseIP(host)
	return ip != nil && !ip.IsLoopback()
}
