package link

import (
	"context"
	"sync"

	"github.com/redis/go-redis/v9"

	"github.com/aguiws/aguiws/redisstore/internal/keyspace"
)

const (
	committersPerServer = 2 // each has one round trip on the way: the server is busy with one's script while the other gathers

	// SmallRead is up to how many bytes a read is taken for a small one. Large ones
	// keep a server from all others for a while, so few of them go at once.
	SmallRead  = 256 << 10
	largeReads = 4
	largeRoom  = 32 << 20
)

// Queues are what waits for one server. It waits for nothing that is on the way to
// another.
type Queues struct {
	committers   []*committer
	Small, Large *ReadLimit // of readers
}

// queuesByServer are those of the masters of a Cluster, by their addresses, or of the
// only server.
type queuesByServer struct {
	mu     sync.Mutex
	of     map[string]*Queues
	closed bool
}

// servers are those behind a client: one, or the masters of a Cluster.
type servers struct {
	Client   redis.UniversalClient
	Settings Settings
}

// Master is the client of a key's master as the library knows it; nil where there is
// one server, or none for the key's slot.
func (s *servers) Master(key string) *redis.Client {
	cluster, ok := s.Client.(*redis.ClusterClient)
	if !ok {
		return nil
	}
	master, err := cluster.MasterForKey(context.Background(), key)
	if err != nil {
		return nil
	}
	return master
}

// perMaster calls send at once for the masters of a Cluster that have the keys, with
// the indexes of these. A pipeline of the library's own waits for all of its masters,
// and when one does not answer may call the answers of the others failed.
func (s *servers) perMaster(keys []string, send func(master *redis.Client, at []int)) {
	groups := map[*redis.Client][]int{}
	for i, key := range keys {
		master := s.Master(key)
		groups[master] = append(groups[master], i)
	}
	var group sync.WaitGroup
	for master, at := range groups {
		group.Go(func() { send(master, at) })
	}
	group.Wait()
}

// QueuesOf are those of the partition's master.
func (s *GroupCommit) QueuesOf(p *keyspace.Partition) *Queues {
	name := ""
	if master := s.conn.Master(p.Leases); master != nil {
		name = master.Options().Addr
	}
	s.queues.mu.Lock()
	defer s.queues.mu.Unlock()
	q := s.queues.of[name]
	if q == nil {
		// Readers leave connections to those who write.
		pool := max(poolSize(s.conn.Client), 2)
		q = &Queues{Small: newReadLimit(pool/2, max(pool/4, 1), 0), Large: newReadLimit(min(max(pool/4, 1), largeReads), 1, largeRoom)}
		for range min(committersPerServer, s.conn.Settings.Partitions) {
			g := &committer{s: s, closed: s.queues.closed}
			g.more.L = &g.mu
			if !g.closed {
				s.conn.Running.Go(g.flow)
			}
			q.committers = append(q.committers, g)
		}
		if s.queues.of == nil {
			s.queues.of = map[string]*Queues{}
		}
		s.queues.of[name] = q
	}
	return q
}

// poolSize is how many connections a client has to a server.
func poolSize(client redis.UniversalClient) int {
	switch c := client.(type) {
	case *redis.Client:
		return c.Options().PoolSize
	case *redis.ClusterClient:
		return c.Options().PoolSize
	}
	return 0
}

// closeCommitters refuses further batches; those that are queued are still sent.
func (s *GroupCommit) closeCommitters() {
	s.queues.mu.Lock()
	defer s.queues.mu.Unlock()
	s.queues.closed = true
	for _, q := range s.queues.of {
		for _, g := range q.committers {
			g.mu.Lock()
			g.closed = true
			g.more.Signal()
			g.mu.Unlock()
		}
	}
}

// SameMaster reports whether two partitions of a Cluster have the same master.
func (s *servers) SameMaster(a, b *keyspace.Partition) bool {
	master := s.Master(a.Leases)
	return master != nil && master == s.Master(b.Leases)
}
