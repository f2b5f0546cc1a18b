package redisstore

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/redis/go-redis/v9"
)

//go:embed lua/*.lua
var luaFiles embed.FS

var (
	readScript        = newScript("thread", "run", "index", "suspension", "read")
	beginScript       = newScript("thread", "run", "index", "suspension", "queue", "begin")
	commitScript      = newScript("commit") // the hot one: without thread.lua
	noteScript        = newScript("thread", "run", "index", "suspension", "note")
	activateScript    = newScript("thread", "run", "index", "suspension", "queue", "activate")
	endScript         = newScript("thread", "run", "index", "suspension", "retain", "queue", "end")
	claimScript       = newScript("thread", "run", "index", "suspension", "queue", "claim")
	renewScript       = newScript("thread", "renew")
	nackScript        = newScript("thread", "run", "index", "suspension", "queue", "nack")
	journalScript     = newScript("thread", "run", "journal")
	stopScript        = newScript("thread", "run", "index", "suspension", "queue", "stop")
	interruptScript   = newScript("thread", "run", "index", "suspension", "repair", "queue", "interrupt")
	pauseScript       = newScript("thread", "pause")
	dispatchesScript  = newScript("thread", "run", "dispatches")
	rangeScript       = newScript("thread", "range")
	tailScript        = newScript("thread", "tail")
	dueScript         = newScript("due")
	countsScript      = newScript("counts")
	inboxScript       = newScript("thread", "run", "index", "suspension", "inbox")
	threadsScript     = newScript("thread", "run", "index", "suspension", "threads")
	titleScript       = newScript("title")
	draftsScript      = newScript("thread", "run", "index", "suspension", "drafts")
	deleteScript      = newScript("thread", "run", "index", "suspension", "retain", "repair", "delete")
	deadLettersScript = newScript("thread", "run", "deadletters")
	retireScript      = newScript("thread", "run", "index", "suspension", "retain", "retire")

	allScripts = []*script{readScript, beginScript, commitScript, noteScript, activateScript, endScript,
		claimScript, renewScript, nackScript, journalScript, stopScript, interruptScript, pauseScript, dispatchesScript,
		rangeScript, tailScript, dueScript, countsScript, inboxScript, threadsScript, titleScript, draftsScript,
		deleteScript, deadLettersScript, retireScript}
)

type script struct {
	name, source, sha string
}

// newScript joins lib.lua and the named files, of which the last is the script.
func newScript(files ...string) *script {
	var source []byte
	for _, name := range append([]string{"lib"}, files...) {
		text, err := luaFiles.ReadFile("lua/" + name + ".lua")
		if err != nil {
			panic(err)
		}
		source = append(source, text...)
	}
	return &script{name: files[len(files)-1], source: string(source), sha: redis.NewScript(string(source)).Hash()}
}

// call is one script with its keys and arguments.
type call struct {
	script *script
	keys   []string
	args   []any // without the shared ones
}

// prologue makes the arguments that every script gets.
func (s *Store) prologue(c call, extra int) []any {
	args := make([]any, 0, 3+len(c.keys)+6+extra)
	args = append(args, "evalsha", c.script.sha, len(c.keys))
	for _, k := range c.keys {
		args = append(args, k)
	}
	return append(args, s.now(), s.opts.HistoryID, newEpoch(), s.opts.Node, s.keys.nodeChannels(), s.keys.nudges())
}

func (s *Store) command(ctx context.Context, c call) *redis.Cmd {
	return redis.NewCmd(ctx, append(s.prologue(c, len(c.args)), c.args...)...)
}

// run runs one script and returns its reply.
func (s *Store) run(ctx context.Context, c call) (*reply, error) {
	if err := s.usable(); err != nil {
		return nil, err
	}
	return s.send(ctx, c)
}

func (s *Store) send(ctx context.Context, c call) (*reply, error) {
	if s.waits(c) {
		replies, errs := s.sendWaiting(ctx, []call{c})
		return replies[0], errs[0]
	}
	ctx, cancel := context.WithTimeout(ctx, s.opts.Timeout)
	defer cancel()
	cmd := s.command(ctx, c)
	process(ctx, s.client, cmd, c.script)
	return answered(c, cmd)
}

// runAll runs one script on any partitions, in one round trip where the connection
// allows it.
func (s *Store) runAll(ctx context.Context, calls []call) ([]*reply, []error) {
	if err := s.usable(); err != nil {
		errs := make([]error, len(calls))
		for i := range errs {
			errs[i] = err
		}
		return make([]*reply, len(calls)), errs
	}
	return s.sendAll(ctx, calls)
}

