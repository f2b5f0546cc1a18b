package process

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aguiws/aguiws/client"
	"github.com/aguiws/aguiws/conformance/internal/command"
	"github.com/aguiws/aguiws/conformance/internal/wire"
	"github.com/aguiws/aguiws/internal/suite"
	"github.com/aguiws/aguiws/redisstore/redistest"
)

const (
	rolled   = 100 // threads
	sockets  = 5   // of each
	restarts = 20
	kinds    = 3 // of acts
	// slowly is a run of five seconds in one step, so each drain waits for about as long.
	slowly = "/slow 25 200"
	// early are a passenger's acts of all kinds. An input that waited makes its run tell
	// the messages anew, and of a long thread the log keeps the last such event only.
	early = 24
	// grace is what docs/operations.md has an orchestrator wait for the end after SIGTERM.
	grace = 30 * time.Second
	// back bounds the time that 99 of 100 sockets need to be live on another server, on
	// a machine that does much else.
	back = 10 * time.Second
	// serviceRestart is the close code of a server that drains.
	serviceRestart = 1012
)

// Twenty deployments: each of three servers in turn gets SIGTERM and is started again,
// while five hundred sockets stream, ask for approvals and queue inputs. What balances
// them knows nothing of /readyz. Every tab is warned, goes to another server, and has
// counted in the end what is in the log: nothing lost, doubled or out of order, and
// nobody restated.
func TestRollingUpdate(t *testing.T) {
	suite.Full(t)
	redis := redistest.Start(t, redistest.Options{AOF: "everysec"})
	options := command.Options{Redis: redis.URL()}
	var servers []*command.Server
	for range 3 {
		servers = append(servers, command.Start(t, options))
		options.Effects = servers[0].EffectsFile()
	}
	url := "ws://" + balance(t, servers) + "/agui/ws"

	crowd := make([]*passenger, rolled)
	for n := range crowd {
		crowd[n] = &passenger{t: t, number: n, thread: fmt.Sprintf("rolled-%d", n)}
		for k := range sockets {
			crowd[n].tabs = append(crowd[n].tabs, wire.Open(t, fmt.Sprintf("rolled-%d.%d", n, k), crowd[n].thread, url))
		}
	}
	for _, p := range crowd {
		p.awaitLive()
	}
	var over atomic.Bool
	var working sync.WaitGroup
	for _, p := range crowd {
		working.Go(func() {
			for n := 0; (n < kinds || !over.Load()) && !t.Failed(); n++ {
				p.act()
			}
		})
	}
	var longest time.Duration
	for n := range restarts {
		for _, p := range crowd {
			p.awaitBusy()
		}
		began := time.Now()
		servers[n%len(servers)].Terminate()
		longest = max(longest, time.Since(began))
		servers[n%len(servers)].Restart()
		for _, p := range crowd {
			p.awaitLive()
		}
	}
	over.Store(true)
	working.Wait()
	if longest > grace {
		t.Errorf("a server needed %v to drain, and has %v", longest, grace)
	}

	events, approved, waited := 0, 0, 0
	var away []time.Duration
	for _, p := range crowd {
		wire.Same(t, p.tabs...)
		log := p.readLog(servers[len(servers)-1])
		events += len(log)
		approved += p.payments
		waited += p.waited
		for _, tab := range p.tabs {
			wire.Sound(t, tab)
			p.compare(tab, log)
			away = append(away, p.parted(tab)...)
		}
	}
	count(t, servers[0], approved)
	slices.Sort(away)
	p99 := away[len(away)*99/100]
	t.Logf("%d sockets, %d events in the logs, %d approvals, %d inputs that waited; the longest drain took %v", rolled*sockets, events, approved, waited, longest)
	t.Logf("%d times a socket was away: p50 %v, p99 %v, at most %v", len(away), away[len(away)/2], p99, away[len(away)-1])
	if p99 > back {
		t.Errorf("one of 100 sockets was away for more than %v", back)
	}
	if approved < rolled || waited < rolled || events < 50*rolled || len(away) < rolled*sockets {
		t.Error("too little was going on: the test has shown nothing")
	}
}

// balance gives each connection to the next server that takes it, and returns its own
// address. It ends with the test.
func balance(t *testing.T, servers []*command.Server) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var carrying sync.WaitGroup
	carrying.Go(func() {
		for n := 0; ; n++ {
			near, err := listener.Accept()
			if err != nil {
				return
			}
			carrying.Go(func() {
				defer near.Close()
				for k := range servers {
					far, err := net.Dial("tcp", servers[(n+k)%len(servers)].Addr())
					if err != nil {
						continue
					}
					splice(near, far)
					return
				}
			})
		}
	})
	t.Cleanup(func() {
		listener.Close()
		carrying.Wait()
	})
	return listener.Addr().String()
}

