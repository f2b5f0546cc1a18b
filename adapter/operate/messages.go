package operate

import (
	"context"
	"encoding/json"

	"github.com/aguiws/aguiws/adapter/internal/stored"
	"github.com/aguiws/aguiws/adapter/store"
)

// Messages pages through a thread's messages from the last to the first. Without a place it
// returns the last ones, those of a run under way among them, which may make them more than
// were asked for. Nil: the thread was never used. Errors are as Threads'.
func (ts *threads) Messages(ctx context.Context, key store.ThreadKey, q store.MessageQuery) (*store.MessagePage, error) {
	if q.Before == "" {
		return ts.lastMessages(ctx, key, max(q.Limit, 1))
	}
	page, err := ts.Store.Messages(ctx, key, q)
	if err != nil {
		return nil, err
	}
	for i, m := range page.Messages {
		if !json.Valid(m) {
			return nil, stored.Corrupted("message %d", page.Older+int64(i))
		}
	}
	return &page, nil
}

func (ts *threads) lastMessages(ctx context.Context, key store.ThreadKey, limit int) (*store.MessagePage, error) {
	view, err := ts.Store.Read(ctx, key, store.ReadQuery{Window: limit})
	if err != nil || view.Version == 0 {
		return nil, err
	}
	fold, older, before, err := stored.Window(view)
	if err != nil {
		return nil, err
	}
	kept, err := ts.Store.Messages(ctx, key, store.MessageQuery{Limit: limit, Bare: true})
	if err != nil {
		return nil, err
	}
	messages := fold.Messages()
	page := &store.MessagePage{Messages: make([]json.RawMessage, len(messages)), Older: older, Before: before, Producers: map[string]store.Producer{}}
	for i, m := range messages {
		if run, step := fold.Producer(m.ID); run != "" {
			page.Producers[m.ID] = store.Producer{RunID: run, Step: step}
		} else if by, known := kept.Producers[m.ID]; known {
			page.Producers[m.ID] = by
		}
		if page.Messages[i], err = m.MarshalJSON(); err != nil { // json.Marshal writes six letters for one of HTML
			return nil, err
		}
	}
	return page, nil
}
