package conformance

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
)

// one is a case of two steps, for servers that answer anything.
func one(t *testing.T, steps string) []*Case {
	t.Helper()
	cases, err := Parse("test.txtar", []byte("-- g/c --\nrule: run-again\nlevel: MUST\nabout: x\n"+steps))
	if err != nil {
		t.Fatal(err)
	}
	return cases
}

// patience is for machines that do much else.
const patience = 30 * time.Second

// patiently tries with longer and longer timeouts, up to patience, until it is well. A
// case that waits for what does not come ends by its timeout: a short one is enough on
// a machine at rest.
func patiently(try func(timeout time.Duration) (well bool)) {
	for timeout := 200 * time.Millisecond; !try(timeout) && timeout < patience; timeout *= 4 {
	}
}

// broken are the rules that a run of the case found broken.
func broken(t *testing.T, target Target, cases []*Case) (rules []string, text string) {
	t.Helper()
	if target.Timeout == 0 {
		target.Timeout = patience
	}
	for _, r := range Run(t.Context(), target, cases, nil) {
		for _, v := range r.Violations {
			rules = append(rules, v.Rule)
			text += fmt.Sprintln(v.Rule, v.Message)
		}
		for _, f := range r.Frames {
			text += fmt.Sprintln(f.Client, f.Dir, f.Text)
		}
	}
	return rules, text
}

const whole = `{"type":"RUN_STARTED","threadId":"T","runId":"R"}|{"type":"TEXT_MESSAGE_START","messageId":"m"}|{"type":"TEXT_MESSAGE_END","messageId":"m"}|{"type":"RUN_FINISHED","threadId":"T","runId":"R"}`

// What is wrong with a stream is found whatever the case is about, and nothing is
// found in one that is right.
func TestEveryStreamIsJudged(t *testing.T) {
	for name, test := range map[string]struct {
		stream, rule string
	}{
		"right":            {whole, ""},
		"unknown member":   {strings.Replace(whole, `"messageId":"m"}|`, `"messageId":"m","x":1}|`, 1), ruleShape},
		"null":             {strings.Replace(whole, `"messageId":"m"}|`, `"messageId":"m","name":null}|`, 1), ruleShape},
		"missing member":   {strings.Replace(whole, `,"messageId":"m"}|`, `}|`, 1), ruleShape},
		"no JSON":          {strings.Replace(whole, `{"type":"TEXT_MESSAGE_END","messageId":"m"}`, `oops`, 1), ruleShape},
		"not closed":       {strings.Replace(whole, `{"type":"TEXT_MESSAGE_END","messageId":"m"}|`, ``, 1), ruleOrder},
		"other run":        {strings.Replace(whole, `"RUN_FINISHED","threadId":"T","runId":"R"`, `"RUN_FINISHED","threadId":"T","runId":"S"`, 1), ruleOrder},
		"ended twice":      {whole + `|{"type":"RUN_FINISHED","threadId":"T","runId":"R"}`, ruleOrder},
		"no beginning":     {strings.SplitN(whole, "|", 2)[1], ruleOrder},
		"no end":           {whole[:strings.LastIndex(whole, "|")], ruleEnd},
		"delta on nothing": {strings.Replace(whole, `|{"type":"TEXT_MESSAGE_START"`, `|{"type":"STATE_DELTA","delta":[{"op":"remove","path":"/a"}]}|{"type":"TEXT_MESSAGE_START"`, 1), ruleOrder},
	} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "text/event-stream")
				for event := range strings.SplitSeq(test.stream, "|") {
					fmt.Fprintf(w, "data: %s\n\n", event)
				}
			}))
			defer server.Close()
			rules, text := broken(t, Target{URL: server.URL, Over: SSE}, one(t, "A> run r1 say x\nA< ... *\n"))
			expectRule(t, rules, text, test.rule)
		})
	}
}

func TestFramingIsJudged(t *testing.T) {
	for name, test := range map[string]struct {
		kind, body, rule string
	}{
		"CR LF":        {"text/event-stream", strings.ReplaceAll("data: "+strings.ReplaceAll(whole, "|", "\n\ndata: ")+"\n\n", "\n", "\r\n"), ruleHTTP},
		"content type": {"application/json", "data: " + strings.ReplaceAll(whole, "|", "\n\ndata: ") + "\n\n", ruleHTTP},
		"cut off":      {"text/event-stream", "data: " + strings.ReplaceAll(whole, "|", "\n\ndata: "), ruleHTTP},
		"comments":     {"text/event-stream; charset=utf-8", ": hello\n\nretry: 5\ndata: " + strings.ReplaceAll(whole, "|", "\n\n:\n\ndata: ") + "\n\n", ""},
	} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", test.kind)
				fmt.Fprint(w, test.body)
			}))
			defer server.Close()
			rules, text := broken(t, Target{URL: server.URL, Over: SSE}, one(t, "A> run r1 say x\nA< ... *\n"))
			expectRule(t, rules, text, test.rule)
		})
	}
}

