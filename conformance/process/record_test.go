package process

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aguiws/aguiws/conformance/internal/command"
	"github.com/aguiws/aguiws/conformance/internal/wire"
	"github.com/aguiws/aguiws/internal/suite"
	"github.com/aguiws/aguiws/redisstore/redistest"
)

// twoPeople share the threads of a team, and bob is told of all of them.
const (
	ann       = "0123456789abcdef-ann"
	bob       = "0123456789abcdef-bob"
	twoPeople = `[{token: ` + ann + `, tenant: acme, user: ann, namespace: team, scopes: [read, run]},
{token: ` + bob + `, tenant: acme, user: bob, namespace: team, scopes: [read, run, approver]}]`
)

// api asks the control API, again while nobody is there, until the answer is as it must
// be, and reads it.
func api(t *testing.T, server *command.Server, token, method, path, body string, answer any, done func() bool) {
	t.Helper()
	poll := time.NewTicker(20 * time.Millisecond)
	defer poll.Stop()
	deadline, last := time.After(wire.Patience), ""
	for {
		if status, text, err := ask(server, token, method, path, body); err != nil {
			last = err.Error()
		} else if last = fmt.Sprint(status, " ", text); status/100 == 2 {
			if err := json.Unmarshal([]byte(text), answer); err != nil {
				t.Fatalf("%s %s: %v: %s", method, path, err, text)
			}
			if done() {
				return
			}
		}
		select {
		case <-poll.C:
		case <-deadline:
			t.Fatalf("%s %s: not what it must be, at last %s", method, path, last)
		}
	}
}

func ask(server *command.Server, token, method, path, body string) (int, string, error) {
	r, err := http.NewRequest(method, server.URL()+"/v1"+path, strings.NewReader(body))
	if err != nil {
		return 0, "", err
	}
	r.Header.Set("Authorization", "Bearer "+token)
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	r.Close = true // it does not outlive its server
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0, "", err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	return answer.StatusCode, string(text), err
}

// notice and decision are what the control API tells, as far as a reader of the story
// needs it.
type notice struct {
	ID, Kind, ThreadID, Namespace, Run, RunID, By, How string
	At                                                 time.Time
	InterruptIDs                                       []string
}

type decision struct {
	ID, Status, User, Through, Credential, ThreadID, InterruptID, Tool string
	At                                                                 time.Time
	Arguments, Payload                                                 json.RawMessage
	AskedBy, AnsweredBy                                                struct{ ID, RunID string }
}

// A server dies after half of an answer, and after the whole of it. What is told
// afterwards is what happened: each fact once, in its order, and who decided what.
func TestRecordOutlivesServers(t *testing.T) {
	suite.Full(t)
	for name, point := range map[string]string{
		"killed":             "",
		"after the decision": "after_decision",
		"before it goes on":  "resume_before_first_event",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			story(t, point)
		})
	}
}

