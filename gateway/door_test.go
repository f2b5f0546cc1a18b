package gateway_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/runner"
	"github.com/aguiws/aguiws/gateway"
	"github.com/aguiws/aguiws/protocol"
	"github.com/aguiws/aguiws/redisstore"
	"github.com/aguiws/aguiws/server"
)

// door is a server before an agent that says what scripts say.
type door struct {
	url     string
	threads atomic.Int64
	scripts sync.Map // by the thread, as forwardedProps name it: *performance
}

// performance is a script that is played, and what was asked for it.
type performance struct {
	turns []*spoken
	mu    sync.Mutex
	over  bool // it says nothing any more
	took  []*protocol.RunAgentInput
}

func (p *performance) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.over = true
}

func newDoor(t testing.TB) *door {
	d := &door{}
	quiet := slog.New(slog.DiscardHandler)
	far := httptest.NewServer(http.HandlerFunc(d.play))
	t.Cleanup(far.Close)
	up, err := gateway.New(far.URL, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { up.Close(context.Background()) })
	store, err := redisstore.Embedded(&redisstore.Options{Logger: quiet})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	runs, err := runner.New(store, &runner.Options{Agents: map[string]adapter.Agent{"": up}, Logger: quiet, MaxInputs: -1, MaxRunsPerUser: -1, MaxThreadsPerUser: -1})
	if err != nil {
		t.Fatal(err)
	}
	s, err := server.New(runs, &server.Options{Logger: quiet})
	if err != nil {
		t.Fatal(err)
	}
	near := httptest.NewServer(s.Handler())
	t.Cleanup(func() {
		s.Shutdown(context.Background())
		near.Close()
	})
	d.url = near.URL
	return d
}

// play answers as the agent.
func (d *door) play(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	in, err := protocol.DecodeInput(body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	var props struct{ Script string }
	_ = json.Unmarshal(in.ForwardedProps, &props)
	found, ok := d.scripts.Load(props.Script)
	if !ok {
		http.NotFound(w, r)
		return
	}
	p := found.(*performance)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.took = append(p.took, in)
	events := []string{`{"type":"RUN_STARTED","threadId":"THREAD","runId":"RUN"}`, `{"type":"RUN_FINISHED","threadId":"THREAD","runId":"RUN"}`}
	if n := len(p.took); n <= len(p.turns) && !p.over {
		events = p.turns[n-1].events
	}
	sent, _ := json.Marshal(in.Messages)
	fill := strings.NewReplacer(`"THREAD"`, quoted(in.ThreadID), `"RUN"`, quoted(in.RunID), "SENT", string(sent[1:len(sent)-1]))
	w.Header().Set("Content-Type", "text/event-stream")
	for _, e := range events {
		fmt.Fprintf(w, "data: %s\n\n", fill.Replace(e))
	}
}

func quoted(s string) string {
	text, _ := json.Marshal(s)
	return string(text)
}

// plays holds what an agent's turns make of the door.
func (d *door) plays(t testing.TB, turns []*spoken) {
	t.Helper()
	c := d.visit(t, turns)
	defer c.leave()
	var told []said
	restated := false
	for _, spoken := range turns {
		end := c.turn()
		c.agrees()
		finished, ok := end.(*protocol.RunFinished)
		if !ok {
			break
		}
		if told = append(told, spoken.says...); spoken.whole {
			told = nil
		}
		c.keeps(told)
		restated = restated || spoken.whole
		c.asks(spoken.about, restated, finished)
	}
	c.p.end()
	for len(c.open) > 0 {
		c.turn()
	}
	before := c.messages
	c.turn()
	c.agrees()
	c.sends(before, told)
}

// doorSeeds are scripts that have come to harm: a snapshot has put an older call, or none,
// in the place of the one that is asked about, and a call that was held back came behind it.
var doorSeeds = []string{
	//
}

// Whatever ids, texts and values an agent uses, everybody is told the same conversation, and
// the agent its own; and who repeats what it was told can go on.
func FuzzDoor(f *testing.F) {
	d := newDoor(f)
	for _, seed := range doorSeeds {
		f.Add([]byte(seed))
	}
	r, seeds := rand.New(rand.NewPCG(1, 2)), 200
	if testing.Short() {
		seeds = 20
	}
	for range seeds {
		seed := make([]byte, 8+r.IntN(100))
		for i := range seed {
			seed[i] = byte(r.Uint32())
		}
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, data []byte) { d.plays(t, scriptOf(data[:min(len(data), 256)]).turns) })
}