// A server of the binding that sends what the test wrote, ID being the frame's id.
func TestBindingIsJudged(t *testing.T) {
	const head = `{"type":"ws.run","threadId":"T","runId":"R","disposition":"started","id":"ID"}|{"type":"ws.stream","threadId":"T","epoch":"e","seq":0}|` + whole
	const pong = `{"type":"ws.pong","id":"PING","positions":{"T":4}}`
	for name, test := range map[string]struct {
		frames, pong, rule string
	}{
		"right":               {head, pong, ""},
		"positions disagree":  {head, strings.Replace(pong, "4", "5", 1), ruleCounting},
		"no ws.stream":        {strings.Replace(head, `{"type":"ws.stream","threadId":"T","epoch":"e","seq":0}|`, "", 1), pong, ruleCounting},
		"ws.stream jumps":     {head + `|{"type":"ws.stream","threadId":"T","epoch":"e","seq":7}`, strings.Replace(pong, "4", "7", 1), ruleCounting},
		"unknown frame":       {head + `|{"type":"ws.surprise"}`, pong, ruleFraming},
		"unknown disposition": {strings.Replace(head, `"started"`, `"perhaps"`, 1), pong, ruleFraming},
		"another run":         {strings.Replace(head, `"runId":"R","disposition"`, `"runId":"S","disposition"`, 1), pong, ruleFraming},
		"no object":           {head + `|[]`, pong, ruleFraming},
		"a second end":        {head + `|{"type":"RUN_FINISHED","threadId":"T","runId":"R"}`, strings.Replace(pong, "4", "5", 1), ruleOrder},
		"uncounted are due":   {head + `|{"type":"ws.stream","threadId":"T","epoch":"e","seq":4,"uncounted":2}`, pong, ruleCounting},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				answer(t, w, r, test.frames, test.pong)
			}))
			defer server.Close()
			target := Target{URL: "ws" + strings.TrimPrefix(server.URL, "http"), Over: Binding}
			input := one(t, `A> input r1 {"threadId":"T","runId":"R","messages":[]}`+"\nA< ... *\n")
			var rules []string
			var text string
			if name == "no ws.stream" || name == "unknown disposition" {
				patiently(func(timeout time.Duration) bool {
					target.Timeout = timeout
					rules, text = broken(t, target, input)
					return slices.Contains(rules, test.rule)
				})
			} else {
				rules, text = broken(t, target, input)
			}
			expectRule(t, rules, text, test.rule)
		})
	}
}

func TestHandshakeIsJudged(t *testing.T) {
	for name, selected := range map[string][]string{"none": nil, "another": {"chat"}} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if ws, err := websocket.Accept(w, r, &websocket.AcceptOptions{Subprotocols: selected}); err == nil {
				defer ws.CloseNow()
				_, _, _ = ws.Read(r.Context())
			}
		}))
		var rules []string
		var text string
		patiently(func(timeout time.Duration) bool {
			target := Target{URL: "ws" + strings.TrimPrefix(server.URL, "http"), Over: Binding, Timeout: timeout}
			rules, text = broken(t, target, one(t, `A> open {"subprotocols":["agui.v1.json","chat"]}`+"\nA<< ws.hello\n"))
			return slices.Contains(rules, ruleHandshake)
		})
		server.Close()
		t.Logf("selecting %s", name)
		expectRule(t, rules, text, ruleHandshake)
	}
}

func answer(t *testing.T, w http.ResponseWriter, r *http.Request, frames, pong string) {
	ws, err := websocket.Accept(w, r, &websocket.AcceptOptions{Subprotocols: []string{subprotocol}})
	if err != nil {
		t.Error(err)
		return
	}
	defer ws.CloseNow()
	send := func(frames string) bool {
		for frame := range strings.SplitSeq(frames, "|") {
			if ws.Write(context.Background(), websocket.MessageText, []byte(frame)) != nil {
				return false
			}
		}
		return true
	}
	if !send(`{"type":"ws.hello","binding":"agui.v1","heartbeatMs":1000,"maxFrameBytes":1000,"durable":false,"capabilities":{}}`) {
		return
	}
	for _, reply := range []string{frames, pong} {
		_, data, err := ws.Read(r.Context())
		if err != nil {
			return
		}
		value, err := decode(data)
		if err != nil {
			t.Error(err)
			return
		}
		id, _ := value.(map[string]any)["id"].(string)
		if !send(strings.NewReplacer(`"ID"`, `"`+id+`"`, `"PING"`, `"`+id+`"`).Replace(reply)) {
			return
		}
	}
	_, _, _ = ws.Read(r.Context()) // until the client goes
}

