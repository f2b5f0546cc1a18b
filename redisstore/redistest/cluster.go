package redistest

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/aguiws/aguiws/internal/suite"
)

// slots is how many there are to share out.
const slots = 16384

// Masters is a running Redis Cluster of three masters without replicas.
type Masters struct {
	Servers []*Server
}

// Cluster starts three masters that are stopped when the test ends. It returns
// when each of them sees all slots served. A test that calls it belongs to the
// full suite, and is skipped elsewhere.
func Cluster(t testing.TB) *Masters {
	t.Helper()
	suite.Full(t)
	const masters = 3
	c := &Masters{}
	for range masters {
		c.Servers = append(c.Servers, Start(t, Options{TCP: true, Args: []string{
			// A master that waits for a processor is not to be taken for dead.
			"--cluster-enabled", "yes", "--cluster-node-timeout", "30000"}}))
	}
	for i, s := range c.Servers {
		command := []string{"CLUSTER", "ADDSLOTS"}
		for slot := i * slots / masters; slot < (i+1)*slots/masters; slot++ {
			command = append(command, strconv.Itoa(slot))
		}
		wantOK(t, s, command...)
		// Epochs of their own spare the masters a round of agreeing on them.
		wantOK(t, s, "CLUSTER", "SET-CONFIG-EPOCH", strconv.Itoa(i+1))
	}
	for _, s := range c.Servers[1:] {
		wantOK(t, c.Servers[0], "CLUSTER", "MEET", "127.0.0.1", strconv.Itoa(s.port))
	}
	ready := func(s *Server) bool {
		info, err := s.Do("CLUSTER", "INFO")
		return err == nil && strings.Contains(info, "cluster_state:ok") &&
			strings.Contains(info, fmt.Sprintf("cluster_known_nodes:%d", masters)) &&
			strings.Contains(info, fmt.Sprintf("cluster_slots_ok:%d", slots))
	}
	for _, s := range c.Servers {
		until(t, "every master sees all slots served", func() bool { return ready(s) })
	}
	return c
}

func wantOK(t testing.TB, s *Server, command ...string) {
	t.Helper()
	if answer, err := s.Do(command...); answer != "+OK" || err != nil {
		t.Fatalf("redistest: %s: %s %v", strings.Join(command[:2], " "), answer, err)
	}
}

// URL returns the cluster's address for redisstore.Open.
func (c *Masters) URL() string {
	hosts := make([]string, len(c.Servers))
	for i, s := range c.Servers {
		hosts[i] = strings.TrimPrefix(s.URL(), "redis://")
	}
	return "redis+cluster://" + strings.Join(hosts, ",")
}
