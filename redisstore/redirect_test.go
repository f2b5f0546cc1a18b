package redisstore

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/internal/suite"
	"github.com/aguiws/aguiws/redisstore/internal/keyspace"
	"github.com/aguiws/aguiws/redisstore/internal/link"
	"github.com/aguiws/aguiws/redisstore/redistest"
	"github.com/redis/go-redis/v9"
)

// forgets lets a server forget all that calls run.
func forgets(t *testing.T, s *redistest.Server) {
	t.Helper()
	ordered(t, s, "SCRIPT", "FLUSH")
	_, _ = s.Do("FUNCTION", "FLUSH") // which Redis 6.2 does not have
}

// A server that lost its scripts and functions, again and again: the calls do not notice.
func TestNothingIsLostToForgottenScripts(t *testing.T) {
	server := redistest.Start(t, redistest.Options{})
	w := startWorkload(t, server.URL(), 4, 4)
	missed := func() int { return w.wire.saw("NOSCRIPT") + w.wire.saw("ERR") } // Function not found
	for n := 0; n < 100; n = missed() {
		forgets(t, server)
		await(t, "one is missed", func() bool { return t.Failed() || missed() > n })
	}
	w.finish()
	if n := w.unknown.Load(); n > 0 {
		t.Errorf("the outcome of %d calls was unknown: a script that is missed is sent in full", n)
	}
}

// A master that becomes a replica, of a master that is not there, and a master
// again.
func TestNothingIsLostToADemotion(t *testing.T) {
	server := redistest.Start(t, redistest.Options{TCP: true})
	w := startWorkload(t, server.URL(), 4, 4)
	for range 3 {
		w.advance(10)
		refused := w.wire.saw("READONLY")
		ordered(t, server, "REPLICAOF", "127.0.0.1", "1")
		await(t, "callers are refused", func() bool { return t.Failed() || w.wire.saw("READONLY") > refused+20 })
		ordered(t, server, "REPLICAOF", "NO", "ONE")
	}
	w.advance(10)
	w.finish()
	if w.unknown.Load() == 0 {
		t.Error("no caller was told that the outcome is unknown")
	}
}

// A server that is killed and takes its time to read what it had stored.
func TestNothingIsLostToARestartThatTakesLong(t *testing.T) {
	suite.Full(t)
	server := redistest.Start(t, redistest.Options{AOF: "always", Args: []string{"--key-load-delay", "50", "--loading-process-events-interval-bytes", "1024"}})
	w := startWorkload(t, server.URL(), 4, 4)
	for range 2 {
		w.advance(20)
		refused := w.wire.saw("LOADING")
		server.Restart() // returns when it has loaded
		if w.wire.saw("LOADING") == refused {
			t.Error("nobody was refused while it was loading")
		}
	}
	w.advance(10)
	w.finish()
	if w.unknown.Load() == 0 {
		t.Error("no caller was told that the outcome is unknown")
	}
}

// Two servers that change roles, behind an address that follows the master.
func TestNothingIsLostToAFailoverInOrder(t *testing.T) {
	master := redistest.Start(t, redistest.Options{TCP: true, Args: []string{"--repl-diskless-sync-delay", "0"}})
	replica := redistest.Start(t, redistest.Options{TCP: true, Args: []string{"--replicaof", fmt.Sprint("127.0.0.1 ", master.Port())}})
	proxy := redistest.StartProxy(t, master)
	w := startWorkload(t, proxy.URL(), 4, 4)
	for range 3 {
		w.advance(10)
		// The replica believes itself linked before its master counts on it.
		await(t, "the replica follows", func() bool {
			info, err := master.Do("INFO", "replication")
			return err == nil && strings.Contains(info, "state=online")
		})
		ordered(t, master, "FAILOVER", "TO", "127.0.0.1", fmt.Sprint(replica.Port()))
		await(t, "the roles have changed", func() bool {
			info, err := replica.Do("INFO", "replication")
			return err == nil && strings.Contains(info, "role:master")
		})
		proxy.Turn(replica)
		master, replica = replica, master
	}
	w.advance(10)
	w.finish()
	if w.unknown.Load() == 0 {
		t.Error("no caller was told that the outcome is unknown")
	}
}

// A master that is killed with calls on the way, when its replica has all that
// was acknowledged; Sentinel promotes the replica.
func TestNothingIsLostToADeadMaster(t *testing.T) {
	if testing.Short() {
		t.Skip("a fail-over takes seconds; -short leaves it out")
	}
	pair := redistest.Sentinel(t)
	w := startWorkload(t, pair.URL(), 4, 4)
	w.advance(20)
	ordered(t, pair.Master, "CLIENT", "PAUSE", "60000", "WRITE") // calls hang from now on, unacknowledged
	replicated(t, pair)
	pair.Master.Kill()
	w.advance(20)
	w.finish()
	if w.unknown.Load() == 0 {
		t.Error("no caller was told that the outcome is unknown")
	}
}

