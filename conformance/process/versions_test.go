package process

import (
	"testing"

	"github.com/aguiws/aguiws/client"
	"github.com/aguiws/aguiws/conformance/internal/command"
	"github.com/aguiws/aguiws/conformance/internal/wire"
	"github.com/aguiws/aguiws/protocol"
	"github.com/aguiws/aguiws/redisstore/redistest"
)

// Servers of two releases that write the same stored format share a Redis, as they do
// while a deployment goes on. AGUIWS_OTHER_BUILD names the other release's command:
//
//	git worktree add --detach DIR COMMIT && (cd DIR && go build -o aguiws .)
//	AGUIWS_OTHER_BUILD=DIR/aguiws go test ./conformance/process -run TestTwoVersions

// edit approves other arguments, with a number that is no double: each release finds
// it again in what the other has stored.
const edit = `{"approved":true,"editedArgs":{"amount":9007199254740995}}`

// versions are the ways in which this release and the other are first and second.
func versions(t *testing.T) map[string][2]string {
	other := command.OtherBuild(t)
	return map[string][2]string{"the other release and this one": {other, ""}, "this release and the other": {"", other}}
}

func TestTwoVersionsShareAThread(t *testing.T) {
	for name, binaries := range versions(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			redis := redistest.Start(t, redistest.Options{AOF: "everysec"})
			a := command.Start(t, command.Options{Redis: redis.URL(), Binary: binaries[0]})
			b := command.Start(t, command.Options{Redis: redis.URL(), Binary: binaries[1], Effects: a.EffectsFile()})
			atA := wire.Open(t, "at A", "shared", a.Socket())
			atB := wire.Open(t, "at B", "shared", b.Socket())

			// Events of a run at A reach B while it goes on.
			slow := atA.Say(long)
			atB.Await("the middle of a run that A carries", func(v wire.View) bool { return v.Active() && len(v.LastText()) > 10 })
			// What B was given waits behind it.
			behind := atB.Say(`/state {"answer":42}`)
			wire.Succeeded(t, slow.End())
			wire.Succeeded(t, behind.End())
			wire.Same(t, atA, atB)

			// Asked at A, answered at B; the same answer at A is a repeat.
			question := only(t, atA.Say(`/tool pay {"amount":9007199254740993}`).Interrupts(), "tool_call")
			wire.Same(t, atA, atB)
			wire.Succeeded(t, atB.Resume(client.Resolve(question, edit)).End())
			count(t, a, 1)
			again := atA.Resume(client.Resolve(question, edit))
			wire.Succeeded(t, again.End())
			if got := again.Disposition(); got != "repeat" {
				t.Errorf("the answer given again is %q, want a repeat", got)
			}
			count(t, a, 1)

			var entries []protocol.ResumeEntry
			for _, i := range atA.Say("/parallel 3").Interrupts() {
				entries = append(entries, client.Resolve(i, approve))
			}
			wire.Same(t, atA, atB)
			wire.Succeeded(t, atB.Resume(entries...).End())
			count(t, a, 4)

			// A rewind at B of what was said at A.
			wire.Succeeded(t, atB.Rewind(2, "/say again").End())
			wire.Same(t, atA, atB)
			fresh(t, a, "shared", atA, atB)
			fresh(t, b, "shared", atA, atB)
			wire.Sound(t, atA)
			wire.Sound(t, atB)
		})
	}
}

// A run outlives its server in the other release, wherever that dies.
func TestTwoVersionsTakeOver(t *testing.T) {
	for name, binaries := range versions(t) {
		for _, c := range []struct {
			point   string
			effects int
			answer  string // about an uncertain step
		}{
			{point: "mid_suspend", effects: 1},
			{point: "after_decision", effects: 1},
			{point: "after_record", effects: 1},
			{point: "step_after_effect", effects: 1, answer: `{"action":"done","result":{"executed":true}}`},
			{point: "step_before_effect", effects: 1, answer: `{"action":"rerun"}`},
		} {
			t.Run(name+", "+c.point, func(t *testing.T) {
				t.Parallel()
				redis := redistest.Start(t, redistest.Options{AOF: "everysec"})
				b := command.Start(t, command.Options{Redis: redis.URL(), Lease: lease, Binary: binaries[1]})
				a := command.Start(t, command.Options{Redis: redis.URL(), Lease: lease, Binary: binaries[0], Effects: b.EffectsFile(), CrashAt: c.point})
				tab := wire.Open(t, "at A, then B", "lost", a.Socket(), b.Socket())
				watcher := wire.Open(t, "at B", "lost", b.Socket())
				end := tab.Say(tool).End()
				for asked := client.Asked(end); len(asked) > 0; asked = client.Asked(end) {
					payload := approve
					if asked[0].Reason == uncertain {
						payload = c.answer
					}
					end = tab.Resume(client.Resolve(asked[0], payload)).End()
				}
				wire.Succeeded(t, end)
				a.AwaitExit()
				count(t, b, c.effects)
				exactly(t, b)
				said(t, tab, protocol.RoleAssistant, "", "I have called pay.")
				wire.Same(t, tab, watcher)
				fresh(t, b, "lost", tab, watcher)
				wire.Sound(t, tab)
				wire.Sound(t, watcher)
			})
		}
		t.Run(name+", mid-stream", func(t *testing.T) {
			t.Parallel()
			redis := redistest.Start(t, redistest.Options{AOF: "everysec"})
			a := command.Start(t, command.Options{Redis: redis.URL(), Lease: lease, Binary: binaries[0]})
			b := command.Start(t, command.Options{Redis: redis.URL(), Lease: lease, Binary: binaries[1]})
			tab := wire.Open(t, "at A, then B", "streamed", a.Socket(), b.Socket())
			slow := tab.Say(long)
			tab.Await("the middle of the run", func(v wire.View) bool { return v.Active() && len(v.LastText()) > 20 })
			a.Kill()
			wire.Succeeded(t, slow.End())
			said(t, tab, protocol.RoleAssistant, numbers(pieces))
			fresh(t, b, "streamed", tab)
			wire.Sound(t, tab)
		})
	}
}

// A deployment: one after the other, servers of the other release give way to this one,
// while people work. Or, taken back, the other way round.
func TestTwoVersionsRoll(t *testing.T) {
	for name, binaries := range versions(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			redis := redistest.Start(t, redistest.Options{AOF: "everysec"})
			old := command.Start(t, command.Options{Redis: redis.URL(), Binary: binaries[0]})
			next := command.Start(t, command.Options{Redis: redis.URL(), Binary: binaries[1], Effects: old.EffectsFile()})
			tab := wire.Open(t, "at the old, then the new", "rolled", old.Socket(), next.Socket())
			question := only(t, tab.Say(`/tool pay {"amount":9007199254740993}`).Interrupts(), "tool_call")
			busy := wire.Open(t, "busy", "busy", old.Socket(), next.Socket())
			slow := busy.Say(long)
			busy.Await("the middle of the run", func(v wire.View) bool { return v.Active() && len(v.LastText()) > 20 })
			old.Terminate()
			wire.Succeeded(t, slow.End())
			wire.Succeeded(t, tab.Resume(client.Resolve(question, approve)).End())
			count(t, next, 1)
			fresh(t, next, "rolled", tab)
			fresh(t, next, "busy", busy)
			wire.Sound(t, tab)
			wire.Sound(t, busy)
		})
	}
}
