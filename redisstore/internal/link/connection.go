// Package link reaches the servers: it runs scripts and reads their replies, sends again
// what may be sent again, commits batches of many runs together, and hears what other nodes
// publish. It knows one server, Sentinel's master and Cluster, and says to nobody above it
// which of them there is unless that changes what can be asked.
package link

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

// Connection is how a store reaches its servers, and what every call to them needs.
type Connection struct {
	servers
	Keys     *keyspace.Space
	Secret   []byte // that all nodes of the prefix have
	asked    askedNodes
	silences silences
	wrong    wrongKeys
	functions

	Apart atomic.Bool // what looks like one server has refused keys of several slots

	Closing   chan struct{}
	Running   sync.WaitGroup
	closeOnce sync.Once
	refuse    []func()       // what close calls before it waits
	release   []func() error // and afterwards
}

// OneSlot reports whether a script may have keys of several partitions.
func (s *Connection) OneSlot() bool {
	_, single := s.Client.(*redis.Client)
	return single && !s.Apart.Load()
}

// Call is one script with its keys and arguments.
type Call struct {
	Script *lua.Script
	Keys   []string
	Args   lua.Args
	Rest   []any // what comes behind, of which the script's header says what it is
}

// shared are the arguments that every script gets first, as lib.lua names them.
func (s *Connection) shared() lua.Args {
	return lua.Args{{"now", s.now()}, {"history", s.Settings.HistoryID}, {"fresh", newEpoch()}, {"node", s.Settings.Node},
		{"channels", s.Keys.NodeChannels()}, {"nudges", s.Keys.Nudges()}, {"notices", s.Settings.NoticesKept}}
}

// Command is a call as the client sends it.
func (s *Connection) Command(ctx context.Context, c Call) *redis.Cmd {
	list := make([]any, 0, 3+len(c.Keys)+len(c.Script.Shared)+len(c.Args)+len(c.Rest))
	by, name := "evalsha", c.Script.SHA
	if c.Script.Function != "" && s.byFunctions() {
		by, name = "fcall", c.Script.Function
	}
	list = append(list, by, name, len(c.Keys))
	for _, k := range c.Keys {
		list = append(list, k)
	}
	list = c.Args.AppendTo(s.shared().AppendTo(list))
	cmd := redis.NewCmd(ctx, append(list, c.Rest...)...)
	cmd.SetFirstKeyPos(3)
	return cmd
}

// Run runs one script and returns its reply.
func (s *Connection) Run(ctx context.Context, c Call) (*Reply, error) {
	if err := s.Usable(); err != nil {
		return nil, err
	}
	return s.send(ctx, c)
}

func (s *Connection) send(ctx context.Context, c Call) (*Reply, error) {
	if s.waits(c) {
		replies, errs := s.sendWaiting(ctx, []Call{c})
		return replies[0], errs[0]
	}
	ctx, cancel := context.WithTimeout(ctx, s.Settings.Timeout)
	defer cancel()
	cmd := s.Command(ctx, c)
	s.process(ctx, s.Client, cmd, c.Script)
	r, err := Answered(c, cmd)
	if err != nil {
		s.unheard(s.Master(c.Keys[0]), err)
	}
	return r, err
}

// RunAll runs one script on any partitions, in one round trip where the connection
// allows it, and not on those whose master is silent.
func (s *Connection) RunAll(ctx context.Context, calls []Call) ([]*Reply, []error) {
	if err := s.Usable(); err != nil {
		errs := make([]error, len(calls))
		for i := range errs {
			errs[i] = err
		}
		return make([]*Reply, len(calls)), errs
	}
	replies, errs := s.sendHeard(ctx, calls)
	for i, err := range errs {
		if len(calls[i].Keys) == 1 && WrongType(err) {
			s.WrongKey(calls[i].Keys[0])
		}
	}
	return replies, errs
}

