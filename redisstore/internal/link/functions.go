package link

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/redis/go-redis/v9"

	"github.com/aguiws/aguiws/redisstore/lua"
)

// functions says whether calls use the library, and whether somebody loads it.
type functions struct{ used, loading atomic.Bool }

// loadFunctions gives every master that answers the library, which Redis 7 and later take from a
// user that may call FUNCTION. Calls use it until a server refuses it: their scripts do the same.
// Of several callers at once one loads it.
func (s *Connection) loadFunctions(ctx context.Context, also func(context.Context, *redis.Client)) {
	if s.Settings.Scripts || !s.functions.loading.CompareAndSwap(false, true) {
		return
	}
	defer s.functions.loading.Store(false)
	var loaded atomic.Bool
	err := s.eachServer(ctx, func(ctx context.Context, c *redis.Client) error {
		err := c.FunctionLoad(ctx, lua.Library).Err()
		if err != nil && !strings.HasSuffix(err.Error(), "already exists") {
			return Error("load functions", err)
		}
		loaded.Store(true)
		also(ctx, c)
		return nil
	})
	if refused := redis.Error(nil); err == nil || errors.As(err, &refused) {
		s.functions.used.Store(err == nil && loaded.Load())
	}
}

// dropFunctions deletes the libraries of other builds. A server of one that still runs loads its
// own again when it misses it.
func dropFunctions(ctx context.Context, c *redis.Client) {
	found, _ := c.FunctionList(ctx, redis.FunctionListQuery{LibraryNamePattern: lua.LibraryName + "*"}).Result()
	for _, l := range found {
		if !strings.HasPrefix(lua.Common[0].Function, l.Name) {
			_ = c.FunctionDelete(ctx, l.Name).Err() // another may have done so
		}
	}
}

// unrun are the refusals after which a call of a function goes on as its script, which runs up to
// the first command that the server refuses.
var unrun = []string{"Function not found", "NOPERM", "OOM", "MISCONF", "NOREPLICAS", "READONLY"}

// Unrun reports whether a server has refused to run what a call names, and may run the script in
// full. A library that is missing is loaded again.
func (s *Connection) Unrun(ctx context.Context, cmd *redis.Cmd) bool {
	err := cmd.Err()
	if err == nil || cmd.Name() != "fcall" {
		return RefusedWith(err, "NOSCRIPT")
	}
	if RefusedWith(err, unrun[0]) {
		s.loadFunctions(ctx, func(context.Context, *redis.Client) {})
	}
	return slices.ContainsFunc(unrun, func(prefix string) bool { return RefusedWith(err, prefix) })
}
