package admit

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/internal/judge"
	"github.com/aguiws/aguiws/adapter/internal/node"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
)

// tooLarge refuses a run that would add so many bytes to a thread of a size.
func tooLarge(o *node.Settings, view *store.ThreadView, v judge.Verdict, j *judge.Judgement, adds int64) *protocol.RunError {
	room := o.MaxThreadBytes - view.Bytes
	switch {
	case v.Continues != nil && !v.Steer:
		room = o.RoomFor(view.Bytes)
	case answersCalls(v.Fresh):
		room = 2*o.MaxThreadBytes - view.Bytes
	}
	if o.MaxThreadBytes < 0 || adds <= room {
		return nil
	}
	if v.Rewinds && adds <= sizeOfMessages(j.Fold.Messages()[v.Keep:]) {
		return nil
	}
	return judge.Refuse(adapter.CodeThreadTooLarge, fmt.Sprintf("the thread holds %d bytes, and with %d more it would have too many: go on in a new thread, "+
		"or take messages back; this one can be read, answered and deleted", view.Bytes, adds),
		map[string]any{"limit": o.MaxThreadBytes, "size": view.Bytes})
}

// answersCalls reports whether messages are results of calls that were left to the
// frontend, and nothing else.
func answersCalls(fresh protocol.Messages) bool {
	return len(fresh) > 0 && !slices.ContainsFunc(fresh, func(m protocol.Message) bool { return m.Role != protocol.RoleTool })
}

// brings is how many bytes a run brings to its thread when it begins. A snapshot that
// restates the messages which a rewind keeps is none of it: the log lets go of that.
// Messages that an input was sent with which waits, and that the thread has, are not
// counted either: they go when it has waited.
func brings(b store.Begin, sent protocol.Messages) (n int64) {
	if k, waits := b.Kind.(store.Enqueue); waits {
		return max(int64(len(k.Input))-sizeOfMessages(sent), 0) // the fresh ones are in it twice
	}
	for _, e := range b.Claimed().Events {
		if !bytes.HasPrefix(e, restates) {
			n += int64(len(e))
		}
	}
	return n
}

var restates = []byte(`{"type":"MESSAGES_SNAPSHOT"`)

func sizeOfMessages(messages protocol.Messages) (n int64) {
	for _, m := range messages {
		text, err := m.MarshalJSON()
		if err != nil {
			continue
		}
		n += int64(len(text))
	}
	return n
}
