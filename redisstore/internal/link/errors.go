package link

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/redis/go-redis/v9"
)

// refusals are the server's answers after which the same call is worth sending
// again: the server is starting, has been demoted, is full or cannot store.
var refusals = []string{"LOADING", "READONLY", "MASTERDOWN", "CLUSTERDOWN", "TRYAGAIN", "MOVED", "ASK",
	"NOREPLICAS", "OOM", "MISCONF", "BUSY", "UNBLOCKED", "ERR max number of clients"}

// inScript is what servers before Redis 7 put before the answer that a script
// ran into.
const inScript = "ERR Error running script"

// Error wraps what is not plainly an answer to the call with ErrOutcomeUnknown.
func Error(doing string, err error) error {
	var answer redis.Error
	if errors.As(err, &answer) {
		for _, prefix := range refusals {
			if strings.HasPrefix(answer.Error(), prefix) || strings.HasPrefix(answer.Error(), inScript) && strings.Contains(answer.Error(), " -"+prefix+" ") {
				return fmt.Errorf("redisstore: %s: %w: %w", doing, store.ErrOutcomeUnknown, err)
			}
		}
		if stumbled(answer.Error()) {
			return fmt.Errorf("redisstore: %s: %w: %w", doing, store.ErrCorrupted, err)
		}
		return fmt.Errorf("redisstore: %s: %w", doing, err)
	}
	return fmt.Errorf("redisstore: %s: %w: %w", doing, store.ErrOutcomeUnknown, err)
}

// unreadableHistory is lib.lua's error that concerns the server and no thread.
const unreadableHistory = "master_replid cannot be read"

// inLua is how the servers, and miniredis, say that a line of a script went wrong
// and not a command that it called.
var inLua = regexp.MustCompile(`^ERR (user_(?:script|function):\d+: |Error running script .*user_script:\d+: user_script:\d+: |Error compiling script .*<string>:\d+: )`)

// stumbled reports whether a script has failed over a thread's data: a key of
// another type, or a value that is not what scripts write.
func stumbled(answer string) bool {
	if strings.Contains(answer, unreadableHistory) {
		return false
	}
	for _, data := range []string{"WRONGTYPE", "is not an integer", "is not a valid float", "must be strings or integers"} {
		if strings.Contains(answer, data) {
			return true
		}
	}
	return inLua.MatchString(answer)
}
