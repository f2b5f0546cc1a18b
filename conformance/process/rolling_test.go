package process

import (
	"bufio"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/aguiws/aguiws/client"
	"github.com/aguiws/aguiws/conformance/internal/command"
	"github.com/aguiws/aguiws/conformance/internal/wire"
	"github.com/aguiws/aguiws/internal/suite"
	"github.com/aguiws/aguiws/redisstore/redistest"
)

const (
	rolled = 100 // threads, each with a tab that begins at A and one that begins at B
	kinds  = 3   // of acts
	// serviceRestart is the close code of a server that drains.
	serviceRestart = 1012
)

// A deployment: each of two servers in turn gets SIGTERM and is started again,
// while two hundred sockets stream, ask for approvals and queue inputs. Every tab
// is warned, goes to the other server, and has counted in the end what is in the
// log: nothing lost, doubled or out of order, and nobody restated.
func TestRollingRestart(t *testing.T) {
	suite.Full(t)
	redis := redistest.Start(t, redistest.Options{AOF: "everysec"})
	// Nobody is lost: however loaded the machine is, no lease must run out and no
	// drain end before what it waits for.
	options := command.Options{Redis: redis.URL(), Args: []string{"--drain-timeout", "60s"}}
	a := command.Start(t, options)
	options.Effects = a.EffectsFile()
	b := command.Start(t, options)

	crowd := make([]*passenger, rolled)
	for n := range crowd {
		thread := fmt.Sprintf("rolled-%d", n)
		crowd[n] = &passenger{t: t, number: n, thread: thread, tabs: []*wire.Tab{
			wire.Open(t, thread+" at A", thread, a.Socket(), b.Socket()),
			wire.Open(t, thread+" at B", thread, b.Socket(), a.Socket()),
		}}
	}
	for _, p := range crowd {
		p.awaitLive()
	}
	for _, server := range []*command.Server{a, b} {
		var over atomic.Bool
		var working sync.WaitGroup
		for _, p := range crowd {
			working.Go(func() {
				for n := 0; (n < kinds || !over.Load()) && !t.Failed(); n++ {
					p.act()
				}
			})
		}
		for _, p := range crowd {
			p.awaitBusy()
		}
		server.Terminate()
		server.Restart()
		for _, p := range crowd {
			p.awaitLive()
		}
		over.Store(true)
		working.Wait()
	}

	events, approved, waited := 0, 0, 0
	for _, p := range crowd {
		wire.Same(t, p.tabs...)
		log := p.readLog(b)
		events += len(log)
		approved += p.payments
		waited += p.waited
		for i, tab := range p.tabs {
			wire.Sound(t, tab)
			p.compare(tab, log)
			want := []string{b.Socket()}
			if i == 0 {
				want = []string{a.Socket(), b.Socket()}
			}
			p.parted(tab, want)
		}
	}
	count(t, a, approved)
	t.Logf("%d sockets, %d events in the logs, %d approvals, %d inputs that waited", 2*rolled, events, approved, waited)
	if approved < rolled || waited < rolled || events < 50*rolled {
		t.Error("too little was going on: the test has shown nothing")
	}
}

// passenger works in two tabs of one thread.
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
	left, right := p.tabs[p.acts%2], p.tabs[(p.acts+1)%2]
	switch (p.number + p.acts) % kinds {
	case 0:
		wire.Succeeded(p.t, left.Say("/slow 30 80").End())
	case 1:
		p.payments++
		question := only(p.t, left.Say(fmt.Sprintf(`/tool pay {"amount":%d}`, p.number*1000+p.payments)).Interrupts(), "tool_call")
		wire.Same(p.t, p.tabs...)
		wire.Succeeded(p.t, right.Resume(client.Resolve(question, approve)).End())
	case 2:
		first, second := left.Say("/slow 20 80"), right.Say("/slow 10 80")
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

// parted fails the test unless the tab was told to leave these servers, in order,
// and left no other.
func (p *passenger) parted(tab *wire.Tab, want []string) {
	p.t.Helper()
	var urls []string
	for _, end := range tab.Partings() {
		urls = append(urls, end.URL)
		if !end.Warned || end.Code != serviceRestart {
			p.t.Errorf("thread %s: a socket to %s ended with code %d, warned by ws.goaway: %v", p.thread, end.URL, end.Code, end.Warned)
		}
	}
	if !slices.Equal(urls, want) {
		p.t.Errorf("thread %s: a tab has left %q, want %q", p.thread, urls, want)
	}
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