func expectRule(t *testing.T, rules []string, text, want string) {
	t.Helper()
	if want == "" {
		if len(rules) > 0 {
			t.Errorf("found wrong:\n%s", text)
		}
		return
	}
	if !slices.Contains(rules, want) {
		t.Errorf("expected %s, found %v\n%s", want, rules, text)
	}
}

// Where no rule has an order, a case has none.
func TestSnapshotsInEitherOrder(t *testing.T) {
	cases, err := Cases()
	if err != nil {
		t.Fatal(err)
	}
	if cases, err = Select(cases, []string{"state/boundary-snapshots"}, nil); err != nil || len(cases) != 1 {
		t.Fatalf("%d cases: %v", len(cases), err)
	}
	const state, messages, asks = `{"type":"STATE_SNAPSHOT","snapshot":{}}`, `{"type":"MESSAGES_SNAPSHOT","messages":[]}`,
		`{"type":"RUN_FINISHED","threadId":"T","runId":"R","outcome":{"type":"interrupt","interrupts":[{"id":"i","reason":"confirmation"}]}}`
	for name, test := range map[string]struct {
		events []string
		rule   string
	}{
		"state first":    {[]string{begun, state, messages, asks}, ""},
		"messages first": {[]string{begun, messages, state, asks}, ""},
		"no state":       {[]string{begun, messages, asks}, "boundary-snapshots"},
		"no messages":    {[]string{begun, state, asks}, "boundary-snapshots"},
	} {
		server := httptest.NewServer(says(test.events...))
		rules, text := broken(t, Target{URL: server.URL, Over: SSE}, cases)
		server.Close()
		t.Log(name)
		expectRule(t, rules, text, test.rule)
	}
}

// What a server does not offer is skipped, with a reason, and never passes.
func TestSkippedIsNotPassed(t *testing.T) {
	cases := one(t, "A> run r1 form\nA< RUN_STARTED\n")
	target := Target{URL: "http://127.0.0.1:1", Over: SSE, Profile: &Profile{Lacks: []string{"form"}}}
	results := Run(t.Context(), target, cases, nil)
	report := Report{Results: results}
	if len(results) != 1 || results[0].Status != Skipped || results[0].Reason == "" || report.Counts() != (Counts{Skipped: 1}) {
		t.Errorf("got %+v", results)
	}
}

// A server that is not there fails every case, and soon.
func TestNobodyThere(t *testing.T) {
	for _, over := range []string{SSE, Binding, Plain, CopilotKit} {
		scheme := map[bool]string{true: "ws", false: "http"}[over == Binding || over == Plain]
		rules, text := broken(t, Target{URL: scheme + "://127.0.0.1:1", Over: over}, one(t, "A> run r1 say x\nA< RUN_STARTED\n"))
		if len(rules) == 0 {
			t.Errorf("over %s it passes\n%s", over, text)
		}
	}
}

func TestReadProfile(t *testing.T) {
	p, err := ReadProfile([]byte(`{"name":"n","commands":{"say":"repeat: {}","fail":null},"lacks":["queue"]}`))
	if err != nil {
		t.Fatal(err)
	}
	if got := p.say("say", "hello"); got != "repeat: hello" {
		t.Errorf("said %q", got)
	}
	if got := p.say("confirm", "go?"); got != "/confirm go?" {
		t.Errorf("said %q", got)
	}
	for need, want := range map[string]bool{"/say": true, "/fail": false, "queue": false, "/confirm": true, "history": true} {
		if p.offers(need) != want {
			t.Errorf("offers %s: %v", need, !want)
		}
	}
	if only := (&Profile{Offers: []string{"say", "queue"}}); only.offers("/form") || only.offers("cancel") || !only.offers("/say") || !only.offers("queue") {
		t.Error("offers is not all that there is")
	}
	for _, bad := range []string{`{`, `{"commands":{"dance":"x"}}`, `{"lacks":["wings"]}`, `{"colour":"red"}`} {
		if _, err := ReadProfile([]byte(bad)); err == nil {
			t.Errorf("%s is accepted", bad)
		}
	}
}
