package node

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"github.com/aguiws/aguiws/conformance/internal/command"
	"github.com/aguiws/aguiws/internal/suite"
	"github.com/aguiws/aguiws/protocol"
	"github.com/aguiws/aguiws/protocol/fold"
)

// takeoverCase is a line for takeover.mjs: streams that the real client must
// accept without a warning, and after each of which it must hold the same.
type takeoverCase struct {
	Name    string           `json:"name"`
	Streams []takeoverStream `json:"streams"`
	Want    takeoverPicture  `json:"want"`
}

type takeoverStream struct {
	Name   string            `json:"name"`
	Events []json.RawMessage `json:"events"`
}

type takeoverPicture struct {
	Messages   protocol.Messages    `json:"messages"`
	State      json.RawMessage      `json:"state"`
	Interrupts []protocol.Interrupt `json:"interrupts"`
}

// Wherever in a run its worker is lost, what a client is told that followed, or comes
// then, is one well-formed run to the real client, and it then holds what our fold of the
// log holds. Newcomers at each event have the cases attach/swarm and attach/swarm-subagent.
func TestTakeoversAreWellFormedToTheRealClient(t *testing.T) {
	suite.Full(t)
	command.NodeLane(t)
	whole := newTakeovers(t)
	first := whole.carry(begins())
	second := whole.carry(whole.continues())
	t.Logf("%d and %d events", first, second)

	var mu sync.Mutex
	cases := []*takeoverCase{whole.testCase("not lost")}
	t.Run("lost", func(t *testing.T) {
		for i := range first + second {
			for _, how := range []struct {
				name   string
				losses []loss
			}{
				{"", []loss{{after: i, records: i%2 == 0}}},
				{" and again", []loss{{after: i, records: i%2 == 1}, {after: i * 7 % 11, records: i%3 == 0}}},
			} {
				t.Run(fmt.Sprintf("after %d%s", i, how.name), func(t *testing.T) {
					t.Parallel()
					l := newTakeovers(t)
					if i < first {
						l.carry(begins(), how.losses...)
						l.carry(l.continues())
					} else {
						for j := range how.losses[:1] {
							how.losses[j].after -= first
						}
						l.carry(begins())
						l.carry(l.continues(), how.losses...)
					}
					c := l.testCase(t.Name())
					mu.Lock()
					defer mu.Unlock()
					cases = append(cases, c)
				})
			}
		}
	})
	if t.Failed() {
		return
	}
	report, err := judgeTakeovers(cases...)
	command.KeepOutput(t, report)
	if err != nil {
		t.Errorf("takeover.mjs: %v\n%s", err, report)
	}
	t.Logf("%s", report)
}

// A stream that is not as it must be is found out.
func TestTakeoverJudgeFindsFaults(t *testing.T) {
	suite.Full(t)
	command.NodeLane(t)
	l := newTakeovers(t)
	l.carry(begins(), loss{after: 30})
	sound := l.testCase("sound")
	if report, err := judgeTakeovers(sound); err != nil {
		t.Fatalf("%v\n%s", err, report)
	}
	without := func(kind protocol.EventType) []json.RawMessage {
		var events []json.RawMessage
		for _, e := range sound.Streams[0].Events {
			if decoded(t, e).Type() != kind {
				events = append(events, e)
			}
		}
		return events
	}
	for _, left := range []protocol.EventType{protocol.TypeRunStarted, protocol.TypeTextMessageEnd, protocol.TypeSubagentError,
		protocol.TypeStepFinished, protocol.TypeStateSnapshot, protocol.TypeMessagesSnapshot, protocol.TypeRunFinished} {
		broken := *sound
		broken.Streams = []takeoverStream{{"without " + string(left), without(left)}}
		if _, err := judgeTakeovers(&broken); err == nil {
			t.Errorf("a stream without %s passes", left)
		}
	}
}

// judgeTakeovers lets the real client judge. The error says that it is not
// content, or could not be asked.
func judgeTakeovers(cases ...*takeoverCase) (report []byte, err error) {
	var lines bytes.Buffer
	out := json.NewEncoder(&lines)
	for _, c := range cases {
		if err := out.Encode(c); err != nil {
			return nil, err
		}
	}
	cmd := exec.Command("node", "takeover.mjs")
	cmd.Stdin = &lines
	return cmd.CombinedOutput()
}

func begins() *protocol.RunAgentInput {
	return &protocol.RunAgentInput{RunID: "run-1", Messages: protocol.Messages{{ID: "hi", Role: protocol.RoleUser, Content: protocol.Text("hi")}}}
}

// continues answers the open interrupt.
func (l *takeovers) continues() *protocol.RunAgentInput {
	l.t.Helper()
	finished, ok := decoded(l.t, l.all.events[len(l.all.events)-1]).(*protocol.RunFinished)
	if !ok || finished.Outcome == nil || len(finished.Outcome.Interrupts) != 1 {
		l.t.Fatalf("the run did not ask: %s", l.all.events[len(l.all.events)-1])
	}
	return &protocol.RunAgentInput{RunID: "run-2", Resume: []protocol.ResumeEntry{
		{InterruptID: finished.Outcome.Interrupts[0].ID, Status: protocol.ResumeResolved, Payload: protocol.Any(`{"approved":true}`)}}}
}

// testCase is what clients were told that followed from the beginning, and that came
// when a worker had been lost.
func (l *takeovers) testCase(name string) *takeoverCase {
	l.t.Helper()
	log := l.all.events
	c := &takeoverCase{Name: strings.ReplaceAll(name, "_", " "), Want: picture(l.t, log)}
	add := func(name string, restated, events [][]byte) {
		s := takeoverStream{Name: name}
		for _, e := range append(restated[:len(restated):len(restated)], events...) {
			s.Events = append(s.Events, e)
		}
		c.Streams = append(c.Streams, s)
	}
	add("followed", l.all.restated, log)
	for i, f := range l.late {
		add(fmt.Sprintf("came when worker %d was lost", i+1), f.restated, log[f.cursor.Position().Seq:])
	}
	return c
}

// picture is what our fold makes of a log.
func picture(t *testing.T, log [][]byte) takeoverPicture {
	t.Helper()
	f := fold.New(nil, nil)
	for _, text := range log {
		if err := f.Apply(decoded(t, text)); err != nil {
			t.Fatalf("%v at %s", err, text)
		}
	}
	p := takeoverPicture{Messages: f.Messages(), State: f.State(), Interrupts: f.Interrupts()}
	if p.Interrupts == nil {
		p.Interrupts = []protocol.Interrupt{}
	}
	return p
}
