package redisstore

import (
	"context"
	"sync"

	"github.com/redis/go-redis/v9"
)

const (
	laneCount = 4 // scripts of a lane's partitions travel together, one round trip at a time

	// smallRead is up to how many bytes a read is taken for a small one. Large ones
	// keep a server from all others for a while, so few of them go at once.
	smallRead  = 256 << 10
	largeReads = 4
	largeRoom  = 32 << 20
)

// way leads to one server. What is on the way to one waits for nothing that is on
// the way to another.
type way struct {
	lanes        []*lane
	small, large *turns // of readers
}

// ways are the ways to the masters of a Cluster, by their addresses, or the only one.
type ways struct {
	mu     sync.Mutex
	to     map[string]*way
	closed bool
}

// master is the client of a key's master as the library knows it; nil where there is
// one server, or none for the key's slot.
func (s *Store) master(key string) *redis.Client {
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
func (s *Store) perMaster(keys []string, send func(master *redis.Client, at []int)) {
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

// way is that to the partition's master.
func (s *Store) way(p *partition) *way {
	name := ""
	if master := s.master(p.leases); master != nil {
		name = master.Options().Addr
	}
	s.ways.mu.Lock()
	defer s.ways.mu.Unlock()
	w := s.ways.to[name]
	if w == nil {
		// Readers leave connections to those who write.
		pool := max(poolSize(s.client), 2)
		w = &way{small: newTurns(pool/2, max(pool/4, 1), 0), large: newTurns(min(max(pool/4, 1), largeReads), 1, largeRoom)}
		for range min(laneCount, s.opts.Partitions) {
			w.lanes = append(w.lanes, &lane{s: s, closed: s.ways.closed})
		}
		if s.ways.to == nil {
			s.ways.to = map[string]*way{}
		}
		s.ways.to[name] = w
	}
	return w
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

// closeLanes refuses further batches; those that are queued are still sent.
func (s *Store) closeLanes() {
	s.ways.mu.Lock()
	defer s.ways.mu.Unlock()
	s.ways.closed = true
	for _, w := range s.ways.to {
		for _, l := range w.lanes {
			l.mu.Lock()
			l.closed = true
			l.mu.Unlock()
		}
	}
}

// sameMaster reports whether two partitions of a Cluster have the same master.
func (s *Store) sameMaster(a, b *partition) bool {
	master := s.master(a.leases)
	return master != nil && master == s.master(b.leases)
}