// sendHeard is sendAll but for those whose master is silent.
func (s *Connection) sendHeard(ctx context.Context, calls []Call) ([]*Reply, []error) {
	if !s.silences.some.Load() {
		return s.sendAll(ctx, calls)
	}
	replies, errs := make([]*Reply, len(calls)), make([]error, len(calls))
	var heard []Call
	var at []int
	for i, c := range calls {
		if errs[i] = errSilent; !s.Silent(c.Keys[0]) {
			heard, at = append(heard, c), append(at, i)
		}
	}
	answers, failed := s.sendAll(ctx, heard)
	for j, i := range at {
		replies[i], errs[i] = answers[j], failed[j]
	}
	return replies, errs
}

func (s *Connection) sendAll(ctx context.Context, calls []Call) ([]*Reply, []error) {
	if len(calls) > 0 && s.waits(calls[0]) {
		return s.sendWaiting(ctx, calls)
	}
	replies, errs := make([]*Reply, len(calls)), make([]error, len(calls))
	if len(calls) == 1 || s.Settings.Singly {
		for i, c := range calls {
			replies[i], errs[i] = s.send(ctx, c)
		}
		return replies, errs
	}
	if _, ok := s.Client.(*redis.ClusterClient); !ok {
		ctx, cancel := context.WithTimeout(ctx, s.Settings.Timeout)
		defer cancel()
		s.pipeline(ctx, s.Client, calls, replies, errs)
		return replies, errs
	}
	keys := make([]string, len(calls))
	for i, c := range calls {
		keys[i] = c.Keys[0]
	}
	s.perMaster(keys, func(master *redis.Client, at []int) {
		var there []Call
		for _, i := range at {
			there = append(there, calls[i])
		}
		answers, failed := make([]*Reply, len(at)), make([]error, len(at))
		if master != nil {
			answers, failed = s.sendTo(ctx, master, there)
		}
		var group sync.WaitGroup
		for j, i := range at {
			replies[i], errs[i] = answers[j], failed[j]
			if master == nil || Redirected(errs[i]) {
				group.Go(func() { replies[i], errs[i] = s.send(ctx, calls[i]) })
			}
		}
		group.Wait()
	})
	return replies, errs
}

// sendTo is sendAll on one master of a Cluster, which may answer that a slot has
// gone: see redirected.
func (s *Connection) sendTo(ctx context.Context, master *redis.Client, calls []Call) ([]*Reply, []error) {
	if len(calls) == 0 {
		return nil, nil
	}
	replies, errs := make([]*Reply, len(calls)), make([]error, len(calls))
	if !s.waits(calls[0]) {
		ctx, cancel := context.WithTimeout(ctx, s.Settings.Timeout)
		defer cancel()
		s.pipeline(ctx, master, calls, replies, errs)
	} else {
		ctx, cancel := context.WithTimeout(ctx, s.Settings.Timeout+s.Settings.WaitTimeout)
		defer cancel()
		all := make([]*awaited, len(calls))
		for i, c := range calls {
			all[i] = &awaited{Call: c}
		}
		s.waitOn(ctx, master, all)
		for i, w := range all {
			replies[i], errs[i] = w.reply, w.err
		}
	}
	s.Reload(ctx, errs...)
	s.unheard(master, errs...)
	return replies, errs
}

// Reload looks where the slots of a Cluster are when a master has not answered. The library
// does so by itself when its own calls fail.
func (s *Connection) Reload(ctx context.Context, errs ...error) {
	cluster, several := s.Client.(*redis.ClusterClient)
	if several && slices.ContainsFunc(errs, func(err error) bool { return errors.Is(err, store.ErrOutcomeUnknown) }) {
		cluster.ReloadState(ctx)
	}
}

// RefusedWith reports whether a server has refused a command in words that begin so. No
// error is what there nearly always is.
func RefusedWith(err error, prefix string) bool {
	return err != nil && redis.HasErrorPrefix(err, prefix)
}

// Redirected reports whether a master has answered that another has the slot, or some of its
// keys.
func Redirected(err error) bool {
	return RefusedWith(err, "MOVED") || RefusedWith(err, "ASK") || RefusedWith(err, "TRYAGAIN")
}

