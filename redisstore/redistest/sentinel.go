package redistest

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/aguiws/aguiws/internal/suite"
)

// masterName is what Sentinel calls the master.
const masterName = "main"

// Watched is a master with a replica, watched by one Sentinel that promotes the
// replica half a second after the master is gone.
type Watched struct {
	Master, Replica *Server
	sentinel        *Server
}

// Sentinel starts all three; they are stopped when the test ends. It returns when
// the replica follows and Sentinel knows it. A test that calls it belongs to the
// full suite, and is skipped elsewhere.
func Sentinel(t testing.TB) *Watched {
	t.Helper()
	suite.Full(t)
	w := &Watched{Master: Start(t, Options{TCP: true, Args: []string{"--repl-diskless-sync-delay", "0"}})}
	w.Replica = Start(t, Options{TCP: true, Args: []string{"--replicaof", "127.0.0.1 " + strconv.Itoa(w.Master.port)}})
	until(t, "the replica follows", func() bool {
		info, err := w.Replica.Do("INFO", "replication")
		return err == nil && strings.Contains(info, "master_link_status:up")
	})

	dir, err := os.MkdirTemp("", "redistest")
	if err != nil {
		t.Fatal(err)
	}
	s := &Server{t: t, opts: Options{TCP: true}, dir: dir, port: FreePort(t)}
	t.Cleanup(func() {
		s.Kill()
		_ = os.RemoveAll(dir)
	})
	// Sentinel keeps what it learns in its configuration, so that this is a file.
	config := filepath.Join(dir, "sentinel.conf")
	text := fmt.Sprintf("bind 127.0.0.1\nport %d\ndir %s\nsentinel monitor %s 127.0.0.1 %d 1\n"+
		"sentinel down-after-milliseconds %[3]s 500\nsentinel failover-timeout %[3]s 3000\n",
		s.port, dir, masterName, w.Master.port)
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	s.launch([]string{config, "--sentinel"})
	w.sentinel = s
	until(t, "Sentinel knows the replica", func() bool {
		answer, err := s.Do("SENTINEL", "REPLICAS", masterName)
		return err == nil && answer == "*1"
	})
	return w
}

// URL returns the pair's address for redisstore.Open.
func (w *Watched) URL() string {
	return "redis+sentinel://" + strings.TrimPrefix(w.sentinel.URL(), "redis://") + "/" + masterName
}

// until polls what other processes work on.
func until(t testing.TB, what string, f func() bool) {
	t.Helper()
	for deadline := time.Now().Add(startLimit); !f(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("redistest: it never came true that %s", what)
		}
	}
}
