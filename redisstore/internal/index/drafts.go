package index

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/internal/link"
	"github.com/aguiws/aguiws/redisstore/lua"
)

// draftSize bounds one draft.
const draftSize = 64 << 10

// Drafts implements store.Inbox. A draft is JSON of at most 64 KiB. Without an
// id it only reads.
func (s *Lists) Drafts(ctx context.Context, key store.ThreadKey, version int64, by string, drafts map[string]json.RawMessage) (map[string]json.RawMessage, bool, error) {
	t := s.conn.Keys.Thread(key)
	c := link.Call{Script: lua.Drafts, Keys: []string{t.Rec(), t.Runs(), t.Base + "drafts", t.Part.Notices},
		Args: lua.Args{{"version", version}, {"by", by}}}
	for id, draft := range drafts {
		if len(draft) > draftSize {
			return nil, false, fmt.Errorf("redisstore: drafts: the draft for interrupt %q has %d bytes: at most %d are kept", id, len(draft), draftSize)
		}
		if draft != nil && !json.Valid(draft) {
			return nil, false, fmt.Errorf("redisstore: drafts: the draft for interrupt %q is not JSON", id)
		}
		c.Rest = append(c.Rest, id, []byte(draft))
	}
	r, err := s.conn.Run(ctx, c)
	if err != nil {
		return nil, false, err
	}
	if !r.Bool() {
		return nil, false, r.Err
	}
	kept := r.JSONByID()
	return kept, true, r.Err
}