func (s *Connection) pipeline(ctx context.Context, client redis.UniversalClient, calls []Call, replies []*Reply, errs []error) {
	pipe := client.Pipeline()
	cmds := make([]*redis.Cmd, len(calls))
	for i, c := range calls {
		cmds[i] = s.Command(ctx, c)
		_ = pipe.Process(ctx, cmds[i])
	}
	_, _ = pipe.Exec(ctx) // each command has its own error
	for i, cmd := range cmds {
		if s.refusesFunction(ctx, cmd) {
			_ = pipe.Process(ctx, instead(cmd, "evalsha", calls[i].Script.SHA))
		}
	}
	_, _ = pipe.Exec(ctx)
	for i, cmd := range cmds {
		if RefusedWith(cmd.Err(), "NOSCRIPT") || worksFull(calls[i].Script) && full(cmd.Err()) {
			s.process(ctx, client, cmd, calls[i].Script)
		}
		replies[i], errs[i] = Answered(calls[i], cmd)
	}
}

// RunOver runs scripts over another client, in one round trip where the connection allows
// it.
func (s *Connection) RunOver(ctx context.Context, client redis.UniversalClient, calls []Call) ([]*Reply, []error) {
	replies, errs := make([]*Reply, len(calls)), make([]error, len(calls))
	if len(calls) > 1 && !s.Settings.Singly {
		s.pipeline(ctx, client, calls, replies, errs)
		return replies, errs
	}
	for i, c := range calls {
		cmd := s.Command(ctx, c)
		s.process(ctx, client, cmd, c.Script)
		replies[i], errs[i] = Answered(c, cmd)
	}
	return replies, errs
}

// process sends a call, by the script's digest to a server that does not run its function, and
// with the script in full to one that has lost it.
func (s *Connection) process(ctx context.Context, client redis.UniversalClient, cmd *redis.Cmd, sc *lua.Script) {
	cmd.SetErr(nil)
	_ = client.Process(ctx, cmd)
	if s.refusesFunction(ctx, cmd) {
		_ = client.Process(ctx, instead(cmd, "evalsha", sc.SHA))
	}
	if RefusedWith(cmd.Err(), "NOSCRIPT") {
		_ = client.Process(ctx, instead(cmd, "eval", sc.Source))
	}
	if worksFull(sc) && full(cmd.Err()) {
		refusal := cmd.Err()
		_ = client.Process(ctx, instead(cmd, "eval", allowFull+sc.Source))
		if _, answer := cmd.Err().(redis.Error); answer { // by a server that does not know of it
			cmd.SetErr(refusal)
		}
	}
}

// instead is a call that was refused, as it is sent again.
func instead(cmd *redis.Cmd, by, script string) *redis.Cmd {
	cmd.Args()[0], cmd.Args()[1] = by, script
	cmd.SetErr(nil)
	return cmd
}

// Answered reads the reply of a command that has come back.
func Answered(c Call, cmd *redis.Cmd) (*Reply, error) {
	value, err := cmd.Result()
	if err != nil && !errors.Is(err, redis.Nil) {
		return nil, Error(c.Script.Name, err)
	}
	items, ok := value.([]any)
	if !ok {
		items = []any{value}
	}
	return &Reply{Name: c.Script.Name, Items: items}, nil
}

// ErrClosed is what a call gets of a store that is closed.
var ErrClosed = errors.New("redisstore: closed")

// Usable is an error once the connection closes.
func (s *Connection) Usable() error {
	select {
	case <-s.Closing:
		return ErrClosed
	default:
		return nil
	}
}

// now is the time that scripts are told; 0 leaves it to the server.
func (s *Connection) now() int64 {
	if s.Settings.Clock == nil {
		return 0
	}
	return s.Settings.Clock().UnixMilli()
}

// newEpoch is 80 random bits: each thread keeps one.
func newEpoch() string { return rand.Text()[:16] }

// AppendStrings adds strings to the arguments of a call.
func AppendStrings(args []any, items []string) []any {
	for _, s := range items {
		args = append(args, s)
	}
	return args
}

// AppendBytes adds values to the arguments of a call.
func AppendBytes[S ~[]byte](args []any, items []S) []any {
	for _, b := range items {
		args = append(args, []byte(b))
	}
	return args
}
