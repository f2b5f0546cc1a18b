package execution

import (
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
	"github.com/aguiws/aguiws/protocol/fold"
)

// conversation is what an execution's agent sees of its thread: the first messages of a
// fold, as many as count. It is not stored a second time: the thread holds it, in its log
// until the snapshot moves beyond the execution's beginning, and then in the snapshot,
// with what of it the execution itself has changed.
type conversation struct {
	of    *fold.Fold
	Count int
}

func ConversationOf(f *fold.Fold) *conversation { return &conversation{f.Clone(), f.Len()} }

func (c *conversation) Messages() protocol.Messages { return c.of.Messages()[:c.Count:c.Count] }

// parts are the conversation in terms of what the thread holds by now: pieces of that,
// and in between what is there no more.
func (c *conversation) parts(now *fold.Fold) []store.FrozenPart {
	changes := now.Since(c.of)
	odd := map[string]bool{}
	for _, m := range changes.Changed {
		if at, ok := c.of.Place(m.ID); !ok || c.of.Rank(at) < c.Count {
			odd[m.ID] = true
		}
	}
	if len(odd) == 0 && !changes.Moved && len(changes.Removed) == 0 {
		return []store.FrozenPart{{Count: c.Count}}
	}
	for _, id := range changes.Removed {
		odd[id] = true
	}
	for _, m := range changes.Added {
		odd[m.ID] = true
	}
	places := make(map[string]int, now.Len())
	for i, m := range now.Messages() {
		if _, twice := places[m.ID]; twice {
			odd[m.ID] = true
		}
		places[m.ID] = i
	}
	parts := []store.FrozenPart{}
	for _, m := range c.Messages() {
		at, held := places[m.ID]
		var last *store.FrozenPart
		if len(parts) > 0 {
			last = &parts[len(parts)-1]
		}
		switch {
		case odd[m.ID] || !held:
			if last == nil || last.Messages == nil {
				parts = append(parts, store.FrozenPart{})
				last = &parts[len(parts)-1]
			}
			last.Messages = append(last.Messages, m)
		case last != nil && last.Messages == nil && last.From+last.Count == at:
			last.Count++
		default:
			parts = append(parts, store.FrozenPart{From: at, Count: 1})
		}
	}
	return parts
}
