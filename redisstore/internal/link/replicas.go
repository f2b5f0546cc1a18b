package link

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/lua"
	"github.com/redis/go-redis/v9"
)

// unwaited are the scripts that acknowledge nothing a fail-over must keep: they
// read, or register a follower, or lengthen a lease, which ends early when it is
// forgotten and does no harm, or count for owners. A fail-over may make webhooks forget
// what was read of notices, together with where reading has come to, or that one was sent.
var unwaited = map[*lua.Script]bool{
	lua.Read: true, lua.Journal: true, lua.Range: true, lua.Tail: true, lua.Due: true, lua.Renew: true,
	lua.Inbox: true, lua.Threads: true, lua.DeadLetters: true, lua.Dispatches: true, lua.Counts: true, lua.Quotas: true, lua.Hold: true, lua.Usage: true,
	lua.Waiting: true, lua.Notices: true, lua.Decisions: true, lua.FlowRead: true, lua.Tokens: true, lua.PayloadRead: true, lua.TreeRead: true, lua.TreePage: true,
	lua.TreeBelow: true, lua.TreeWalk: true, lua.TreeMade: true,
	lua.HookRead: true, lua.HookTake: true, lua.HookSettle: true, lua.HookCounts: true, lua.HookDead: true,
}

func (s *Connection) waits(c Call) bool { return s.Settings.WaitReplicas > 0 && !unwaited[c.Script] }

// redirects bounds how often a script follows its slot to another node.
const redirects = 3

// awaited is a call with its outcome.
type awaited struct {
	Call
	cmd   *redis.Cmd
	reply *Reply
	err   error
	asks  *redis.Client // the node that was named to have the keys; nil: their master as the client knows it
}

// sendWaiting runs scripts and, behind them on the same connections, WAIT. Writes of a
// script stand without the replicas too. If not enough of them have acknowledged it, that
// is an unknown outcome: the call sent again finds what it did and waits again.
func (s *Connection) sendWaiting(ctx context.Context, calls []Call) ([]*Reply, []error) {
	all := make([]*awaited, len(calls))
	for i, c := range calls {
		all[i] = &awaited{Call: c}
	}
	ctx, cancel := context.WithTimeout(ctx, s.Settings.Timeout+s.Settings.WaitTimeout)
	defer cancel()
	for try, left := 0, all; len(left) > 0; try++ {
		left = s.waitOnce(ctx, left, try == redirects)
	}
	replies, errs := make([]*Reply, len(calls)), make([]error, len(calls))
	for i, w := range all {
		replies[i], errs[i] = w.reply, w.err
	}
	return replies, errs
}

// waitOnce sends each call to the master of its keys and returns the calls that
// have to go to another. The last try takes any answer.
func (s *Connection) waitOnce(ctx context.Context, calls []*awaited, last bool) (moved []*awaited) {
	cluster, ok := s.Client.(*redis.ClusterClient)
	if !ok {
		s.waitOn(ctx, s.Client, calls)
		return nil
	}
	groups := map[*redis.Client][]*awaited{}
	for _, w := range calls {
		node, err := w.asks, error(nil)
		if node == nil {
			node, err = cluster.MasterForKey(ctx, w.Keys[0])
		}
		if err != nil {
			w.err = Error(w.Script.Name, err)
			continue
		}
		groups[node] = append(groups[node], w)
	}
	var group sync.WaitGroup
	for node, calls := range groups {
		group.Go(func() {
			s.waitOn(ctx, node, calls)
			for _, w := range calls {
				s.unheard(node, w.err)
			}
		})
	}
	group.Wait()
	if last {
		return nil
	}
	reload := false
	for node, calls := range groups {
		for _, w := range calls {
			switch err := w.cmd.Err(); {
			case RefusedWith(err, "MOVED"):
				// Other nodes may not have heard yet where the slot is. To its
				// master ASKING says nothing.
				w.asks, reload = s.asked.at(err.Error(), node), true
			case RefusedWith(err, "ASK"):
				w.asks = s.asked.at(err.Error(), node)
			default:
				continue
			}
			moved = append(moved, w)
		}
	}
	if reload {
		cluster.ReloadState(ctx)
	}
	return moved
}

// askedNodes are clients of nodes that ASK or MOVED has named. The library's own
// are for masters of slots, which such a node may not be yet.
type askedNodes struct {
	mu      sync.Mutex
	clients map[string]*redis.Client
}

// at is a client of the node that an answer of the form "ASK slot address", or
// MOVED, names, like the one that gave it.
func (a *askedNodes) at(answer string, like *redis.Client) *redis.Client {
	address := answer[strings.LastIndexByte(answer, ' ')+1:]
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.clients == nil {
		a.clients = map[string]*redis.Client{}
	}
	if a.clients[address] == nil {
		o := *like.Options()
		o.Addr = address
		a.clients[address] = redis.NewClient(&o)
	}
	return a.clients[address]
}

