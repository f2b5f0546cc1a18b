package soak

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/aguiws/aguiws/client"
	"github.com/aguiws/aguiws/conformance/internal/wire"
	"github.com/aguiws/aguiws/protocol"
)

// ids is how many thread ids one person uses, in turn.
const ids = 4

// person lives one thread after another.
type person struct {
	*site
	name     int
	chance   *rand.Rand
	lived    int
	payments int
}

// episode is a test that lasts as long as one thread.
type episode struct {
	testing.TB
	undo []func()
}

// Cleanup implements testing.TB.
func (e *episode) Cleanup(f func()) { e.undo = append(e.undo, f) }

func (e *episode) end() {
	for _, f := range slices.Backward(e.undo) {
		f()
	}
}

// chat is one thread, as a person works in it.
type chat struct {
	*person
	t      *episode
	thread string
	tabs   []*wire.Tab
	acts   []string // that were done
}

// live is a thread from its first message to its deletion.
func (p *person) live() {
	p.lived++
	c := &chat{person: p, t: &episode{TB: p.site.t}, thread: fmt.Sprintf("person-%d-thread-%d", p.name, p.lived%ids)}
	defer c.t.end()
	a, b := p.nodes[0].server.Socket(), p.nodes[1].server.Socket()
	c.tabs = []*wire.Tab{wire.Open(c.t, c.thread+" left", c.thread, a, b), wire.Open(c.t, c.thread+" right", c.thread, b, a)}
	for _, tab := range c.tabs {
		tab.Await("a connection", wire.View.Live)
	}
	for range 4 + p.chance.IntN(5) {
		act := acts[p.chance.IntN(len(acts))]
		act.do(c)
		p.count(act.name)
		c.acts = append(c.acts, act.name)
		// The next act begins with what this one has left.
		wire.Same(c.t, c.tabs...)
	}
	for _, tab := range c.tabs {
		wire.Sound(c.t, tab)
	}
	// A tab that is open sees the thread go.
	if p.chance.IntN(2) == 0 {
		for _, tab := range c.tabs {
			tab.Close()
		}
	}
	c.remove()
	p.lives.Add(1)
}

// remove deletes the thread, which must be at rest, as its tabs say.
func (c *chat) remove() {
	url := c.url() + "/v1/threads/" + c.thread
	status, text := ask(c.t, http.MethodDelete, url, "")
	if status == http.StatusNoContent {
		return
	}
	_, thread := ask(c.t, http.MethodGet, url, "")
	_, runs := ask(c.t, http.MethodGet, url+"/runs", "")
	c.t.Fatalf("deleting %s: %d %s\nafter %q it is %s\nits runs are %s\nand a tab holds %s",
		c.thread, status, text, c.acts, thread, runs, c.tabs[0].Describe())
}

// acts are what people do, each until the thread is at rest.
var acts = []struct {
	name string
	do   func(*chat)
}{
	{"streams", func(c *chat) { c.succeed(c.tab().Say("/slow 25 4")) }},
	{"texts of every kind", func(c *chat) {
		for _, text := range []string{"/say A few words.", "/think about it", `/state {"n":1}`, "/delegate to another", "/activity", "hello"} {
			c.succeed(c.tab().Say(text))
		}
	}},
	{"failures", func(c *chat) {
		if end := c.tab().Say("/fail on purpose").End(); code(end) != "agent_error" {
			c.t.Errorf("a run that should fail ended with %#v", end)
		}
	}},
	{"approvals", (*chat).approve},
	{"parallel approvals", func(c *chat) {
		tab := c.tab()
		var entries []protocol.ResumeEntry
		for _, asked := range tab.Say("/parallel 3").Interrupts() {
			entries = append(entries, client.Resolve(asked, `{"approved":false}`))
		}
		c.succeed(tab.Resume(entries...))
	}},
	{"questions taken back", func(c *chat) {
		tab := c.tab()
		c.succeed(tab.Resume(client.Withdraw(tab.Say("/confirm Really?").Interrupts()[0])))
	}},
	{"lost sockets", func(c *chat) {
		tab := c.tab()
		in := tab.Say("/slow 40 6")
		c.underWay(tab)
		tab.Drop()
		c.succeed(in)
	}},
	{"queued inputs", func(c *chat) {
		first, second := c.tabs[0].Say("/slow 25 4"), c.tabs[1].Say("/say The next one.")
		c.succeed(first)
		c.succeed(second)
	}},
	{"stop buttons", func(c *chat) {
		tab := c.tab()
		in := tab.Say("/slow 2000 10")
		c.underWay(tab)
		in.Stop()
		if end, ok := in.End().(*protocol.RunFinished); !ok || end.Outcome == nil || end.Outcome.Type != protocol.OutcomeCancelled {
			c.t.Errorf("a run that was stopped ended with %#v", in.End())
		}
	}},
	{"rewinds", func(c *chat) {
		tab := c.tab()
		for _, text := range []string{"/say One.", "/say Two."} {
			c.succeed(tab.Say(text))
		}
		c.succeed(tab.Rewind(1, "/say Another two."))
		if n := len(tab.Texts(protocol.RoleUser)); n > 2 {
			c.t.Errorf("after a rewind to the first message there are %d of the user", n)
		}
	}},
	{"runs over HTTP", (*chat).post},
	{"followers over HTTP", (*chat).follow},
	{"plain sockets", (*chat).plain},
}

// approve lets a payment be made, says so twice, and once more in the other tab.
func (c *chat) approve() {
	c.payments++
	payment := c.name*1_000_000 + c.payments
	question := c.tabs[0].Say(fmt.Sprintf(`/tool pay {"amount":%d}`, payment)).Interrupts()[0]
	wire.Same(c.t, c.tabs...)
	c.site.approve(payment)
	answer := c.tabs[0].Resume(client.Resolve(question, `{"approved":true}`))
	if c.chance.IntN(2) == 0 {
		c.tabs[0].Drop() // it comes back, and sends again what may have been lost
	}
	other := c.tabs[1].Resume(client.Resolve(question, `{"approved":true}`))
	c.succeed(answer)
	c.succeed(other)
	again := c.tab().Resume(client.Resolve(question, `{"approved":true}`))
	c.succeed(again)
	if got := again.Disposition(); got != "repeat" {
		c.t.Errorf("an answer that was given again is %q", got)
	}
}

func (c *chat) succeed(in *wire.Input) {
	c.t.Helper()
	wire.Succeeded(c.t, in.End())
}

func (c *chat) tab() *wire.Tab { return c.tabs[c.chance.IntN(len(c.tabs))] }

func (c *chat) url() string { return c.nodes[c.chance.IntN(len(c.nodes))].server.URL() }

// underWay waits for the middle of a run, or for its end when it was too fast.
func (c *chat) underWay(tab *wire.Tab) {
	c.t.Helper()
	tab.Await("the middle of the run", func(v wire.View) bool {
		return v.AtRest() || v.Active() && strings.HasPrefix(v.LastText(), "1 2 3")
	})
}

func code(e protocol.Event) string {
	if failed, ok := e.(*protocol.RunError); ok {
		return failed.Code
	}
	return ""
}
