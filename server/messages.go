package server

import (
	"encoding/json"
	"errors"
	"time"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/server/identity"
	"github.com/aguiws/aguiws/server/internal/strictjson"
)

// maxWindow bounds the messages that a client asks for at once.
const maxWindow = 1000

// pageOfMessages is how many ws.messages answers if it is not said.
const pageOfMessages = 50

// messages answers ws.messages.
func (s *fullSession) messages(f *frame) error {
	if !s.identity.May(identity.ScopeRead) {
		return s.fault(f, faultf(codeForbidden, "this identity may not read threads"))
	}
	if wait := s.srv.attaches.take(s.user); wait > 0 {
		return s.fault(f, laterf(wait+time.Millisecond, codeRateLimited, "too many pages for this user; ask later"))
	}
	ctx, cancel := s.look()
	defer cancel()
	page, err := s.srv.runs.Messages(ctx, s.key(f.threadID), store.MessageQuery{Before: f.before, Limit: f.limit})
	switch {
	case errors.Is(err, store.ErrBadCursor):
		return s.fault(f, faultf(codeInvalidFrame, "before: not a place of this thread's messages; attach again"))
	case err != nil:
		s.logFailure("reading messages", f.threadID, err)
		return s.fault(f, s.unread(err, "ask again"))
	}
	frame := messagesFrame{Type: "ws.messages", ID: f.id, ThreadID: f.threadID, Messages: []json.RawMessage{}}
	if page != nil {
		frame.Messages, frame.Older, frame.Before = append(frame.Messages, page.Messages...), page.Older, page.Before
	}
	return s.send(frame)
}

// unread says why a thread could not be read.
func (s *fullSession) unread(err error, then string) *fault {
	switch {
	case errors.Is(err, store.ErrCorrupted):
		return faultf(adapter.CodeStateCorrupted, "the stored thread cannot be read; the thread can be deleted")
	case errors.Is(err, store.ErrNoRoom):
		return laterf(5*time.Second, codeOverloaded, "too much is held for clients now; %s", then)
	}
	return laterf(time.Second, codeStore, "the thread cannot be read now; %s", then)
}

// readPage reads which messages are wanted.
func (f *frame) readPage(members map[string]json.RawMessage) *fault {
	if before := members["before"]; before != nil {
		var ok bool
		if f.before, ok = strictjson.Text(before); !ok {
			return faultf(codeInvalidFrame, "before: expected a string that the server has given")
		}
	}
	f.limit = pageOfMessages
	return readCount(members, "limit", &f.limit)
}

func readCount(members map[string]json.RawMessage, member string, into *int) *fault {
	text := members[member]
	if text == nil {
		return nil
	}
	if !tellsCount(text, into) {
		return faultf(codeInvalidFrame, noCount, member, maxWindow)
	}
	return nil
}

// noCount refuses what tellsCount does not read.
const noCount = "%s: expected an integer from 1 to %d"

// tellsCount reads how many messages are wanted.
func tellsCount(text []byte, into *int) bool {
	var n *int
	if json.Unmarshal(text, &n) != nil || n == nil || *n < 1 || *n > maxWindow {
		return false
	}
	*into = *n
	return true
}
