package process

import (
	"testing"
	"time"

	"github.com/aguiws/aguiws/client"
	"github.com/aguiws/aguiws/conformance/internal/command"
	"github.com/aguiws/aguiws/conformance/internal/wire"
	"github.com/aguiws/aguiws/internal/suite"
	"github.com/aguiws/aguiws/protocol"
	"github.com/aguiws/aguiws/redisstore/redistest"
)

// long is a run whose middle is not over before anybody has looked, and pieces
// is what it streams.
const (
	long   = "/slow 160 25"
	pieces = 160
)

// pair starts two servers on one Redis, with one effects file. Where nobody is
// killed the lease is the command's own: one that a loaded machine misses would
// have a worker taken for dead that is only slow.
func pair(t *testing.T, lease time.Duration) (a, b *command.Server, redis *redistest.Server) {
	t.Helper()
	redis = redistest.Start(t, redistest.Options{AOF: "everysec"})
	a = command.Start(t, command.Options{Redis: redis.URL(), Lease: lease})
	b = command.Start(t, command.Options{Redis: redis.URL(), Lease: lease, Effects: a.EffectsFile()})
	return a, b, redis
}

// Both tabs answer the same question at the same time, at different servers.
func TestTwoServersOneDecision(t *testing.T) {
	suite.Gate(t)
	t.Parallel()
	a, b, _ := pair(t, 0)
	atA := wire.Open(t, "at A", "race", a.Socket())
	atB := wire.Open(t, "at B", "race", b.Socket())
	for round := range 10 {
		question := only(t, atA.Say(`/tool pay {"amount":1}`).Interrupts(), "tool_call")
		wire.Same(t, atA, atB)
		first, second := atA, atB
		if round%2 == 1 {
			first, second = second, first
		}
		one, other := first.Resume(client.Resolve(question, approve)), second.Resume(client.Resolve(question, approve))
		wire.Succeeded(t, one.End())
		wire.Succeeded(t, other.End())
		wire.Same(t, atA, atB)
		count(t, a, round+1)
	}
	fresh(t, a, "race", atA, atB)
}

// A run outlives its server, whether that is killed or told to end: the other one
// takes it over, and the tabs of both see one run.
func TestOtherServerTakesOver(t *testing.T) {
	suite.Gate(t)
	for name, c := range map[string]struct {
		lease time.Duration
		end   func(*command.Server)
	}{
		"killed":     {lease, (*command.Server).Kill},
		"terminated": {0, (*command.Server).Terminate}, // which must be a clean end
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a, b, _ := pair(t, c.lease)
			atA := wire.Open(t, "at A, then B", "takeover", a.Socket(), b.Socket())
			atB := wire.Open(t, "at B", "takeover", b.Socket())
			slow := atA.Say(long)
			atB.Await("the middle of the run", func(v wire.View) bool { return v.Active() && len(v.LastText()) > 20 })
			c.end(a)
			wire.Succeeded(t, slow.End())
			said(t, atA, protocol.RoleUser, long)
			said(t, atA, protocol.RoleAssistant, numbers(pieces))
			fresh(t, b, "takeover", atA, atB)
			wire.Sound(t, atA)
			wire.Sound(t, atB)
		})
	}
}

// Redis itself is killed while a question is open and while a run goes on. What
// it acknowledged is in its file; the tabs may be restated, and nothing is lost.
func TestRedisDiesAndReturns(t *testing.T) {
	suite.Full(t)
	t.Parallel()
	a, b, redis := pair(t, 0)
	asked := wire.Open(t, "asked", "question", a.Socket(), b.Socket())
	slowly := wire.Open(t, "slow", "stream", b.Socket(), a.Socket())
	question := only(t, asked.Say(`/tool pay {"amount":1}`).Interrupts(), "tool_call")
	slow := slowly.Say(long)
	slowly.Await("the middle of the run", func(v wire.View) bool { return v.Active() && len(v.LastText()) > 20 })
	redis.Restart()
	wire.Succeeded(t, slow.End())
	said(t, slowly, protocol.RoleUser, long)
	said(t, slowly, protocol.RoleAssistant, numbers(pieces))
	wire.Succeeded(t, asked.Resume(client.Resolve(question, approve)).End())
	count(t, a, 1)
	fresh(t, a, "question", asked)
	fresh(t, b, "stream", slowly)
}