func (a *askedNodes) close() (err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, c := range a.clients {
		err = errors.Join(err, c.Close())
	}
	return err
}

// waitOn runs calls on one master. Each script that it does not run otherwise is sent in full.
func (s *Connection) waitOn(ctx context.Context, master redis.UniversalClient, calls []*awaited) {
	var missing []*awaited
	s.pipeWaiting(ctx, master, calls, false)
	for _, w := range calls {
		if s.Unrun(ctx, w.cmd) {
			missing = append(missing, w)
		}
	}
	if missing != nil {
		s.pipeWaiting(ctx, master, missing, true)
	}
}

func (s *Connection) pipeWaiting(ctx context.Context, master redis.UniversalClient, calls []*awaited, full bool) {
	pipe := master.Pipeline()
	// A node that a slot moves to serves each command that comes behind ASKING.
	asking := func() bool {
		asks := calls[0].asks != nil
		if asks {
			_ = pipe.Process(ctx, redis.NewStatusCmd(ctx, "asking"))
		}
		return asks
	}
	for _, w := range calls {
		asking()
		w.cmd = s.Command(ctx, w.Call)
		if full {
			instead(w.cmd, "eval", w.Script.Source)
		}
		_ = pipe.Process(ctx, w.cmd)
	}
	// WAIT promises something about the writes of its own connection: a call that
	// finds that it was carried out before writes nothing, and might wait for nothing.
	asking()
	mark := pipe.Set(ctx, waitKey(calls[0].Keys[0]), s.Settings.Node, 0)
	if asking() {
		pipe.Del(ctx, waitKey(calls[0].Keys[0])) // or it would be in the way of the one that is to come
	}
	have := redis.NewIntCmd(ctx, "wait", s.Settings.WaitReplicas, s.Settings.WaitTimeout.Milliseconds())
	_ = pipe.Process(ctx, have)
	_, _ = pipe.Exec(ctx) // each command has its own error
	err := errors.Join(mark.Err(), have.Err())
	if err == nil && have.Val() < int64(s.Settings.WaitReplicas) {
		err = fmt.Errorf("%d of %d replicas have acknowledged it within %v", have.Val(), s.Settings.WaitReplicas, s.Settings.WaitTimeout)
	}
	for _, w := range calls {
		w.reply, w.err = Answered(w.Call, w.cmd)
		if w.err == nil && err != nil {
			w.reply, w.err = nil, fmt.Errorf("redisstore: %s: %w: %w", w.Script.Name, store.ErrOutcomeUnknown, err)
		}
	}
}

// waitKey is a key of the same partition.
func waitKey(key string) string { return key[:strings.IndexByte(key, '}')+1] + ":wait" }

// replicasPause is between looks whether there are enough replicas, and replicasReminder how
// often the log says that there are not.
const (
	replicasPause    = 500 * time.Millisecond
	replicasReminder = 30 * time.Second
)

// errTooFewReplicas is wrapped by what waitable says.
var errTooFewReplicas = errors.New("there are too few replicas")

// awaitReplicas waits until all masters that answer have the replicas that writes wait for.
// A replica that synchronizes comes in a while.
func (s *servers) awaitReplicas(ctx context.Context) error {
	pause := time.NewTicker(replicasPause)
	defer pause.Stop()
	var said time.Time
	var few error
	for {
		err := s.checkReplicas(ctx)
		if err != nil && few != nil && ctx.Err() != nil {
			return few // it says more than that the time is over
		}
		if !errors.Is(err, errTooFewReplicas) {
			return err
		}
		few = err
		if time.Since(said) >= replicasReminder {
			said = time.Now()
			s.Settings.Logger.Warn("waiting for replicas before anything is served", "error", err)
		}
		select {
		case <-pause.C:
		case <-ctx.Done():
			return err
		}
	}
}

// checkReplicas looks whether all masters that answer have the replicas that writes wait for.
func (s *servers) checkReplicas(ctx context.Context) error {
	if s.Settings.WaitReplicas == 0 {
		return nil
	}
	switch c := s.Client.(type) {
	case *redis.ClusterClient:
		return Most(EachMaster(ctx, c, s.waitable))
	case *redis.Client:
		return s.waitable(ctx, c)
	}
	return fmt.Errorf("redisstore: WaitReplicas (--wait-replicas) needs one server, Sentinel or Cluster, not a %T", s.Client)
}

// waitable asks a master whether it has the replicas that writes wait for.
func (s *servers) waitable(ctx context.Context, master *redis.Client) error {
	text, err := master.Info(ctx, "replication").Result()
	if err != nil {
		return Error("info", err)
	}
	if n := strings.Count(text, "state=online"); n < s.Settings.WaitReplicas {
		return fmt.Errorf("redisstore: %w: WaitReplicas (--wait-replicas) is %d, and the server at %s has %d that are online: "+
			"start more, or lower the setting", errTooFewReplicas, s.Settings.WaitReplicas, master.Options().Addr, n)
	}
	return nil
}
