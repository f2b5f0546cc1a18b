package process

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/aguiws/aguiws/client"
	"github.com/aguiws/aguiws/conformance/internal/command"
	"github.com/aguiws/aguiws/conformance/internal/wire"
	"github.com/aguiws/aguiws/internal/suite"
	"github.com/aguiws/aguiws/protocol"
	"github.com/aguiws/aguiws/redisstore/redistest"
)

// manySteps is a run that takes so many steps when it is approved of.
const (
	manySteps = "/parallel 50"
	steps     = 50
	// left are the steps that must be to come when the servers are told to end.
	left = 3
	// tries are how often a run may be too quick for that.
	tries = 20
)

// drained is what became of drainAmidSteps.
type drained struct {
	answer *wire.Input // the one that the last run is for
	wait   func()      // until the servers have ended
	rounds int         // how many questions were put and answered
}

// drainAmidSteps tells servers to end while the first carries a run of many steps.
// Redis stands still until they drain, so that the run is at one of its steps when they
// look around. A run that is too far by then is let end, and another is begun.
func drainAmidSteps(t *testing.T, tab *wire.Tab, redis *redistest.Server, servers ...*command.Server) drained {
	t.Helper()
	d := drained{}
	for amid := false; !amid; {
		if d.rounds == tries {
			t.Fatalf("%d runs were over before Redis stood still", tries)
		}
		var entries []protocol.ResumeEntry
		for _, asked := range tab.Say(manySteps).Interrupts() {
			entries = append(entries, client.Resolve(asked, approve))
		}
		done := func() int { return len(command.Effects(t, servers[0].EffectsFile())) - d.rounds*steps }
		d.answer = tab.Resume(entries...)
		poll(t, "the run does not come to its steps", func() bool { return done() > 0 })
		redis.Freeze()
		amid = done() <= steps-left
		d.rounds++
		if !amid {
			redis.Thaw()
			wire.Succeeded(t, d.answer.End())
		}
	}
	var waits []func()
	for _, server := range servers {
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			server.Terminate()
		}()
		waits = append(waits, func() { <-ended })
	}
	for _, server := range servers {
		poll(t, "the server does not drain", func() bool { return drains(server) })
	}
	redis.Thaw()
	d.wait = func() {
		for _, wait := range waits {
			wait()
		}
	}
	return d
}

// poll waits until something holds.
func poll(t *testing.T, not string, holds func() bool) {
	t.Helper()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for deadline := time.After(time.Minute); !holds(); {
		select {
		case <-deadline:
			t.Fatal(not)
		case <-tick.C:
		}
	}
}

// get reads a page of a server; "" when it does not answer at once.
func get(server *command.Server, path string) string {
	client := http.Client{Timeout: 100 * time.Millisecond}
	defer client.CloseIdleConnections()
	answer, err := client.Get(server.URL() + path)
	if err != nil {
		return ""
	}
	defer answer.Body.Close()
	text, _ := io.ReadAll(answer.Body)
	return string(text)
}

func drains(server *command.Server) bool {
	return strings.Contains(get(server, "/readyz"), `"server_draining"`)
}

// takeovers fails the test unless the server has taken over so many runs.
func takeovers(t *testing.T, server *command.Server, want int) {
	t.Helper()
	line := fmt.Sprintf("\naguiws_takeovers_total %d\n", want)
	poll(t, "the server has not taken over as many runs as it should", func() bool {
		return strings.Contains(get(server, "/metrics"), line)
	})
}

// stepped fails the test unless each run was carried out once, and the thread's log
// ends with the last.
func (d drained) stepped(t *testing.T, server *command.Server, thread string, tab *wire.Tab) {
	t.Helper()
	count(t, server, d.rounds*steps)
	log := (&passenger{t: t, thread: thread}).readLog(server)
	finished := 0
	for _, e := range log {
		if strings.Contains(e.Text, `"type":"RUN_FINISHED"`) || strings.Contains(e.Text, `"type":"RUN_ERROR"`) {
			finished++
		}
	}
	if want := 2 * d.rounds; finished != want || !strings.Contains(log[len(log)-1].Text, `"type":"RUN_FINISHED"`) { // the question, and the answer
		t.Errorf("the log has %d ends of runs, want %d; its last event is %s", finished, want, log[len(log)-1].Text)
	}
	fresh(t, server, thread, tab)
	wire.Sound(t, tab)
}

// A server that is alone finishes its run before it ends, and its clients see the
// end before their sockets close.
func TestDrainAlone(t *testing.T) {
	suite.Gate(t)
	t.Parallel()
	redis := redistest.Start(t, redistest.Options{AOF: "everysec"})
	server := command.Start(t, command.Options{Redis: redis.URL()})
	tab := wire.Open(t, "asking", "alone", server.Socket())
	d := drainAmidSteps(t, tab, redis, server)
	d.wait()
	count(t, server, d.rounds*steps)
	wire.Succeeded(t, d.answer.End()) // seen before: there is no server now
	poll(t, "the tab does not see its socket end", func() bool { return len(tab.Partings()) > 0 })
	if ends := tab.Partings(); len(ends) != 1 || !ends[0].Warned || ends[0].Code != serviceRestart {
		t.Errorf("the socket ended so: %+v", ends)
	}
	server.Restart()
	tab.Await("a connection", wire.View.Live)
	d.stepped(t, server, "alone", tab)
	takeovers(t, server, 0)
}

// Of two servers that are told to end at the same time none leaves its run to the
// other.
func TestDrainTogether(t *testing.T) {
	suite.Full(t)
	t.Parallel()
	a, b, redis := pair(t, 0)
	tab := wire.Open(t, "asking", "together", a.Socket())
	d := drainAmidSteps(t, tab, redis, a, b)
	d.wait()
	count(t, a, d.rounds*steps)
	wire.Succeeded(t, d.answer.End())
	a.Restart()
	tab.Await("a connection", wire.View.Live)
	d.stepped(t, a, "together", tab)
}

// A server beside another hands its run back, and does not wait for its end.
func TestDrainBesideAnother(t *testing.T) {
	suite.Full(t)
	t.Parallel()
	a, b, redis := pair(t, 0)
	tab := wire.Open(t, "asking", "beside", a.Socket(), b.Socket())
	d := drainAmidSteps(t, tab, redis, a)
	d.wait()
	wire.Succeeded(t, d.answer.End())
	d.stepped(t, b, "beside", tab)
	takeovers(t, b, 1)
}
