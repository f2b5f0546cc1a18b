package gateway

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/admission"
	"github.com/aguiws/aguiws/adapter/runner"
	"github.com/aguiws/aguiws/protocol"
)

// An agent that would ask again and leave the message aside is refused first, until it asks
// no more. What it says to that is told nobody.
func TestTurningAwayFromOneThatInsists(t *testing.T) {
	question := func(id string) string {
		return fmt.Sprintf(`{"type":"CUSTOM","name":"on_interrupt","value":"?","rawEvent":{"id":%q}}`, id)
	}
	says := func(id, text string) []string {
		return []string{
			fmt.Sprintf(`{"type":"TEXT_MESSAGE_START","messageId":%q,"role":"assistant"}`, id),
			fmt.Sprintf(`{"type":"TEXT_MESSAGE_CONTENT","messageId":%q,"delta":%q}`, id, text),
			fmt.Sprintf(`{"type":"TEXT_MESSAGE_END","messageId":%q}`, id),
		}
	}
	run := func(events ...string) turn { return sends(append([]string{began}, events...)...) }
	reply := run(append(says("b", "and on"), done)...)
	for name, test := range map[string]struct {
		asks []string // what ends the first run
		then []turn   // what answers the requests behind it
		sent string   // the commands of those, in order; "-" for none
		ends string   // the code of the run's error
	}{
		"one":                 {[]string{question("i1"), done}, []turn{run(append(says("a", "Not sent."), done)...), reply}, "false -", ""},
		"two":                 {[]string{question("i1"), question("i2"), done}, []turn{run(done), reply}, `{"i1":false,"i2":false} -`, ""},
		"told by the outcome": {[]string{asks(`{"id":"i1","reason":"langgraph:interrupt","message":"?"}`)}, []turn{run(done), reply}, "false -", ""},
		"another behind it":   {[]string{question("i1"), done}, []turn{run(question("i2"), done), run(done), reply}, "false false -", ""},
		"an error":            {[]string{question("i1"), done}, []turn{run(`{"type":"RUN_ERROR","message":"x"}`), reply}, "false -", ""},
		"an error later":      {[]string{question("i1"), done}, []turn{run(append(says("a", "Not sent."), `{"type":"RUN_ERROR","message":"x"}`)...), reply}, "false -", ""},
		"it refuses":          {[]string{question("i1"), done}, []turn{status(500)}, "false", CodeFailed},
		"it breaks off later": {[]string{question("i1"), done}, []turn{run(says("a", "Not")...)}, "false", CodeTruncated},
		"it breaks off":       {[]string{question("i1"), done}, []turn{run()}, "false", CodeTruncated},
	} {
		t.Run(name, func(t *testing.T) {
			for _, options := range []Options{{History: HistoryWhole}, {History: HistoryNew}, {AskLost: true}} {
				options.Dialect, options.Concurrency = DialectLangGraph, 1
				l := newLab(t, &options, run(test.asks...))
				var left []protocol.ResumeEntry
				for _, i := range interrupted(t, l.say("go")) {
					left = append(left, cancelled(i.ID))
				}
				l.peer.next(test.then...)
				in := user("something else")
				in.Resume = left
				l.submit(in)
				end := l.untilEnd()
				if test.ends != "" {
					failedWith(t, end, test.ends)
				} else if succeeded(t, end); l.said() != "and on" {
					t.Errorf("told %q", l.said())
				}
				l.wellFormed()
				var sent []string
				runs := l.peer.runs()
				ids := map[string]bool{runs[0].in.RunID: true}
				for _, r := range runs[1:] {
					if strings.Contains(string(r.body), `"command"`) {
						sent = append(sent, saidIn(t, r.in))
					} else {
						sent = append(sent, "-")
					}
					if ids[r.in.RunID] || r.in.Resume != nil {
						t.Errorf("sent %s", r.body)
					}
					ids[r.in.RunID] = true
				}
				if got := strings.Join(sent, " "); got != test.sent {
					t.Errorf("sent %s", got)
				}
				if last := runs[len(runs)-1].in.Messages; test.ends == "" && last[len(last)-1].ID != "m-something else" {
					t.Errorf("the message is not among %s", rolesOf(last))
				}
				waits(t, func() bool { return l.up.Status().InFlight == 0 })
			}
		})
	}
}

// One that asks whenever it is refused is heard in the end.
func TestOneThatAlwaysAsks(t *testing.T) {
	n := 0
	always := func() string {
		n++
		return fmt.Sprintf(`{"type":"CUSTOM","name":"on_interrupt","value":"?","rawEvent":{"id":"i%d"}}`, n)
	}
	var turns []turn
	for range 20 {
		turns = append(turns, sends(began, always(), done))
	}
	l := newLab(t, &Options{Dialect: DialectLangGraph}, turns...)
	in := user("something else")
	in.Resume = []protocol.ResumeEntry{cancelled(interrupted(t, l.say("go"))[0].ID)}
	l.submit(in)
	interrupted(t, l.untilEnd())
	if sent := len(l.peer.runs()); sent != 1+maxRefused+1 {
		t.Errorf("%d requests", sent)
	}
}