// Slots that move between masters, key by key, under callers. While a script's
// keys lie on both sides, or do not all exist, it is told TRYAGAIN; when all of
// them have gone, ASK; and who has not heard of the move is told MOVED.
func TestNothingIsLostToSlotsThatMove(t *testing.T) {
	masters := newMovable(t, redistest.Cluster(t))
	// One of each kind in a partition: what waits with a first commit, whose run
	// has no journal yet, must not always travel with what could go on.
	w := startWorkload(t, masters.cluster.URL(), workloadPartitions, workloadPartitions)
	w.advance(10)
	for round := range 4 {
		c := w.streams()[round%len(w.streams())]
		keys := w.store.conn.Keys.Thread(c.key)
		slot := int(keyspace.Crc16(strings.Trim(keys.Part.Base[len("aguiws:"):], "{}:")) % keyspace.Slots)
		masters.move(slot, func(remaining func() []string, move func(...string)) {
			unknown := w.unknown.Load()
			move(keys.Rec())
			await(t, "the library gives up", func() bool { return t.Failed() || w.unknown.Load() > unknown })
			for list := remaining(); len(list) > 0; list = remaining() {
				at := w.wire.commandsSeen()
				move(list[0])
				await(t, "somebody calls", func() bool { return t.Failed() || w.wire.commandsSeen() > at })
			}
			ask, from := w.wire.saw("ASK"), c.acknowledged.Load()
			await(t, "a stream goes on where its keys are", func() bool {
				return t.Failed() || w.wire.saw("ASK") > ask && c.acknowledged.Load() > from+3
			})
		})
		w.advance(1)
		if round%2 == 0 {
			for _, s := range masters.cluster.Servers {
				forgets(t, s)
			}
		}
	}
	w.finish()
	for _, refusal := range []string{"MOVED", "ASK", "TRYAGAIN", "NOSCRIPT"} {
		if w.wire.saw(refusal) == 0 {
			t.Errorf("nobody was told %s", refusal)
		}
	}
	if w.unknown.Load() == 0 {
		t.Error("no caller was told that the outcome is unknown")
	}
}

// A master of a Cluster and its replica that change roles, there and back.
func TestNothingIsLostToAFailoverInACluster(t *testing.T) {
	suite.Full(t)
	masters := newMovable(t, redistest.Cluster(t))
	master := masters.cluster.Servers[0]
	replica := redistest.Start(t, redistest.Options{TCP: true, Args: []string{"--cluster-enabled", "yes", "--cluster-node-timeout", "30000"}})
	ordered(t, replica, "CLUSTER", "MEET", "127.0.0.1", fmt.Sprint(master.Port()))
	await(t, "the replica knows its master", func() bool {
		answer, err := replica.Do("CLUSTER", "REPLICATE", masters.ids[0])
		return err == nil && answer == "+OK"
	})
	await(t, "the replica follows", func() bool {
		info, err := replica.Do("INFO", "replication")
		return err == nil && strings.Contains(info, "master_link_status:up")
	})
	id := func(s *redistest.Server) string {
		answer, err := s.Do("CLUSTER", "MYID")
		if err != nil {
			t.Fatal(err)
		}
		return strings.TrimSpace(answer)
	}
	w := startWorkload(t, masters.cluster.URL(), workloadPartitions, workloadPartitions)
	for range 2 {
		w.advance(10)
		follows := regexp.MustCompile(id(replica) + ` \S+ \S*slave ` + id(master))
		for _, voter := range masters.cluster.Servers[1:] {
			// Who has not heard of the replica does not vote for it, and an election
			// that is lost is repeated after minutes.
			await(t, "who votes knows the replica", func() bool {
				nodes, err := voter.Do("CLUSTER", "NODES")
				return err == nil && follows.MatchString(nodes)
			})
		}
		var asked time.Time
		await(t, "the roles have changed", func() bool {
			info, err := replica.Do("INFO", "replication")
			if err == nil && strings.Contains(info, "role:slave") && strings.Contains(info, "master_link_status:up") && time.Since(asked) > 6*time.Second {
				// The master gives it up after 5 s. Asked before, it begins anew.
				_, err = replica.Do("CLUSTER", "FAILOVER")
				asked = time.Now()
			}
			return err == nil && strings.Contains(info, "role:master")
		})
		master, replica = replica, master
	}
	w.advance(10)
	w.finish()
	if w.wire.saw("MOVED") == 0 {
		t.Error("nobody was told MOVED")
	}
}

// What is lost, doubled or decided twice is seen.
func TestTheWorkloadSeesWhatIsNotAsAcknowledged(t *testing.T) {
	server := redistest.Start(t, redistest.Options{})
	w := startWorkload(t, server.URL(), 3, 1)
	w.advance(20)
	if wrong := w.finishAll(); len(wrong) > 0 {
		t.Fatalf("nothing is wrong, and it says %q", wrong)
	}
	ctx, client := context.Background(), w.store.conn.Client
	lost, doubled, decided := w.store.conn.Keys.Thread(w.callers[0].key), w.store.conn.Keys.Thread(w.callers[1].key), w.store.conn.Keys.Thread(w.callers[2].key)
	client.RPop(ctx, lost.Log())
	last := []byte(w.callers[1].log[len(w.callers[1].log)-1])
	client.LSet(ctx, doubled.Log(), -1, w.store.conn.AppendElements(nil, int64(len(w.callers[1].log)), [][]byte{last, last})[0])
	client.HIncrBy(ctx, decided.Rec(), "ver", 1)
	if wrong := w.finishAll(); len(wrong) != 3 {
		t.Errorf("three things are wrong, and it says %q", wrong)
	}
}

