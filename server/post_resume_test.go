package server

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/aguiws/aguiws/adapter/follow"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
	"github.com/aguiws/aguiws/protocol/order"
	"github.com/aguiws/aguiws/server/identity"
)

// An input that is sent again by who says where it stopped is answered from there on,
// where the log can tell it, and else by the run restated.
func TestPostGoesOn(t *testing.T) {
	const restated = `{"type":"RUN_STARTED","threadId":"t","runId":"again","metadata":{"aguiws":{"restated":true}}}`
	// The log: 1 and 2 are another run's, 3 to 6 the run's.
	rest := []string{runStarted("t", "again"), custom("1"), custom("2"), runFinished("t", "again")}
	for name, c := range map[string]struct {
		after     string
		begins    int64
		retained  int64
		told      string // of Aguiws-Recovered
		wants     []string
		restated  bool
		running   bool // the run goes on
		path      string
		noReading bool
	}{
		"in its midst":                 {after: "e1:4", begins: 3, told: "true", wants: rest[2:]},
		"as it began":                  {after: "e1:3", begins: 3, told: "true", wants: rest[1:]},
		"before it":                    {after: "e1:2", begins: 3, told: "true", wants: rest},
		"long before it":               {after: "e1:0", begins: 3, told: "true", wants: rest},
		"at its end":                   {after: "e1:6", begins: 3, told: "true"},
		"in its midst, live":           {after: "e1:4", begins: 3, told: "true", wants: rest[2:], running: true},
		"where it has come to":         {after: "e1:5", begins: 3, told: "true", wants: rest[3:], running: true},
		"ahead":                        {after: "e1:7", begins: 3, told: "false", restated: true},
		"another epoch":                {after: "e0:4", begins: 3, told: "false", restated: true},
		"trimmed":                      {after: "e1:3", begins: 3, retained: 5, told: "false", restated: true},
		"just retained":                {after: "e1:4", begins: 3, retained: 5, told: "true", wants: rest[2:]},
		"answered by another run":      {after: "e1:4", told: "false", restated: true},
		"somebody else's id":           {after: "7", begins: 3, told: "false", restated: true},
		"not said":                     {begins: 3, restated: true},
		"of who may not read":          {after: "e1:4", begins: 3, told: "true", wants: rest[2:], noReading: true},
		"to a named agent":             {after: "e1:4", begins: 3, told: "true", wants: rest[2:], path: "/agui/other"},
		"by CopilotKit's route":        {after: "e1:4", begins: 3, told: "true", wants: rest[2:], path: "/copilotkit/agent/other/run"},
		"by CopilotKit's, restated":    {after: "e9:4", begins: 3, told: "false", restated: true, path: "/copilotkit/agent/other/run"},
		"by CopilotKit's, not said":    {begins: 3, restated: true, path: "/copilotkit/agent/other/run"},
		"before it, and all was taken": {after: "e1:0", begins: 3, retained: 3, told: "true", wants: rest},
	} {
		t.Run(name, func(t *testing.T) {
			b := newFake()
			log := []string{runStarted("t", "before"), runFinished("t", "before"), runStarted("t", "r"), custom("1"), custom("2"), runFinished("t", "r")}
			status := store.RunEnded
			if c.running {
				log, status = log[:5], store.RunActive
			}
			b.log(localThread, log...)
			admitted := repeats("r")
			admitted.User = "/u"
			b.submit = answering(admitted)
			b.repeat = func(_ store.ThreadKey, _, label string) (follow.Repeated, error) {
				rep := follow.Repeated{Status: status, Events: [][]byte{[]byte(restated)}, Whole: true, Begins: c.begins, Retained: max(c.retained, 1)}
				if status == store.RunEnded {
					rep.Events = append(rep.Events, []byte(runFinished("t", label)))
				}
				return rep, nil
			}
			opts, header := &Options{Agents: []string{"other"}}, []string{"Last-Event-ID", c.after}
			if c.noReading {
				opts.Auth = byToken{"runs": {User: "u", Namespace: "local", Scopes: []string{identity.ScopeRun}}}
				header = append(header, "Authorization", "Bearer runs")
			}
			path := c.path
			if path == "" {
				path = "/agui"
			}
			ts := newTestServer(t, b, opts)
			s := ts.ask(http.MethodPost, path, input("t", "again"), header...).opened()
			if told := s.resp.Header.Get("Aguiws-Recovered"); told != c.told {
				t.Errorf("Aguiws-Recovered is %q, want %q", told, c.told)
			}
			if c.running {
				b.log(localThread, runFinished("t", "r"), runStarted("t", "next"), custom("not mine"))
			}
			if c.restated {
				s.wants(restated, runFinished("t", "again"))
			}
			for i, want := range c.wants {
				e, _ := s.next()
				if id := fmt.Sprintf("e1:%d", 7-len(c.wants)+i); e.id != id || !sameJSON(t, []byte(e.data), []byte(want)) {
					t.Errorf("got %+v, want %s with id %s", e, want, id)
				}
			}
			s.ends()
			ts.idle(b)
		})
	}
}

