package redisstore

import (
	"context"
	"crypto/rand"
	"errors"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/internal/keyspace"
	"github.com/aguiws/aguiws/redisstore/lua"
	"github.com/redis/go-redis/v9"
)

// connection is how a store reaches its servers, and what every call to them needs.
type connection struct {
	servers
	keys     *keyspace.Space
	asked    askedNodes
	silences silences
	wrong    wrongKeys

	apart atomic.Bool // what looks like one server has refused keys of several slots

	closing   chan struct{}
	running   sync.WaitGroup
	closeOnce sync.Once
	refuse    []func()       // what close calls before it waits
	release   []func() error // and afterwards
}

// oneSlot reports whether a script may have keys of several partitions.
func (s *connection) oneSlot() bool {
	_, single := s.client.(*redis.Client)
	return single && !s.apart.Load()
}

// call is one script with its keys and arguments.
type call struct {
	script *lua.Script
	keys   []string
	args   lua.Args
	rest   []any // what comes behind, of which the script's header says what it is
}

// shared are the arguments that every script gets first, as lib.lua names them.
func (s *connection) shared() lua.Args {
	return lua.Args{{"now", s.now()}, {"history", s.settings.HistoryID}, {"fresh", newEpoch()}, {"node", s.settings.Node},
		{"channels", s.keys.NodeChannels()}, {"nudges", s.keys.Nudges()}, {"notices", s.settings.NoticesKept}}
}

func (s *connection) command(ctx context.Context, c call) *redis.Cmd {
	list := make([]any, 0, 3+len(c.keys)+len(c.script.Shared)+len(c.args)+len(c.rest))
	list = append(list, "evalsha", c.script.SHA, len(c.keys))
	for _, k := range c.keys {
		list = append(list, k)
	}
	list = c.args.AppendTo(s.shared().AppendTo(list))
	return redis.NewCmd(ctx, append(list, c.rest...)...)
}

// run runs one script and returns its reply.
func (s *connection) run(ctx context.Context, c call) (*reply, error) {
	if err := s.usable(); err != nil {
		return nil, err
	}
	return s.send(ctx, c)
}

func (s *connection) send(ctx context.Context, c call) (*reply, error) {
	if s.waits(c) {
		replies, errs := s.sendWaiting(ctx, []call{c})
		return replies[0], errs[0]
	}
	ctx, cancel := context.WithTimeout(ctx, s.settings.Timeout)
	defer cancel()
	cmd := s.command(ctx, c)
	process(ctx, s.client, cmd, c.script)
	r, err := answered(c, cmd)
	if err != nil {
		s.unheard(s.master(c.keys[0]), err)
	}
	return r, err
}

// runAll runs one script on any partitions, in one round trip where the connection
// allows it, and not on those whose master is silent.
func (s *connection) runAll(ctx context.Context, calls []call) ([]*reply, []error) {
	if err := s.usable(); err != nil {
		errs := make([]error, len(calls))
		for i := range errs {
			errs[i] = err
		}
		return make([]*reply, len(calls)), errs
	}
	replies, errs := s.sendHeard(ctx, calls)
	for i, err := range errs {
		if len(calls[i].keys) == 1 && wrongType(err) {
			s.wrongKey(calls[i].keys[0])
		}
	}
	return replies, errs
}

// sendHeard is sendAll but for those whose master is silent.
func (s *connection) sendHeard(ctx context.Context, calls []call) ([]*reply, []error) {
	if !s.silences.some.Load() {
		return s.sendAll(ctx, calls)
	}
	replies, errs := make([]*reply, len(calls)), make([]error, len(calls))
	var heard []call
	var at []int
	for i, c := range calls {
		if errs[i] = errSilent; !s.silent(c.keys[0]) {
			heard, at = append(heard, c), append(at, i)
		}
	}
	answers, failed := s.sendAll(ctx, heard)
	for j, i := range at {
		replies[i], errs[i] = answers[j], failed[j]
	}
	return replies, errs
}

