package ws

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/server/internal/core"
	"github.com/aguiws/aguiws/server/internal/frames"
	"github.com/aguiws/aguiws/server/internal/peer"
	"github.com/aguiws/aguiws/server/internal/refusal"
	"github.com/aguiws/aguiws/server/internal/strictjson"
)

var refuseOffset = refusal.New(http.StatusBadRequest, refusal.CodeInvalidInput, "offset is the id of an event that a socket with runId was sent")

// placed tells of each event of the log how a socket goes on behind it, to a client
// that asked for that by its request.
type placed struct {
	core.Wire
	thread string
}

func (w placed) Emit(event []byte, at store.Position) error {
	if at.Seq == 0 {
		return w.Wire.Emit(event, at)
	}
	id, err := json.Marshal(offsetOf(w.thread, at))
	if err != nil {
		return fmt.Errorf("server: id of an event: %w", err)
	}
	text := make([]byte, 0, len(event)+len(id)+len(`{"id":,"chunk":}`))
	text = append(append(append(text, `{"id":`...), id...), `,"chunk":`...)
	return w.Wire.Emit(append(append(text, event...), '}'), at)
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
	w := placed{s.plainSession, s.from.thread}
	if err := s.srv.ResumePlain(s.Peer, w, s.from.thread, s.from.label, s.from.at); err != nil {
		return err
	}
	if err := s.Flush(); err != nil {
		return err
	}
	return peer.CloseEnded
}