// With the next message an agent is told of questions whose time was over, and which it was
// not asked to go on after.
func TestExpiredUnderFail(t *testing.T) {
	for dialect, want := range map[Dialect]string{
		DialectPlain:     `[{"interruptId":"up-9","status":"cancelled"}]`,
		DialectTanStack:  `[{"interruptId":"up-9","status":"cancelled"}]`,
		DialectLangGraph: `false`,
	} {
		t.Run(string(dialect), func(t *testing.T) {
			question := `{"id":"up-9","reason":"x:confirmation","expiresAt":"` + time.Now().Add(time.Minute).UTC().Format(time.RFC3339) + `","metadata":{"aguiws":{"onExpiry":"fail"}}}`
			l := newLab(t, &Options{Dialect: dialect, OwnMetadata: true}, sends(began, asks(question)), sends(began, done))
			interrupted(t, l.say("go"))
			l.ahead.Add(int64(2 * time.Minute))
			failedWith(t, l.untilEnd(), adapter.CodeExpired)
			succeeded(t, l.say("more"))
			if got := saidIn(t, l.peer.runs()[1].in); got != want {
				t.Errorf("sent %s", got)
			}
			before := len(l.peer.runs())
			succeeded(t, l.say("and more"))
			if runs := l.peer.runs(); len(runs) != before+1 || runs[before].in.Resume != nil || strings.Contains(string(runs[before].body), "command") {
				t.Errorf("sent %s", runs[before].body)
			}
		})
	}
}

// An agent that has closed by itself what expired refuses to hear of it, and gets the
// message without.
func TestExpiredThereToo(t *testing.T) {
	for name, test := range map[string]struct {
		refuses  turn
		requests int // with the message
		code     string
	}{
		"by a code":         {sends(began, `{"type":"RUN_ERROR","code":"interrupt_unknown","message":"x"}`), 2, ""},
		"without a start":   {sends(`{"type":"RUN_ERROR","code":"interrupt_conflict","message":"x"}`), 2, ""},
		"by a status":       {status(409), 2, ""},
		"for no such cause": {sends(began, `{"type":"RUN_ERROR","code":"model","message":"x"}`), 1, "model"},
		"after it has begun": {sends(began, `{"type":"CUSTOM","name":"n","value":1}`,
			`{"type":"RUN_ERROR","code":"interrupt_unknown","message":"x"}`), 1, "interrupt_unknown"},
	} {
		t.Run(name, func(t *testing.T) {
			question := `{"id":"up-9","reason":"x:confirmation","expiresAt":"` + time.Now().Add(time.Minute).UTC().Format(time.RFC3339) + `","metadata":{"aguiws":{"onExpiry":"fail"}}}`
			l := newLab(t, &Options{OwnMetadata: true, Concurrency: 1}, sends(began, asks(question)), test.refuses, sends(began, done))
			interrupted(t, l.say("go"))
			l.ahead.Add(int64(2 * time.Minute))
			failedWith(t, l.untilEnd(), adapter.CodeExpired)
			if end := l.say("more"); test.code == "" {
				succeeded(t, end)
			} else {
				failedWith(t, end, test.code)
			}
			runs := l.peer.runs()[1:]
			if len(runs) != test.requests || runs[0].in.Resume == nil || len(runs) > 1 && runs[1].in.Resume != nil {
				t.Errorf("%d requests: %s", len(runs), runs[len(runs)-1].body)
			}
			waits(t, func() bool { return l.up.Status().InFlight == 0 })
		})
	}
}

// What one agent of a thread has asked is none of another's business.
func TestTurningAwayToAnotherAgent(t *testing.T) {
	for _, dialect := range []Dialect{DialectPlain, DialectLangGraph} {
		t.Run(string(dialect), func(t *testing.T) {
			l := newLab(t, nil, sends(began, asks(confirm)), sends(began, done))
			other := newLab(t, &Options{Name: "other", Dialect: dialect}, sends(began, done))
			l.runner = l.start(l.store, func(o *runner.Options) { o.Agents = map[string]adapter.Agent{"": l.up, "other": other.up} })
			l.follow()
			in := user("something else")
			in.Resume = []protocol.ResumeEntry{cancelled(interrupted(t, l.say("go"))[0].ID)}
			in.ThreadID, in.RunID = l.key.Thread, "else"
			if _, err := l.runner.Submit(l.ctx(), admission.Input{Namespace: l.key.Namespace, Run: in, Agent: "other"}); err != nil {
				t.Fatal(err)
			}
			succeeded(t, l.untilEnd())
			if runs := other.peer.runs(); len(runs) != 1 || runs[0].in.Resume != nil || strings.Contains(string(runs[0].body), "command") {
				t.Errorf("%d requests: %s", len(runs), runs[0].body)
			}
			if n := len(l.peer.runs()); n != 1 {
				t.Errorf("%d requests to who asked", n)
			}
		})
	}
}

// What refusals cost is told by the run they are made for.
func TestUsageOfRefusals(t *testing.T) {
	finished := func(n int) string {
		return strings.TrimSuffix(done, "}") + fmt.Sprintf(`,"usage":[{"model":"m","inputTokens":%d}]}`, n)
	}
	question := func(id string) string {
		return fmt.Sprintf(`{"type":"CUSTOM","name":"on_interrupt","value":"?","rawEvent":{"id":%q}}`, id)
	}
	l := newLab(t, &Options{Dialect: DialectLangGraph}, sends(began, question("i1"), done),
		sends(began, question("i2"), finished(1)), sends(began, finished(10)), sends(began, finished(100)))
	in := user("something else")
	in.Resume = []protocol.ResumeEntry{cancelled(interrupted(t, l.say("go"))[0].ID)}
	l.submit(in)
	succeeded(t, l.untilEnd())
	if text := string(l.texts[len(l.texts)-1]); !strings.Contains(text, `"usage":[{"model":"m","inputTokens":111}]`) {
		t.Errorf("told %s", text)
	}
}
