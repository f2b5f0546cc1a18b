package redisstore

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/lua"
)

// draftSize bounds one draft.
const draftSize = 64 << 10

// Drafts implements store.Inbox. A draft is JSON of at most 64 KiB. Without an
// id it only reads.
func (s *lists) Drafts(ctx context.Context, key store.ThreadKey, version int64, by string, drafts map[string]json.RawMessage) (map[string]json.RawMessage, bool, error) {
	t := s.conn.keys.Thread(key)
	c := call{script: lua.Drafts, keys: []string{t.Rec(), t.Journal(), t.Base + "drafts", t.Part.Notices},
		args: lua.Args{{"version", version}, {"by", by}}}
	for id, draft := range drafts {
		if len(draft) > draftSize {
			return nil, false, fmt.Errorf("redisstore: drafts: the draft for interrupt %q has %d bytes: at most %d are kept", id, len(draft), draftSize)
		}
		if draft != nil && !json.Valid(draft) {
			return nil, false, fmt.Errorf("redisstore: drafts: the draft for interrupt %q is not JSON", id)
		}
		c.rest = append(c.rest, id, []byte(draft))
	}
	r, err := s.conn.run(ctx, c)
	if err != nil {
		return nil, false, err
	}
	if !r.bool() {
		return nil, false, r.err
	}
	kept := r.jsonByID()
	return kept, true, r.err
}