func (s *Store) sendAll(ctx context.Context, calls []call) ([]*reply, []error) {
	if len(calls) > 0 && s.waits(calls[0]) {
		return s.sendWaiting(ctx, calls)
	}
	replies, errs := make([]*reply, len(calls)), make([]error, len(calls))
	if len(calls) == 1 || s.opts.singly {
		for i, c := range calls {
			replies[i], errs[i] = s.send(ctx, c)
		}
		return replies, errs
	}
	if _, ok := s.client.(*redis.ClusterClient); !ok {
		ctx, cancel := context.WithTimeout(ctx, s.opts.Timeout)
		defer cancel()
		s.pipeline(ctx, s.client, calls, replies, errs)
		return replies, errs
	}
	keys := make([]string, len(calls))
	for i, c := range calls {
		keys[i] = c.keys[0]
	}
	s.perMaster(keys, func(master *redis.Client, at []int) {
		var there []call
		for _, i := range at {
			there = append(there, calls[i])
		}
		answers, failed := make([]*reply, len(at)), make([]error, len(at))
		if master != nil {
			answers, failed = s.sendTo(ctx, master, there)
		}
		var group sync.WaitGroup
		for j, i := range at {
			replies[i], errs[i] = answers[j], failed[j]
			if master == nil || redirected(errs[i]) {
				group.Go(func() { replies[i], errs[i] = s.send(ctx, calls[i]) })
			}
		}
		group.Wait()
	})
	return replies, errs
}

// sendTo is sendAll on one master of a Cluster, which may answer that a slot has
// gone: see redirected.
func (s *Store) sendTo(ctx context.Context, master *redis.Client, calls []call) ([]*reply, []error) {
	if len(calls) == 0 {
		return nil, nil
	}
	replies, errs := make([]*reply, len(calls)), make([]error, len(calls))
	if !s.waits(calls[0]) {
		ctx, cancel := context.WithTimeout(ctx, s.opts.Timeout)
		defer cancel()
		s.pipeline(ctx, master, calls, replies, errs)
	} else {
		ctx, cancel := context.WithTimeout(ctx, s.opts.Timeout+s.opts.WaitTimeout)
		defer cancel()
		all := make([]*awaited, len(calls))
		for i, c := range calls {
			all[i] = &awaited{call: c}
		}
		s.waitOn(ctx, master, all)
		for i, w := range all {
			replies[i], errs[i] = w.reply, w.err
		}
	}
	for _, err := range errs {
		// The library looks by itself where slots are when its own calls fail.
		if errors.Is(err, store.ErrOutcomeUnknown) {
			s.client.(*redis.ClusterClient).ReloadState(ctx)
			break
		}
	}
	return replies, errs
}

// redirected reports whether a master has answered that another has the slot.
func redirected(err error) bool {
	return redis.HasErrorPrefix(err, "MOVED") || redis.HasErrorPrefix(err, "ASK")
}

func (s *Store) pipeline(ctx context.Context, client redis.UniversalClient, calls []call, replies []*reply, errs []error) {
	pipe := client.Pipeline()
	cmds := make([]*redis.Cmd, len(calls))
	for i, c := range calls {
		cmds[i] = s.command(ctx, c)
		_ = pipe.Process(ctx, cmds[i])
	}
	_, _ = pipe.Exec(ctx) // each command has its own error
	for i, cmd := range cmds {
		if redis.HasErrorPrefix(cmd.Err(), "NOSCRIPT") {
			process(ctx, client, cmd, calls[i].script)
		}
		replies[i], errs[i] = answered(calls[i], cmd)
	}
}

// process sends a script by its digest, and in full to a server that has lost it.
func process(ctx context.Context, client redis.UniversalClient, cmd *redis.Cmd, sc *script) {
	args := cmd.Args()
	cmd.SetErr(nil)
	_ = client.Process(ctx, cmd)
	if redis.HasErrorPrefix(cmd.Err(), "NOSCRIPT") {
		args[0], args[1] = "eval", sc.source
		cmd.SetErr(nil)
		_ = client.Process(ctx, cmd)
	}
}

func answered(c call, cmd *redis.Cmd) (*reply, error) {
	value, err := cmd.Result()
	if err != nil && !errors.Is(err, redis.Nil) {
		return nil, storeError(c.script.name, err)
	}
	items, ok := value.([]any)
	if !ok {
		items = []any{value}
	}
	return &reply{name: c.script.name, items: items}, nil
}

// refusals are the server's answers after which the same call is worth sending
// again: the server is starting, has been demoted, is full or cannot store.
var refusals = []string{"LOADING", "READONLY", "MASTERDOWN", "CLUSTERDOWN", "TRYAGAIN", "MOVED", "ASK",
	"NOREPLICAS", "OOM", "MISCONF", "BUSY", "UNBLOCKED", "ERR max number of clients"}

// inScript is what servers before Redis 7 put before the answer that a script
// ran into.
const inScript = "ERR Error running script"

// storeError wraps what is not plainly an answer to the call with ErrOutcomeUnknown.
func storeError(doing string, err error) error {
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
var inLua = regexp.MustCompile(`^ERR (user_script:\d+: |Error running script .*user_script:\d+: user_script:\d+: |Error compiling script .*<string>:\d+: )`)

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

// load gives the scripts to every server that may run them and answers.
func (s *Store) load(ctx context.Context) error {
	one := func(ctx context.Context, c *redis.Client) error {
		for _, sc := range allScripts {
			if err := c.ScriptLoad(ctx, sc.source).Err(); err != nil {
				return storeError("load "+sc.name+".lua", err)
			}
		}
		return nil
	}
	switch c := s.client.(type) {
	case *redis.ClusterClient:
		return most(eachMaster(ctx, c, one))
	case *redis.Client:
		return one(ctx, c)
	}
	return nil // sent in full when they are missed
}
