package ws

import (
	"encoding/json"
	"errors"
	"time"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/server/identity"
	"github.com/aguiws/aguiws/server/internal/frames"
	"github.com/aguiws/aguiws/server/internal/refusal"
)

// messages answers ws.messages.
func (s *fullSession) messages(f *frames.Frame) error {
	if !s.Identity.May(identity.ScopeRead) {
		return s.fault(f, frames.Faultf(refusal.CodeForbidden, "this identity may not read threads"))
	}
	if wait := s.srv.Attaches.Take(s.User); wait > 0 {
		return s.fault(f, frames.Laterf(wait+time.Millisecond, refusal.CodeRateLimited, "too many pages for this user; ask later"))
	}
	ctx, cancel := s.Look()
	defer cancel()
	page, err := s.srv.Runs.Messages(ctx, s.Key(f.ThreadID), store.MessageQuery{Before: f.Before, Limit: f.Limit})
	switch {
	case errors.Is(err, store.ErrBadCursor):
		return s.fault(f, frames.Faultf(refusal.CodeInvalidFrame, "before: not a place of this thread's messages; attach again"))
	case err != nil:
		s.LogFailure("reading messages", f.ThreadID, err)
		return s.fault(f, s.unread(err, "ask again"))
	}
	frame := messagesFrame{Type: "ws.messages", ID: f.ID, ThreadID: f.ThreadID, Messages: []json.RawMessage{}}
	if page != nil {
		frame.Messages, frame.Older, frame.Before = append(frame.Messages, page.Messages...), page.Older, page.Before
	}
	return s.send(frame)
}

// unread says why a thread could not be read.
func (s *fullSession) unread(err error, then string) *frames.Fault {
	switch {
	case errors.Is(err, store.ErrCorrupted):
		return frames.Faultf(adapter.CodeStateCorrupted, "the stored thread cannot be read; the thread can be deleted")
	case errors.Is(err, store.ErrNoRoom):
		return frames.Laterf(5*time.Second, refusal.CodeOverloaded, "too much is held for clients now; %s", then)
	}
	return frames.Laterf(time.Second, refusal.CodeStore, "the thread cannot be read now; %s", then)
}
