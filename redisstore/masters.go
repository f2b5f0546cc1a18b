package redisstore

import (
	"context"
	"sync"

	"github.com/redis/go-redis/v9"

	"github.com/aguiws/aguiws/redisstore/internal/keyspace"
)

const (
	committersPerServer = 2 // each has one round trip on the way: the server is busy with one's script while the other gathers

	// smallRead is up to how many bytes a read is taken for a small one. Large ones
	// keep a server from all others for a while, so few of them go at once.
	smallRead  = 256 << 10
	largeReads = 4
	largeRoom  = 32 << 20
)

// queues are what waits for one server. It waits for nothing that is on the way to
// another.
type queues struct {
	committers   []*committer
	small, large *readLimit // of readers
}

// queuesByServer are those of the masters of a Cluster, by their addresses, or of the
// only server.
type queuesByServer struct {
	mu     sync.Mutex
	of     map[string]*queues
	closed bool
}

// servers are those behind a client: one, or the masters of a Cluster.
type servers struct {
	client   redis.UniversalClient
	settings settings
}

// master is the client of a key's master as the library knows it; nil where there is
// one server, or none for the key's slot.
func (s *servers) master(key string) *redis.Client {
	cluster, ok := s.client.(*redis.ClusterClient)
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
		master := s.master(key)
		groups[master] = append(groups[master], i)
	}
	var group sync.WaitGroup
	for master, at := range groups {
		group.Go(func() { send(master, at) })
	}
	group.Wait()
}

// queuesOf are those of the partition's master.
func (s *groupCommit) queuesOf(p *keyspace.Partition) *queues {
	name := ""
	if master := s.conn.master(p.Leases); master != nil {
		name = master.Options().Addr
	}
	s.queues.mu.Lock()
	defer s.queues.mu.Unlock()
	q := s.queues.of[name]
	if q == nil {
		// Readers leave connections to those who write.
		pool := max(poolSize(s.conn.client), 2)
		q = &queues{small: newReadLimit(pool/2, max(pool/4, 1), 0), large: newReadLimit(min(max(pool/4, 1), largeReads), 1, largeRoom)}
		for range min(committersPerServer, s.conn.settings.Partitions) {
			q.committers = append(q.committers, &committer{s: s, closed: s.queues.closed})
		}
		if s.queues.of == nil {
			s.queues.of = map[string]*queues{}
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
func (s *groupCommit) closeCommitters() {
	s.queues.mu.Lock()
	defer s.queues.mu.Unlock()
	s.queues.closed = true
	for _, q := range s.queues.of {
		for _, g := range q.committers {
			g.mu.Lock()
			g.closed = true
			g.mu.Unlock()
		}
	}
}

// sameMaster reports whether two partitions of a Cluster have the same master.
func (s *servers) sameMaster(a, b *keyspace.Partition) bool {
	master := s.master(a.Leases)
	return master != nil && master == s.master(b.Leases)
}