func (s *connection) sendAll(ctx context.Context, calls []call) ([]*reply, []error) {
	if len(calls) > 0 && s.waits(calls[0]) {
		return s.sendWaiting(ctx, calls)
	}
	replies, errs := make([]*reply, len(calls)), make([]error, len(calls))
	if len(calls) == 1 || s.settings.Singly {
		for i, c := range calls {
			replies[i], errs[i] = s.send(ctx, c)
		}
		return replies, errs
	}
	if _, ok := s.client.(*redis.ClusterClient); !ok {
		ctx, cancel := context.WithTimeout(ctx, s.settings.Timeout)
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
func (s *connection) sendTo(ctx context.Context, master *redis.Client, calls []call) ([]*reply, []error) {
	if len(calls) == 0 {
		return nil, nil
	}
	replies, errs := make([]*reply, len(calls)), make([]error, len(calls))
	if !s.waits(calls[0]) {
		ctx, cancel := context.WithTimeout(ctx, s.settings.Timeout)
		defer cancel()
		s.pipeline(ctx, master, calls, replies, errs)
	} else {
		ctx, cancel := context.WithTimeout(ctx, s.settings.Timeout+s.settings.WaitTimeout)
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
	s.reload(ctx, errs...)
	s.unheard(master, errs...)
	return replies, errs
}

// reload looks where the slots of a Cluster are when a master has not answered. The library
// does so by itself when its own calls fail.
func (s *connection) reload(ctx context.Context, errs ...error) {
	cluster, several := s.client.(*redis.ClusterClient)
	if several && slices.ContainsFunc(errs, func(err error) bool { return errors.Is(err, store.ErrOutcomeUnknown) }) {
		cluster.ReloadState(ctx)
	}
}

// refusedWith reports whether a server has refused a command in words that begin so. No
// error is what there nearly always is.
func refusedWith(err error, prefix string) bool {
	return err != nil && redis.HasErrorPrefix(err, prefix)
}

// redirected reports whether a master has answered that another has the slot, or some of its
// keys.
func redirected(err error) bool {
	return refusedWith(err, "MOVED") || refusedWith(err, "ASK") || refusedWith(err, "TRYAGAIN")
}

func (s *connection) pipeline(ctx context.Context, client redis.UniversalClient, calls []call, replies []*reply, errs []error) {
	pipe := client.Pipeline()
	cmds := make([]*redis.Cmd, len(calls))
	for i, c := range calls {
		cmds[i] = s.command(ctx, c)
		_ = pipe.Process(ctx, cmds[i])
	}
	_, _ = pipe.Exec(ctx) // each command has its own error
	for i, cmd := range cmds {
		if refusedWith(cmd.Err(), "NOSCRIPT") || worksFull(calls[i].script) && full(cmd.Err()) {
			process(ctx, client, cmd, calls[i].script)
		}
		replies[i], errs[i] = answered(calls[i], cmd)
	}
}

// process sends a script by its digest, and in full to a server that has lost it.
func process(ctx context.Context, client redis.UniversalClient, cmd *redis.Cmd, sc *lua.Script) {
	args := cmd.Args()
	cmd.SetErr(nil)
	_ = client.Process(ctx, cmd)
	if refusedWith(cmd.Err(), "NOSCRIPT") {
		args[0], args[1] = "eval", sc.Source
		cmd.SetErr(nil)
		_ = client.Process(ctx, cmd)
	}
	if worksFull(sc) && full(cmd.Err()) {
		refusal := cmd.Err()
		args[0], args[1] = "eval", allowFull+sc.Source
		cmd.SetErr(nil)
		_ = client.Process(ctx, cmd)
		if _, answer := cmd.Err().(redis.Error); answer { // by a server that does not know of it
			cmd.SetErr(refusal)
		}
	}
}

func answered(c call, cmd *redis.Cmd) (*reply, error) {
	value, err := cmd.Result()
	if err != nil && !errors.Is(err, redis.Nil) {
		return nil, storeError(c.script.Name, err)
	}
	items, ok := value.([]any)
	if !ok {
		items = []any{value}
	}
	return &reply{name: c.script.Name, items: items}, nil
}

var errClosed = errors.New("redisstore: closed")

func (s *connection) usable() error {
	select {
	case <-s.closing:
		return errClosed
	default:
		return nil
	}
}

// now is the time that scripts are told; 0 leaves it to the server.
func (s *connection) now() int64 {
	if s.settings.Clock == nil {
		return 0
	}
	return s.settings.Clock().UnixMilli()
}

// newEpoch is 80 random bits: each thread keeps one.
func newEpoch() string { return rand.Text()[:16] }

func appendStrings(args []any, items []string) []any {
	for _, s := range items {
		args = append(args, s)
	}
	return args
}

func appendBytes[S ~[]byte](args []any, items []S) []any {
	for _, b := range items {
		args = append(args, []byte(b))
	}
	return args
}
