package operate

import (
	"context"
	"slices"

	"github.com/aguiws/aguiws/adapter/internal/stored"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
)

// looksPerMessage is among how many of the last messages each one that is wanted is looked
// for: calls and their results, which are no text of anybody's, stand between them.
const looksPerMessage = 4

// LedTo is what was said before an open interrupt.
type LedTo struct {
	Messages []protocol.Message // of users and of agents, the latest last, each with a text or parts
	Older    bool               // the thread has more before them
}

// LedTo returns the last messages that users and agents have said before one of a thread's
// open interrupts; nil: that is not open, or it asks nobody. Both come of one read, so that
// nobody is shown what followed an answer. It reads the end of the thread alone.
func (ib *inbox) LedTo(ctx context.Context, key store.ThreadKey, interrupt string, most int) (*LedTo, error) {
	view, err := ib.Store.Read(ctx, key, store.ReadQuery{Window: most * looksPerMessage})
	if err != nil {
		return nil, err
	}
	open, err := stored.Suspension(view.Suspension)
	if err != nil {
		return nil, err
	}
	item := open.Item(interrupt)
	if item == nil || item.By == store.AskedByTimer || item.By == store.AskedByEvent || item.By == store.AskedByCall {
		return nil, nil
	}
	fold, older, _, err := stored.Window(view)
	if err != nil {
		return nil, err
	}
	led := &LedTo{Older: older > 0}
	for _, m := range slices.Backward(fold.Messages()) {
		parts, _ := m.Content.Parts()
		if m.Role != protocol.RoleUser && m.Role != protocol.RoleAssistant || m.Content.String() == "" && len(parts) == 0 {
			continue
		}
		if len(led.Messages) == most {
			led.Older = true
			break
		}
		led.Messages = append(led.Messages, m)
	}
	slices.Reverse(led.Messages)
	return led, nil
}
