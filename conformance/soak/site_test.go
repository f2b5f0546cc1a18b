package soak

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aguiws/aguiws/conformance/internal/command"
	"github.com/aguiws/aguiws/redisstore/redistest"
)

// site is what is worked.
type site struct {
	t     *testing.T
	redis *redistest.Server
	nodes []*node
	// passing is a third server, another process in each lap: what a node leaves
	// under its name is left by many.
	passing *command.Server
	lives   atomic.Int64

	mu       sync.Mutex
	did      map[string]int // how often each act was done
	approved map[int]bool   // payments
}

type node struct {
	server   *command.Server
	profiles string
}

func (s *site) count(act string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.did[act]++
}

func (s *site) approve(payment int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.approved[payment] = true
}

func (s *site) tally() string {
	var b strings.Builder
	fmt.Fprintf(&b, "threads lived and deleted: %d", s.lives.Load())
	for _, act := range slices.Sorted(maps.Keys(s.did)) {
		fmt.Fprintf(&b, ", %s: %d", act, s.did[act])
	}
	return b.String()
}

// judgeEffects holds what has happened against what was approved.
func (s *site) judgeEffects(file string) {
	happened := map[int]int{}
	for _, e := range command.Effects(s.t, file) {
		var args struct{ Amount int }
		if err := json.Unmarshal(e.Args, &args); err != nil {
			s.t.Fatal(err)
		}
		happened[args.Amount]++
	}
	for payment := range s.approved {
		if happened[payment] != 1 {
			s.t.Errorf("payment %d was approved and took place %d times", payment, happened[payment])
		}
		delete(happened, payment)
	}
	for payment, times := range happened {
		s.t.Errorf("payment %d was not approved and took place %d times", payment, times)
	}
}

// restLimit is how long the servers may take to have nothing left to do.
const restLimit = 30 * time.Second

// measure waits until the servers have nothing to do, and looks at them. A value
// of several servers is one of each.
func (s *site) measure() values {
	all := values{}
	for i, n := range s.nodes {
		name := func(what string) string { return what + " " + string(rune('A'+i)) }
		n.awaitRest(s.t)
		// A collection may run finalizers whose objects only the next one frees.
		for range 2 {
			get(s.t, n.profiles+"/debug/pprof/heap?gc=1&debug=1")
		}
		m := n.metrics(s.t)
		all[name("goroutines")] = m["go_goroutines"]
		all[name("heap KiB")] = m["go_memstats_heap_alloc_bytes"] / 1024
		all[name("RSS KiB")] = m["process_resident_memory_bytes"] / 1024
		all[name("files")] = m["process_open_fds"]
	}
	all["redis keys"] = s.info("keyspace", "keys")
	s.inside(all)
	all["redis KiB"] = s.info("memory", "used_memory") / 1024
	return all
}

// info is a number out of Redis's INFO.
func (s *site) info(section, field string) float64 {
	text, err := s.redis.Do("INFO", section)
	if err != nil {
		s.t.Fatal(err)
	}
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(":,\r\n", r) }) {
		if rest, ok := strings.CutPrefix(word, field+"="); ok {
			return number(s.t, rest)
		}
	}
	for line := range strings.Lines(text) {
		if rest, ok := strings.CutPrefix(line, field+":"); ok {
			return number(s.t, strings.TrimSpace(rest))
		}
	}
	s.t.Fatalf("INFO %s has no %s:\n%s", section, field, text)
	return 0
}

func number(t testing.TB, text string) float64 {
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func (n *node) awaitRest(t testing.TB) {
	t.Helper()
	http.DefaultClient.CloseIdleConnections()
	poll := time.NewTicker(50 * time.Millisecond)
	defer poll.Stop()
	for deadline := time.Now().Add(restLimit); ; <-poll.C {
		m := n.metrics(t)
		busy := m["aguiws_sockets"] + m["aguiws_streams"] + m["aguiws_attached_threads"]
		if busy == 0 {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("everybody has left, and the server still has %v sockets, %v streams and %v attached threads",
				m["aguiws_sockets"], m["aguiws_streams"], m["aguiws_attached_threads"])
		}
	}
}

// metrics are the server's, summed over their labels.
func (n *node) metrics(t testing.TB) map[string]float64 {
	t.Helper()
	m := map[string]float64{}
	lines := bufio.NewScanner(strings.NewReader(get(t, n.server.URL()+"/metrics")))
	for lines.Scan() {
		line := lines.Text()
		space := strings.LastIndexByte(line, ' ')
		if strings.HasPrefix(line, "#") || space < 0 {
			continue
		}
		name, _, _ := strings.Cut(line[:space], "{")
		m[name] += number(t, line[space+1:])
	}
	return m
}

func get(t testing.TB, url string) string {
	t.Helper()
	return request(t, http.MethodGet, url, "", http.StatusOK)
}

func request(t testing.TB, method, url, body string, want int) string {
	t.Helper()
	status, text := ask(t, method, url, body)
	if status != want {
		t.Fatalf("%s %s: %d\n%.2000s", method, url, status, text)
	}
	return text
}

// ask makes a request on a connection of its own: none is left to be counted.
func ask(t testing.TB, method, url, body string) (status int, text string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Close = true
	// What a server needs to compress for us is not what is measured.
	r.Header.Set("Accept-Encoding", "identity")
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	all, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, string(all)
}
