package link

import (
	"context"
	"strings"
	"sync"

	"github.com/redis/go-redis/v9"
)

// mostWrongKeys is how many keys of another type are told of at most.
const mostWrongKeys = 1000

// wrongKeys are those of another type than they should be that the log has named: something
// else writes into the store, or has. Calls that go over all partitions go on without them.
type wrongKeys struct {
	mu   sync.Mutex
	told map[string]bool
}

// WrongKey tells of a key, once.
func (s *Connection) WrongKey(key string) {
	w := &s.wrong
	w.mu.Lock()
	again := w.told[key] || len(w.told) >= mostWrongKeys
	if !again {
		if w.told == nil {
			w.told = map[string]bool{}
		}
		w.told[key] = true
	}
	w.mu.Unlock()
	if !again {
		s.Settings.Logger.Error("a key is of another type than it should be, and what is in it is left out: something else has written it; delete it", "key", key)
	}
}

// FindWrong tells of those keys that are not of their types.
func (s *Connection) FindWrong(ctx context.Context, keys, types []string) {
	cmds := make([]*redis.StatusCmd, len(keys))
	for i, key := range keys {
		cmds[i] = redis.NewStatusCmd(ctx, "type", key)
	}
	for i, err := range Ask(ctx, s, cmds) {
		if is := cmds[i].Val(); err == nil && is != types[i] && is != "none" {
			s.WrongKey(keys[i])
		}
	}
}

// WrongType reports whether an error is of a key of another type.
func WrongType(err error) bool { return err != nil && strings.Contains(err.Error(), "WRONGTYPE") }
