package hostile

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/aguiws/aguiws/conformance/internal/command"
	"github.com/aguiws/aguiws/internal/suite"
)

const (
	mib = 1 << 20
	// budget is what clients together may make a server hold by default.
	budget = 256 * mib
	// ceiling is what the process may take.
	ceiling = budget + 200*mib
	// floor is what is no delay on a machine that does much else.
	floor = 500 * time.Millisecond
	// windows are how often the victim is looked at before it is said to suffer.
	windows = 3
)

// A way to take a server down.
type way struct {
	name string
	args []string // further settings of the server
	// fill is how many inputs of nearly 4 MiB the attacker's thread has before.
	fill int
	// asking is for the server whose agent asks with hostile schemas.
	asking bool
	// attack begins it, and returns when the attacker is at its limit.
	attack func(*siege)
	// after is what must hold when it is over.
	after func(*siege)
}

var ways = []way{
	{name: "pings whose answers are not taken", fill: 4, attack: unreadPings},
	{name: "answers that are costly to validate", asking: true, attack: costlyAnswers, after: costlyAnswersEnded},
	{name: "replies of the control API that are not taken", fill: 4, attack: unreadReplies},
	{name: "inputs that wait in plain sockets", attack: waitingInputs},
	{name: "attaches that are taken slowly", fill: 4, attack: slowAttaches},
	{name: "bodies without an end", attack: unfinishedBodies},
	{name: "frames without an end", attack: unfinishedFrames, after: framesEnded},
	{name: "connections of nobody", attack: nobodies, after: nobodiesEnded},
	{name: "asking whether it is ready", attack: askReady, after: askedReadyInVain},
	{name: "control frames and fragments", attack: controlFrames, after: controlFramesCounted},
	{name: "runs without an end", args: []string{"--max-runs", "80"}, attack: endlessRuns},
	{name: "a large tree that many read", attack: readTrees},
	{name: "a large tree that is moved to and fro", attack: moveTrees},
	{name: "members that nobody knows", attack: unknownMembers, after: unknownMembersLeftOut},
}

func TestNobodyTakesItDown(t *testing.T) {
	suite.Full(t)
	var told strings.Builder
	for _, w := range ways {
		t.Run(w.name, func(t *testing.T) {
			s := lay(t, w)
			v := newVictim(s)
			defer v.leave()
			quiet := v.work()
			w.attack(s)
			attacked, seen := time.Duration(0), 0
			for seen < windows {
				seen++
				if p := v.work(); attacked == 0 || p < attacked {
					attacked = p
				}
				if attacked <= bearable(quiet) || t.Failed() {
					break
				}
			}
			_, most := s.server.Resident()
			s.lift()
			if attacked > bearable(quiet) { // or else the machine has got slower
				quiet = max(quiet, v.work())
			}
			line := fmt.Sprintf("%-46s p99 %5.0f → %5.0f ms, %4d MiB at most", w.name, ms(quiet), ms(attacked), most/mib)
			t.Log(line)
			fmt.Fprintln(&told, line)
			if attacked > bearable(quiet) {
				t.Errorf("the victim's p99 went from %s to %s", quiet, attacked)
			}
			if most > ceiling {
				t.Errorf("the process took %d MiB, of which its budget and 200 MiB are %d", most/mib, ceiling/mib)
			}
			if w.after != nil {
				w.after(s)
			}
		})
	}
	command.KeepOutput(t, []byte(told.String()))
}

func bearable(quiet time.Duration) time.Duration { return max(2*quiet, quiet+floor) }

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
