package server

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol/downgrade"
	"github.com/aguiws/aguiws/server/internal/frames"
	"github.com/aguiws/aguiws/server/internal/peer"
	"github.com/aguiws/aguiws/server/internal/refusal"
	"github.com/aguiws/aguiws/server/internal/strictjson"
)

var refuseOffset = refusal.New(http.StatusBadRequest, refusal.CodeInvalidInput, "offset is the id of an event that a socket with runId was sent")

// placed tells of each event of the log how a socket goes on behind it, to a client
// that asked for that by its request.
type placed struct {
	wire
	thread string
}

func (w placed) emit(event []byte, at store.Position) error {
	if at.Seq == 0 {
		return w.wire.emit(event, at)
	}
	id, err := json.Marshal(offsetOf(w.thread, at))
	if err != nil {
		return fmt.Errorf("server: id of an event: %w", err)
	}
	text := make([]byte, 0, len(event)+len(id)+len(`{"id":,"chunk":}`))
	text = append(append(append(text, `{"id":`...), id...), `,"chunk":`...)
	return w.wire.emit(append(append(text, event...), '}'), at)
}

// offsetOf is a position of a thread in one word.
func offsetOf(thread string, at store.Position) string {
	return url.QueryEscape(thread) + "/" + string(frames.AppendEventID(nil, at))
}

// resumption is where a client goes on with a run that another socket was sent a part
// of.
type resumption struct {
	label, thread string
	at            *store.Position
}

// read reads what offsetOf wrote.
func (r *resumption) read(offset string) bool {
	thread, id, _ := strings.Cut(offset, "/")
	var err error
	if r.thread, err = url.QueryUnescape(thread); err != nil || !strictjson.IsName(r.thread) || !strictjson.IsName(r.label) {
		return false
	}
	var ok bool
	r.at, ok = frames.ParseEventID(id)
	return ok
}

// resumedSession sends the rest of a run, and closes. It does not look at what the client
// sends.
type resumedSession struct {
	*plainSession
	from *resumption
}

func (s *resumedSession) received(f *frames.Frame) bool {
	f.Done()
	return true
}

func (s *resumedSession) turn() error {
	if err := s.tell(); err != nil {
		return err
	}
	if err := s.Flush(); err != nil {
		return err
	}
	return peer.CloseEnded
}

func (s *resumedSession) tell() error {
	r := &plainRun{
		wire: placed{s.plainSession, s.from.thread}, label: s.from.label, dialect: frames.TanStack, profile: downgrade.ProfileCurrent,
		aborted: &atomic.Bool{}, mine: true, begun: true, resumed: true,
	}
	r.open(s.srv.core, s.Peer, s.from.thread)
	defer r.close()
	a, err := r.attach(s.from.at)
	switch {
	case err != nil:
		return refuse(s, peer.Unanswered(err))
	case !a.Recovered:
		return refuse(s, peer.OutcomeUnknown())
	}
	r.rests = a.ActiveLabel == ""
	return r.stream(r)
}