// Before Redis 7 a refusal comes wrapped in what ran into it.
func TestARefusalInsideAScriptIsAnUnknownOutcome(t *testing.T) {
	for text, unknown := range map[string]bool{
		"READONLY You can't write against a read only replica. script: 1, on @user_script:1.":                                               true,
		"ERR Error running script (call to f_1): @user_script:45: @user_script: 45: -READONLY You can't write against a read only replica.": true,
		"ERR Error running script (call to f_1): @user_script:45: @user_script: 45: Wrong type":                                             false,
		"WRONGTYPE Operation against a key holding the wrong kind of value":                                                                 false,
	} {
		if got := errors.Is(link.Error("begin", redisError(text)), store.ErrOutcomeUnknown); got != unknown {
			t.Errorf("%s: unknown %t", text, got)
		}
	}
}

// redisError is a server's answer.
type redisError string

func (e redisError) Error() string { return string(e) }
func (redisError) RedisError()     {}

// movable is a cluster whose slots can be moved by hand.
type movable struct {
	t       *testing.T
	cluster *redistest.Masters
	clients []*redis.Client
	ids     []string
}

func newMovable(t *testing.T, cluster *redistest.Masters) *movable {
	m := &movable{t: t, cluster: cluster}
	for _, s := range cluster.Servers {
		c := redis.NewClient(&redis.Options{Addr: strings.TrimPrefix(s.URL(), "redis://"), DisableIdentity: true})
		t.Cleanup(func() { _ = c.Close() })
		id, err := c.ClusterMyID(context.Background()).Result()
		if err != nil {
			t.Fatal(err)
		}
		m.clients, m.ids = append(m.clients, c), append(m.ids, id)
	}
	return m
}

// move takes a slot to the master after its own. Between says when which keys
// go; it must leave none.
func (m *movable) move(slot int, between func(remaining func() []string, move func(...string))) {
	m.t.Helper()
	ctx := context.Background()
	do := func(c *redis.Client, args ...any) any {
		m.t.Helper()
		answer, err := c.Do(ctx, args...).Result()
		if err != nil {
			m.t.Fatalf("%v: %v", args, err)
		}
		return answer
	}
	from := m.owner(slot)
	to := (from + 1) % len(m.clients)
	do(m.clients[to], "CLUSTER", "SETSLOT", slot, "IMPORTING", m.ids[from])
	do(m.clients[from], "CLUSTER", "SETSLOT", slot, "MIGRATING", m.ids[to])
	between(func() []string {
		keys, err := m.clients[from].ClusterGetKeysInSlot(ctx, slot, 100).Result()
		if err != nil {
			m.t.Fatal(err)
		}
		return keys
	}, func(keys ...string) {
		args := []any{"MIGRATE", "127.0.0.1", m.cluster.Servers[to].Port(), "", 0, 10_000, "KEYS"}
		for _, k := range keys {
			args = append(args, k)
		}
		do(m.clients[from], args...)
	})
	// The new owner learns it first: there is never nobody who serves the slot.
	do(m.clients[to], "CLUSTER", "SETSLOT", slot, "NODE", m.ids[to])
	for i, c := range m.clients {
		if i != to {
			do(c, "CLUSTER", "SETSLOT", slot, "NODE", m.ids[to])
		}
	}
}

func (m *movable) owner(slot int) int {
	m.t.Helper()
	for i, c := range m.clients {
		shards, err := c.ClusterShards(context.Background()).Result()
		if err != nil {
			m.t.Fatal(err)
		}
		for _, shard := range shards {
			serves := slices.ContainsFunc(shard.Slots, func(r redis.SlotRange) bool { return r.Start <= int64(slot) && int64(slot) <= r.End })
			if serves && slices.ContainsFunc(shard.Nodes, func(n redis.Node) bool { return n.ID == m.ids[i] && n.Role == "master" }) {
				return i
			}
		}
	}
	m.t.Fatalf("nobody serves slot %d", slot)
	return 0
}

// ordered tells a server something that it must do.
func ordered(t *testing.T, s *redistest.Server, command ...string) {
	t.Helper()
	if answer, err := s.Do(command...); err != nil || !strings.HasPrefix(answer, "+") {
		t.Fatalf("%v: %s %v", command, answer, err)
	}
}

// replicated waits until the replica has all that the master has.
func replicated(t *testing.T, pair *redistest.Watched) {
	t.Helper()
	await(t, "the replica has it all", func() bool {
		master, err := pair.Master.Do("INFO", "replication")
		replica, errReplica := pair.Replica.Do("INFO", "replication")
		return err == nil && errReplica == nil &&
			link.ParseInfo(master)["master_repl_offset"] == link.ParseInfo(replica)["slave_repl_offset"]
	})
}