// Where a client stopped says nothing of an input that begins a run, waits, or is
// refused.
func TestPostGoesOnWithNothing(t *testing.T) {
	b := newFake()
	ts := newTestServer(t, b, nil)
	post := func() *sseStream { return ts.post(input("t", "r"), "Last-Event-ID", "e1:0") }
	b.log(localThread, custom("before"))
	s := post()
	s.wants(runStarted("t", "r"))
	b.log(localThread, runFinished("t", "r"))
	s.wants(runFinished("t", "r"))
	s.ends()
	b.set(func() { b.submit = refusedWith("thread_busy") })
	refused := post()
	refused.fails("thread_busy")
	waiting := newQueueing()
	queued := newTestServer(t, waiting, nil)
	waits := queued.post(input("t", "r"), "Last-Event-ID", "e1:0") // answers before the run begins
	for _, s := range []*sseStream{s, refused, waits} {
		if told, there := s.resp.Header["Aguiws-Recovered"]; there {
			t.Errorf("Aguiws-Recovered is %q", told)
		}
	}
}

// What ends a run that had asked is what is open now, under the id of its end in the log.
func TestPostGoesOnToTheEndThatHoldsNow(t *testing.T) {
	const asked = `{"type":"RUN_FINISHED","threadId":"t","runId":"r","outcome":{"type":"interrupt","interrupts":[{"id":"a","reason":"x"},{"id":"b","reason":"x"}]}}`
	const open = `{"type":"RUN_FINISHED","threadId":"t","runId":"r","outcome":{"type":"interrupt","interrupts":[{"id":"b","reason":"x"}]}}`
	b := newFake()
	b.log(localThread, runStarted("t", "r"), custom("1"), asked)
	b.submit = answering(repeats("r"))
	b.repeat = func(store.ThreadKey, string, string) (follow.Repeated, error) {
		return follow.Repeated{Status: store.RunEnded, Events: [][]byte{[]byte(runStarted("t", "r")), []byte(open)}, Whole: true, Begins: 1, Retained: 1}, nil
	}
	s := newTestServer(t, b, nil).post(input("t", "r"), "Last-Event-ID", "e1:1")
	s.wants(custom("1"))
	if e, _ := s.next(); e.id != "e1:3" || !sameJSON(t, []byte(e.data), []byte(open)) {
		t.Errorf("it ends with %+v", e)
	}
	s.ends()
}

// A client that is cut off at any event of its run, and comes back with the id of the
// last, has read the run as one that was never cut off: in mid-run and after its end,
// in the version that it speaks.
func TestEndToEndPostGoesOn(t *testing.T) {
	ts, p := paced(t)
	body := says("r1", slow)
	first := ts.post(body)
	p.more(3)
	var seen []sseEvent
	take := func(s *sseStream, n int) {
		t.Helper()
		for range n {
			e, ok := s.next()
			if !ok {
				t.Fatal("it ended")
			}
			seen = append(seen, e)
		}
	}
	take(first, 5)
	for range 3 {
		first.cancel()
		first = ts.post(body, "Last-Event-ID", seen[len(seen)-1].id)
		if told := first.resp.Header.Get("Aguiws-Recovered"); told != "true" {
			t.Fatalf("Aguiws-Recovered is %q", told)
		}
		p.more(1)
		take(first, 1)
	}
	p.rest()
	for {
		e, ok := first.next()
		if !ok {
			break
		}
		seen = append(seen, e)
	}
	sequence, text := &order.Sequence{}, ""
	for i, got := range seen {
		e, err := protocol.Decode([]byte(got.data))
		if err == nil {
			err = sequence.Check(e)
		}
		if want := fmt.Sprintf(":%d", i+1); err != nil || !strings.HasSuffix(got.id, want) {
			t.Fatalf("event %d is %+v: %v", i+1, got, err)
		}
		if piece, ok := e.(*protocol.TextMessageContent); ok {
			text += piece.Delta
		}
	}
	if text != counted(40) {
		t.Errorf("the text is %q", text)
	}
	for i := range seen {
		again := ts.post(body, "Last-Event-ID", seen[i].id)
		for _, want := range seen[i+1:] {
			if got, _ := again.next(); got != want {
				t.Fatalf("after %s comes %+v, want %+v", seen[i].id, got, want)
			}
		}
		again.ends()
	}
	// Another run begins: the thread is told, so that what lies between is not missed.
	if types, last := ts.post(says("r2", "/say more")).rest(); last["type"] != "RUN_FINISHED" {
		t.Fatalf("got %v", types)
	}
	late := ts.post(body, "Last-Event-ID", seen[6].id)
	types, last := late.rest()
	if told := late.resp.Header.Get("Aguiws-Recovered"); told != "false" || types[2] != "MESSAGES_SNAPSHOT" || last["runId"] != "r1" {
		t.Errorf("Aguiws-Recovered is %q, got %v, %v", told, types, last)
	}
}
