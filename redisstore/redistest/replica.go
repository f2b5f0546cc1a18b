package redistest

import (
	"strconv"
	"strings"
	"testing"
)

// Replica starts a replica of a server that listens on TCP. It returns when the
// server knows it as one that is up to date.
func Replica(t testing.TB, of *Server) *Server {
	t.Helper()
	r := Start(t, Options{TCP: true, Args: []string{"--replicaof", "127.0.0.1 " + strconv.Itoa(of.port)}})
	online(t, of)
	return r
}

func online(t testing.TB, s *Server) {
	t.Helper()
	until(t, "the replica is online", func() bool {
		info, err := s.Do("INFO", "replication")
		return err == nil && strings.Contains(info, "state=online")
	})
}

// Replicate starts a replica of each of the cluster's masters, in their order.
func (c *Masters) Replicate(t testing.TB) []*Server {
	t.Helper()
	var replicas []*Server
	for _, master := range c.Servers {
		id, err := master.Do("CLUSTER", "MYID")
		if err != nil {
			t.Fatal(err)
		}
		r := Start(t, Options{TCP: true, Args: []string{"--cluster-enabled", "yes", "--cluster-node-timeout", "30000"}})
		wantOK(t, r, "CLUSTER", "MEET", "127.0.0.1", strconv.Itoa(master.port))
		until(t, "the replica has met its master", func() bool {
			answer, err := r.Do("CLUSTER", "REPLICATE", id)
			return err == nil && answer == "+OK"
		})
		online(t, master)
		replicas = append(replicas, r)
	}
	return replicas
}
