package process

import (
	"testing"

	"github.com/aguiws/aguiws/client"
	"github.com/aguiws/aguiws/conformance/internal/command"
	"github.com/aguiws/aguiws/conformance/internal/wire"
	"github.com/aguiws/aguiws/internal/suite"
	"github.com/aguiws/aguiws/protocol"
	"github.com/aguiws/aguiws/redisstore/redistest"
)

// gateways starts two servers on one Redis, which stand before a third. What has effects is
// behind that one alone.
func gateways(t *testing.T, args ...string) (a, b, far *command.Server) {
	t.Helper()
	far = command.Start(t, command.Options{})
	redis := redistest.Start(t, redistest.Options{AOF: "everysec"})
	args = append([]string{"--upstream", "far=" + far.URL() + "/agui"}, args...)
	a = command.Start(t, command.Options{Redis: redis.URL(), Lease: lease, Args: args})
	b = command.Start(t, command.Options{Redis: redis.URL(), Lease: lease, Args: args})
	return a, b, far
}

// A gateway is killed while a question of its upstream is open; another one has the answer,
// once.
func TestGatewayIsKilledWhileItWaits(t *testing.T) {
	suite.Full(t)
	t.Parallel()
	a, b, far := gateways(t)
	tab := wire.Open(t, "at A, then B", "gateway", a.Socket(), b.Socket())
	wire.Succeeded(t, tab.Say("/say hello").End())
	question := only(t, tab.Say(tool).Interrupts(), "tool_call")
	a.Kill()
	count(t, far, 0)

	atB := wire.Open(t, "at B", "gateway", b.Socket())
	answer := atB.Resume(client.Resolve(question, approve))
	wire.Succeeded(t, answer.End())
	exactly(t, far)
	count(t, far, 1)
	again := atB.Resume(client.Resolve(question, approve))
	wire.Succeeded(t, again.End())
	if got := again.Disposition(); got != "repeat" {
		t.Errorf("the answer given again is %q, want a repeat", got)
	}
	endedWith(t, atB.Resume(client.Resolve(question, decline)), "interrupt_conflict")
	count(t, far, 1)
	wire.Same(t, tab, atB)
	said(t, atB, protocol.RoleAssistant, "hello", "", "I have called pay.")
	fresh(t, b, "gateway", tab, atB)
	wire.Sound(t, tab)
	wire.Sound(t, atB)
}

// Several questions at once are answered at once.
func TestGatewayAsksInParallel(t *testing.T) {
	suite.Full(t)
	t.Parallel()
	a, b, far := gateways(t)
	tab := wire.Open(t, "asking", "parallel", a.Socket())
	questions := tab.Say("/parallel 2").Interrupts()
	if len(questions) != 2 {
		t.Fatalf("asked %v", questions)
	}
	atB := wire.Open(t, "answering", "parallel", b.Socket())
	wire.Succeeded(t, atB.Resume(client.Resolve(questions[0], approve), client.Resolve(questions[1], approve)).End())
	count(t, far, 2)
	wire.Same(t, tab, atB)
}

// Whoever dies while the upstream answers has lost what it would have said: nobody knows
// whether it may be asked again, and the thread goes on.
func TestGatewayIsKilledWhileItReads(t *testing.T) {
	suite.Full(t)
	t.Parallel()
	a, b, far := gateways(t)
	tab := wire.Open(t, "at A, then B", "reads", a.Socket(), b.Socket())
	slow := tab.Say(long)
	tab.Await("the middle of the run", func(v wire.View) bool { return v.Active() && len(v.LastText()) > 20 })
	a.Kill()
	endedWith(t, slow, "worker_lost")
	wire.Succeeded(t, tab.Say("/effect").End())
	count(t, far, 1)
	fresh(t, b, "reads", tab)
	wire.Sound(t, tab)
}

// It dies as it sends an answer: nobody knows whether the upstream has that, so a human is
// asked, and what the human says is done once. Of an upstream that knows a request again
// nobody is asked.
func TestGatewayDiesAsItAnswers(t *testing.T) {
	suite.Full(t)
	for name, c := range map[string]struct {
		more    string // of the upstream
		says    string // what the human does
		effects int
	}{
		"sent again":        {"", `{"action":"rerun"}`, 1},
		"declared failed":   {"", `{"action":"fail"}`, 0},
		"it knows it again": {", idempotent: true", "", 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			far := command.Start(t, command.Options{})
			redis := redistest.Start(t, redistest.Options{AOF: "everysec"})
			upstream := []string{"--upstreams", "[{name: far, url: '" + far.URL() + "/agui'" + c.more + "}]"}
			a := command.Start(t, command.Options{Redis: redis.URL(), Lease: lease, Args: upstream})
			question := only(t, wire.Open(t, "asking", "dies", a.Socket()).Say(tool).Interrupts(), "tool_call")
			a.Kill()
			b := command.Start(t, command.Options{Redis: redis.URL(), Lease: lease, Args: upstream, CrashAt: "step_before_effect"})
			tab := wire.Open(t, "answering", "dies", b.Socket())
			restarted := restarted(t, b, "")
			answer := tab.Resume(client.Resolve(question, approve))
			if c.says != "" {
				doubt := only(t, answer.Interrupts(), uncertain)
				restarted()
				count(t, far, 0)
				answer = tab.Resume(client.Resolve(doubt, c.says))
			}
			if c.effects == 1 {
				wire.Succeeded(t, answer.End())
			} else {
				endedWith(t, answer, "worker_lost")
			}
			count(t, far, c.effects)
			wire.Sound(t, tab)
		})
	}
}

// endedWith fails the test unless the input came to a RUN_ERROR of this code.
func endedWith(t *testing.T, in *wire.Input, code string) {
	t.Helper()
	if failed, ok := in.End().(*protocol.RunError); !ok || failed.Code != code {
		t.Errorf("it ended with %v, want %s", in.End(), code)
	}
}
