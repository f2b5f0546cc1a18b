package link

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/lua"
)

// How long calls are scripts after a refusal that passes, and how often a library that is missing
// is loaded at most: a node without slots that a Cluster asks misses it for as long as they move.
const (
	functionsPause = 5 * time.Second
	loadPause      = time.Second
)

// functions says whether calls use the library: it is used, and not at rest until a moment.
type functions struct {
	used, loading atomic.Bool
	rests, loaded atomic.Int64 // until when, and when it was last missed and loaded, in ns
}

// nanos is the time by which functions rest.
func (s *Connection) nanos() int64 {
	if s.Settings.Clock != nil {
		return s.Settings.Clock().UnixNano()
	}
	return time.Now().UnixNano()
}

// byFunctions reports whether calls are of functions now.
func (s *Connection) byFunctions() bool {
	rests := s.functions.rests.Load()
	return s.functions.used.Load() && (rests == 0 || s.nanos() >= rests)
}

func (s *Connection) restFunctions() { s.functions.rests.Store(s.nanos() + int64(functionsPause)) }

// endFunctions has calls be scripts for good.
func (s *Connection) endFunctions(err error) {
	if s.functions.used.Swap(false) {
		level, advice := slog.LevelWarn, "give the user of Redis the rights to FUNCTION and FCALL, and start the server again"
		if strings.Contains(err.Error(), "unknown command") {
			level, advice = slog.LevelInfo, "use Redis 7 or newer"
		}
		s.Settings.Logger.Log(context.Background(), level, "the server calls scripts in place of functions, which costs Redis more: "+advice, "error", err)
	}
}

// loadFunctions gives every master that answers the library, which Redis 7 and later take from a
// user that may call FUNCTION.
func (s *Connection) loadFunctions(ctx context.Context, also func(context.Context, *redis.Client)) {
	var asked atomic.Bool
	err := s.eachServer(ctx, func(ctx context.Context, c *redis.Client) error {
		asked.Store(true)
		err := c.FunctionLoad(ctx, lua.Library).Err()
		if err == nil || strings.HasSuffix(err.Error(), "already exists") {
			also(ctx, c)
		} else if err = Error("load functions", err); errors.Is(err, store.ErrOutcomeUnknown) {
			s.restFunctions()
		} else {
			s.endFunctions(err)
		}
		return nil
	})
	if err != nil {
		s.restFunctions()
	} else if !asked.Load() { // a client of another kind
		s.functions.used.Store(false)
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

// passing are the refusals of a function as a whole after which it goes on as its script, which
// runs up to the first command that the server refuses.
var passing = []string{"OOM", "MISCONF", "NOREPLICAS", "READONLY"}

// Unrun reports whether a server has refused to run what a call names, and may run the script in
// full.
func (s *Connection) Unrun(ctx context.Context, cmd *redis.Cmd) bool {
	return RefusedWith(cmd.Err(), "NOSCRIPT") || s.refusesFunction(ctx, cmd)
}

// refusesFunction reports whether a call is to go on as a script, and sees to those that follow it:
// a library that is missing is loaded again.
func (s *Connection) refusesFunction(ctx context.Context, cmd *redis.Cmd) bool {
	err := cmd.Err()
	switch {
	case err == nil || cmd.Name() != "fcall":
		return false
	case RefusedWith(err, "Function not found"):
		if s.functions.loading.CompareAndSwap(false, true) {
			if s.nanos()-s.functions.loaded.Load() >= int64(loadPause) {
				s.loadFunctions(ctx, func(context.Context, *redis.Client) {})
				s.functions.loaded.Store(s.nanos())
			}
			s.functions.loading.Store(false)
		}
	case RefusedWith(err, "NOPERM") && strings.Contains(err.Error(), "'fcall'"), RefusedWith(err, "unknown command"):
		s.endFunctions(err)
	case slices.ContainsFunc(passing, func(prefix string) bool { return RefusedWith(err, prefix) }):
		s.restFunctions()
	default:
		return false
	}
	return true
}