// What models and servers do with ids, one by one.
func TestDoor(t *testing.T) {
	d := newDoor(t)
	long := strings.Repeat("x", 3000)
	pay := func(n int) []string { return call("pay:0", "pay", n) }
	reason := []string{`{"type":"REASONING_MESSAGE_START","messageId":"a","role":"reasoning"}`, `{"type":"REASONING_MESSAGE_CONTENT","messageId":"a","delta":"<1>"}`, `{"type":"REASONING_MESSAGE_END","messageId":"a"}`}
	plan := []string{`{"type":"ACTIVITY_SNAPSHOT","messageId":"a","activityType":"plan","content":{}}`}
	of := func(role protocol.Role, n int, own string) said { return said{number: n, role: role, own: own} }
	for name, turns := range map[string][]*spoken{
		"a call's id in each turn": {
			turnOf(asking("pay:0", 1), []said{of("", 1, "pay:0")}, pay(1)), turnOf(nil, nil, result("pay:0", "r1", 2)),
			turnOf(asking("pay:0", 3), []said{of("", 3, "pay:0")}, pay(3)), turnOf(nil, nil, result("pay:0", "r2", 4)),
		},
		"the same call in each turn": {
			turnOf(nil, []said{of("", 1, "pay:0")}, pay(1), result("pay:0", "r", 2)),
			turnOf(asking("pay:0", 1), []said{of("", 1, "pay:0")}, pay(1)),
		},
		"another tool": {
			turnOf(nil, []said{of("", 1, "pay:0")}, call("pay:0", "read_file", 1), result("pay:0", "r", 2)),
			turnOf(asking("pay:0", 3), []said{of("", 3, "pay:0")}, call("pay:0", "delete_file", 3)),
		},
		"a long id of a call": {
			turnOf(asking(long, 1), []said{of("", 1, long)}, call(long, "pay", 1)), turnOf(nil, nil, result(long, "r1", 2)),
			turnOf(asking(long, 3), []said{of("", 3, long)}, call(long, "pay", 3)),
		},
		"reasoning, then text":        {turnOf(nil, []said{of(protocol.RoleReasoning, 1, "a"), of(protocol.RoleAssistant, 2, "a")}, reason, text("a", 2))},
		"text, then reasoning":        {turnOf(nil, []said{of(protocol.RoleReasoning, 1, "a"), of(protocol.RoleAssistant, 2, "a")}, text("a", 2), reason)},
		"text, then an activity":      {turnOf(nil, []said{of(protocol.RoleAssistant, 2, "a")}, text("a", 2), plan)},
		"an activity, then text":      {turnOf(nil, []said{of(protocol.RoleAssistant, 2, "a")}, plan, text("a", 2))},
		"text, then a call":           {turnOf(nil, []said{of(protocol.RoleAssistant, 2, "a"), of("", 3, "a")}, text("a", 2), call("a", "f", 3), result("a", "a", 4))},
		"text under the user's id":    {turnOf(nil, []said{of(protocol.RoleAssistant, 2, "say-0")}, text("say-0", 2))},
		"one id of text in each turn": {turnOf(nil, []said{of(protocol.RoleAssistant, 1, "a")}, text("a", 1)), turnOf(nil, []said{of(protocol.RoleAssistant, 2, "a")}, text("a", 2))},
		"no ids":                      {turnOf(nil, []said{of(protocol.RoleAssistant, 1, ""), of("", 2, "")}, text("", 1), call("", "f", 2), result("", "", 3))},
		"a snapshot of one id": {turnOf(nil, []said{of(protocol.RoleReasoning, 1, "a"), of(protocol.RoleAssistant, 2, "a"), of("", 3, "k")}, []string{
			`{"type":"MESSAGES_SNAPSHOT","messages":[SENT,{"id":"a","role":"reasoning","content":"<1>"},{"id":"a","role":"assistant","content":"<2>"},` +
				`{"id":"a","role":"assistant","toolCalls":[{"id":"k","type":"function","function":{"name":"f","arguments":"<3>"}}]},{"id":"r","role":"tool","toolCallId":"k","content":"<4>"}]}`,
		})},
	} {
		t.Run(name, func(t *testing.T) { d.plays(t, turns) })
	}
}