func story(t *testing.T, point string) {
	redis := redistest.Start(t, redistest.Options{AOF: "everysec"})
	server := command.Start(t, command.Options{Redis: redis.URL(), Lease: lease, Args: []string{"--auth", "tokens", "--tokens", twoPeople}})
	always := func() bool { return true }
	var start struct{ Next string }
	api(t, server, ann, "GET", "/notices", "", &start, always)

	began := time.Now()
	var admitted json.RawMessage
	api(t, server, ann, "POST", "/threads/record/input", `{"text":"/parallel 2","runId":"asks"}`, &admitted, always)
	var open struct {
		Items []struct{ Interrupts []struct{ ID string } }
	}
	api(t, server, ann, "GET", "/threads/record/interrupts", "", &open, func() bool { return len(open.Items) == 1 })
	if len(open.Items[0].Interrupts) != 2 {
		t.Fatalf("asked %v", open.Items)
	}
	first, second := open.Items[0].Interrupts[0].ID, open.Items[0].Interrupts[1].ID

	// Ann answers the one, and bob the other.
	var answered struct {
		Missing  []string
		Admitted *struct{ Disposition string }
	}
	api(t, server, ann, "POST", "/threads/record/interrupts/resolve", fmt.Sprintf(`{"runId":"drafts","entries":[{"interruptId":%q,"status":"resolved","payload":%s}]}`, first, decline),
		&answered, always)
	if !slices.Equal(answered.Missing, []string{second}) {
		t.Fatalf("missing: %v", answered.Missing)
	}
	server.RestartDoomed(point)
	answer := fmt.Sprintf(`{"runId":"answers","entries":[{"interruptId":%q,"status":"resolved","payload":%s}]}`, second, decline)
	if point == "" {
		api(t, server, bob, "POST", "/threads/record/interrupts/resolve", answer, &answered, always)
	} else {
		_, _, _ = ask(server, bob, "POST", "/threads/record/interrupts/resolve", answer) // it may be lost with the server
		server.AwaitExit()
	}
	server.Restart()
	// Whoever does not know whether it was taken sends it again.
	answered.Admitted = nil
	api(t, server, bob, "POST", "/threads/record/interrupts/resolve", answer, &answered, func() bool { return answered.Admitted != nil })
	if got := answered.Admitted.Disposition; got != "repeat" {
		t.Errorf("the answer given again is %q, want a repeat", got)
	}

	told, next := []notice{}, start.Next
	read := func(limit int) bool { // what lies behind, and whether the end of the story is in it
		var page struct {
			Items  []notice
			Next   string
			Missed bool
		}
		api(t, server, bob, "GET", fmt.Sprintf("/notices?wait=1&limit=%d&after=%s", limit, url.QueryEscape(next)), "", &page, always)
		told, next = append(told, page.Items...), page.Next
		if page.Missed {
			t.Error("some are said to be missed")
		}
		return slices.ContainsFunc(told, func(n notice) bool { return n.Kind == "run.ended" && n.RunID == "answers" })
	}
	for deadline := time.Now().Add(wire.Patience); ; {
		if read(2) {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("told %+v, and not how it ended", told)
		}
	}
	read(100) // and nothing behind it
	var facts []string
	runs := map[string]string{} // the server's names by the client's
	for i, n := range told {
		if n.ThreadID != "record" || n.At.Before(began.Add(-time.Second)) || n.ID == "" || i > 0 && n.At.Before(told[i-1].At) {
			t.Errorf("notice %d is %+v", i, n)
		}
		if n.Run != "" && runs[n.RunID] == "" {
			runs[n.RunID] = n.Run
		} else if n.Run != runs[n.RunID] {
			t.Errorf("%s is about %s, and %s is %s", n.Kind, n.Run, n.RunID, runs[n.RunID])
		}
		facts = append(facts, strings.TrimRight(strings.Join([]string{n.Kind, n.RunID, strings.Join(n.InterruptIDs, "+"), n.By, n.How}, " "), " "))
	}
	if want := []string{
		"run.started asks  ann",
		"run.ended asks   suspend",
		"interrupt.opened asks " + first + "+" + second,
		"interrupt.drafted  " + first + " ann",
		"interrupt.decided answers " + first + " ann resolved",
		"interrupt.decided answers " + second + " bob resolved",
		"run.started answers  bob",
		"run.ended answers   finish",
	}; !slices.Equal(facts, want) {
		t.Errorf("told\n%s\nnot\n%s", strings.Join(facts, "\n"), strings.Join(want, "\n"))
	}

	for _, path := range []string{"/decisions", "/threads/record/decisions"} {
		var record struct {
			Items []decision
			Next  string
		}
		api(t, server, bob, "GET", path, "", &record, always)
		if len(record.Items) != 2 || record.Next != "" {
			t.Fatalf("%s has %+v", path, record)
		}
		slices.SortFunc(record.Items, func(a, b decision) int { return strings.Compare(a.Tool, b.Tool) })
		for i, d := range record.Items {
			user := []string{"ann", "bob"}[i]
			if d.InterruptID != []string{first, second}[i] || d.User != user || d.Credential != user || d.Through != "inbox" || d.Status != "resolved" ||
				d.ThreadID != "record" || d.Tool != fmt.Sprint("task_", i+1) || string(d.Arguments) != fmt.Sprintf(`{"number":%d}`, i+1) || string(d.Payload) != decline ||
				d.AskedBy.RunID != "asks" || d.AskedBy.ID != runs["asks"] || d.AnsweredBy.RunID != "answers" || d.AnsweredBy.ID != runs["answers"] ||
				d.At.Before(told[3].At) || d.At.After(told[6].At) {
				t.Errorf("%s, entry %d: %+v", path, i, d)
			}
		}
	}
}