// splice carries both ways until both have ended, and closes far.
func splice(near, far net.Conn) {
	defer far.Close()
	var back sync.WaitGroup
	back.Go(func() {
		_, _ = io.Copy(near, far)
		near.Close()
	})
	_, _ = io.Copy(far, near)
	far.Close()
	back.Wait()
}

// passenger works in the tabs of one thread.
type passenger struct {
	t        *testing.T
	number   int
	thread   string
	tabs     []*wire.Tab
	acts     int
	payments int // that were approved
	waited   int // inputs that were queued
}

// act does one thing and sees it through.
func (p *passenger) act() {
	p.acts++
	left, right := p.tabs[p.acts%sockets], p.tabs[(p.acts+1)%sockets]
	kind := (p.number + p.acts) % kinds
	if kind == 2 && p.acts > early {
		kind = 0
	}
	switch kind {
	case 0:
		wire.Succeeded(p.t, left.Say(slowly).End())
	case 1:
		p.payments++
		question := only(p.t, left.Say(fmt.Sprintf(`/tool pay {"amount":%d}`, p.number*1000+p.payments)).Interrupts(), "tool_call")
		wire.Same(p.t, p.tabs...)
		wire.Succeeded(p.t, right.Resume(client.Resolve(question, approve)).End())
	case 2:
		first, second := left.Say(slowly), right.Say("/slow 10 80")
		wire.Succeeded(p.t, first.End())
		wire.Succeeded(p.t, second.End())
		if first.Disposition() == "queued" || second.Disposition() == "queued" {
			p.waited++
		}
	}
	wire.Same(p.t, p.tabs...)
}

func (p *passenger) awaitLive() {
	p.t.Helper()
	for _, tab := range p.tabs {
		tab.Await("a connection", wire.View.Live)
	}
}

func (p *passenger) awaitBusy() {
	p.t.Helper()
	p.tabs[0].Await("a run under way", wire.View.Active)
}

// compare holds what a tab has counted against the log.
func (p *passenger) compare(tab *wire.Tab, log []wire.Counted) {
	p.t.Helper()
	counted := tab.Counted()
	for i := range min(len(counted), len(log)) {
		if counted[i] != log[i] {
			p.t.Errorf("thread %s: a tab has counted as event %d %v, the log has %v", p.thread, i+1, counted[i], log[i])
			return
		}
	}
	if len(counted) != len(log) {
		p.t.Errorf("thread %s: a tab has counted %d events, the log has %d", p.thread, len(counted), len(log))
	}
}

// parted fails the test unless a server that drained has ended each socket that the tab
// had before, and returns how long the tab was away each time.
func (p *passenger) parted(tab *wire.Tab) (away []time.Duration) {
	p.t.Helper()
	for _, end := range tab.Partings() {
		away = append(away, end.Away)
		if !end.Warned || end.Code != serviceRestart {
			p.t.Errorf("thread %s: a socket ended with code %d, warned by ws.goaway: %v", p.thread, end.Code, end.Warned)
		}
	}
	return away
}

// readLog reads a thread's log from its first event, over HTTP.
func (p *passenger) readLog(server *command.Server) []wire.Counted {
	p.t.Helper()
	epoch := ""
	read := func(after string) (log []wire.Counted, recovered string) {
		answer, err := http.Get(server.URL() + "/agui/threads/" + p.thread + "/events?after=" + after)
		if err != nil {
			p.t.Fatal(err)
		}
		defer answer.Body.Close()
		lines := bufio.NewScanner(answer.Body)
		lines.Buffer(nil, 4<<20)
		var seq int64
		for lines.Scan() {
			if id, ok := strings.CutPrefix(lines.Text(), "id: "); ok {
				var at string
				epoch, at, _ = strings.Cut(id, ":")
				if seq, err = strconv.ParseInt(at, 10, 64); err != nil {
					p.t.Fatal(err)
				}
			}
			if text, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
				log = append(log, wire.Counted{Seq: seq, Text: text})
			}
		}
		if err := lines.Err(); err != nil {
			p.t.Fatal(err)
		}
		return log, answer.Header.Get("Aguiws-Recovered")
	}
	read("") // restated, it says which epoch it is
	log, recovered := read(epoch + ":0")
	if recovered != "true" || len(log) == 0 || log[0].Seq != 1 {
		p.t.Fatalf("the log of %s cannot be had from its beginning: recovered %q, %d events", p.thread, recovered, len(log))
	}
	return log
}
