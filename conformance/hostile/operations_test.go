package hostile

import (
	"bytes"
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/aguiws/aguiws/conformance/internal/command"
	"github.com/aguiws/aguiws/internal/suite"
	"github.com/aguiws/aguiws/redisstore/redistest"
)

// What each operation of the control API holds for a user with a thousand times the usual
// data, and for whom it counts.

const (
	// thousand is how many messages, runs, questions and threads there are.
	thousand = 1000
	// together is how many send the same request at once.
	together = 16
	// answerMost is how large an answer may be: a thread whole, or a page of what is large.
	answerMost = 8 * mib
	// grownMost is by how much the process may grow while an operation is asked for: what it
	// holds for a user, twice, since what was let go of is collected late, and as much again
	// for what is being read.
	grownMost = 128 * mib
)

// asked is how an operation is asked for.
type asked struct {
	thread, query, body string
	want                int // the status; 0: there is nothing to do, which any refusal says
}

const (
	ofBig   = "big"
	ofQuiet = "quiet"
)

var operations = map[string]asked{
	"listBranches":        {want: 200},
	"restoreBranch":       {body: "{}"},
	"listDecisions":       {query: "limit=200", want: 200},
	"listThreadDecisions": {thread: "q-0", query: "limit=200", want: 200},
	"listInbox":           {query: "limit=200", want: 200},
	"countInbox":          {want: 200},
	"resolveInbox":        {body: `{"idempotencyKey":"k","items":[{"threadId":"q-0","entries":[]}]}`},
	"listInterrupts":      {thread: "q-999", want: 200},
	"resolveInterrupts":   {thread: "q-999", body: `{"entries":[]}`},
	"dropDraft":           {thread: "q-999"},
	"beginLogin":          {thread: "q-999"},
	"getLogin":            {thread: "q-999"},
	"listLogins":          {},
	"deleteLogin":         {},
	"listNodes":           {want: 200},
	"getStore":            {want: 200},
	"listNotices":         {query: "after={after}&limit=100", want: 200},
	"getPayload":          {},
	"getQuotas":           {want: 200},
	"listRuns":            {thread: "busy", query: "limit=200", want: 200},
	"findRuns":            {query: "id=0"},
	"getRun":              {thread: "busy", want: 200},
	"cancelRun":           {thread: "busy", body: "{}", want: 200},
	"requeueRun":          {thread: "busy", want: 409},
	"listDispatches":      {query: "limit=200", want: 200},
	"countDispatches":     {want: 200},
	"listThreads":         {query: "limit=200", want: 200},
	"getThread":           {want: 200},
	"renameThread":        {body: `{"title":"x"}`, want: 204},
	"deleteThread":        {thread: ofQuiet},
	"listMessages":        {query: "limit=200", want: 200},
	"addInput":            {thread: ofQuiet, body: `{"text":"/say hi","when":"never"}`},
	"interruptThread":     {thread: "top", query: "children=cancel", body: `{}`},
	"pauseThread":         {thread: ofQuiet, body: `{}`},
	"unpauseThread":       {thread: ofQuiet},
	"createThread":        {body: `{"threadId":"top"}`, want: 409},
	"listTrees":           {query: "limit=200", want: 200},
	"getTree":             {thread: "top", query: "limit=200", want: 200},
	"changeThread":        {thread: "top", body: `{"resourceId":"x"}`, want: 200},
	"deleteTree":          {thread: "top", query: "children=reject", want: 409},
	"listUpstreams":       {want: 200},
	"listWebhooks":        {want: 200},
	"listDeadWebhooks":    {},
	"resendWebhook":       {},
	"enableWebhooks":      {},
	"listWork":            {want: 200},
}

// operation is one of the document.
type operation struct{ id, method, path string }

// documented are the operations of a server's document.
func documented(t *testing.T, server *command.Server) (list []operation) {
	t.Helper()
	status, text := send(t, server, attackerToken, operation{method: "GET", path: "/openapi.json"}, asked{}, nil)
	var doc struct {
		Paths map[string]map[string]json.RawMessage
	}
	if err := json.Unmarshal(text, &doc); err != nil || status != http.StatusOK {
		t.Fatal(status, err)
	}
	for path, methods := range doc.Paths {
		for method, text := range methods {
			var of struct {
				OperationID string `json:"operationId"`
			}
			if json.Unmarshal(text, &of) == nil && of.OperationID != "" {
				list = append(list, operation{of.OperationID, strings.ToUpper(method), strings.TrimPrefix(path, "/v1")})
			}
		}
	}
	return list
}

// send asks for an operation. A status of 0 is none within a while.
func send(t testing.TB, server *command.Server, token string, op operation, as asked, named map[string]string) (int, []byte) {
	path := op.path + "?" + as.query
	for name, value := range named {
		path = strings.ReplaceAll(path, "{"+name+"}", value)
	}
	path = strings.ReplaceAll(path, "{thread}", cmp.Or(as.thread, ofBig))
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, op.method, server.URL()+"/v1"+path, strings.NewReader(as.body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	if as.body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0, nil
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		return 0, nil
	}
	return answer.StatusCode, text
}

// operated starts a server on the data, with a user who may do everything for each of some
// names, and the attacker.
func operated(t *testing.T, redis *redistest.Server, users []string, args ...string) *command.Server {
	t.Helper()
	var list []map[string]any
	for token, user := range users {
		list = append(list, map[string]any{"token": users[token] + "-0123456789", "user": user, "tenant": "evil", "scopes": []string{"read", "run", "approver", "admin", "tenants"}})
	}
	text, err := json.Marshal(list)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "tokens.yaml")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	keys := filepath.Join(t.TempDir(), "keys")
	if err := os.WriteFile(keys, []byte(base64.StdEncoding.EncodeToString(make([]byte, 32))+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	// With logins the document has all operations.
	return command.Start(t, command.Options{Redis: redis.URL(), Args: append([]string{"--auth", "tokens", "--token-file", file,
		"--logins", `[{name: idp, client-id: x, authorize-url: "https://idp.example/a", token-url: "https://idp.example/t"}]`, "--login-keys", keys, "--public-url", "https://here.example",
		"--max-requests-per-address", "-1", "--max-inputs", "-1"}, args...)})
}

// manyTimes does something so often, by a few at a time.
func manyTimes(n int, do func(i int)) {
	var group sync.WaitGroup
	var next atomic.Int64
	for range 8 {
		group.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				do(i)
			}
		})
	}
	group.Wait()
}

// hoard makes a thousand times the usual data, and says what of it has ids that the server gave.
func hoard(t *testing.T, server *command.Server) map[string]string {
	t.Helper()
	put := func(path, body string, want int) []byte {
		status, text := post(server, path, body)
		if status != want {
			t.Errorf("POST %s: %d %.200s", path, status, text)
		}
		return text
	}
	var notices struct{ Next string }
	if _, text := send(t, server, attackerToken, operation{method: "GET", path: "/notices"}, asked{}, nil); json.Unmarshal(text, &notices) != nil {
		t.Fatalf("no notices: %.200s", text)
	}
	var many []string
	for n := range thousand {
		many = append(many, fmt.Sprintf(`{"id":"m%d","role":"user","content":%q}`, n, strings.Repeat("<", 3500)))
	}
	put("/agui", `{"threadId":"`+ofBig+`","runId":"r","messages":[`+strings.Join(many, ",")+`]}`, 200)
	put("/v1/threads", `{"threadId":"top"}`, 201)
	manyTimes(thousand, func(n int) {
		put("/agui", input(fmt.Sprint("q-", n), "r", "m", fmt.Sprintf(`/tool pay {"n":%d,"note":%q}`, n, strings.Repeat("<", 2000))), 200)
		if n < grown {
			put("/v1/threads", fmt.Sprintf(`{"threadId":"below-%d","parentThreadId":"top","metadata":{"x":%q}}`, n, strings.Repeat("<", 16<<10-16)), 201)
		}
	})
	for n := range thousand {
		put("/agui", input("busy", fmt.Sprint("r", n), fmt.Sprint("m", n), "/say hi"), 200)
	}
	manyTimes(thousand/2, func(n int) {
		thread := fmt.Sprint("q-", n)
		put("/v1/threads/"+thread+"/interrupts/resolve", fmt.Sprintf(`{"entries":[{"interruptId":%q,"status":"cancelled"}]}`, open(t, server, thread)), 200)
	})
	var runs struct {
		Items []struct{ ID string }
	}
	if _, text := send(t, server, attackerToken, operation{method: "GET", path: "/threads/busy/runs"}, asked{}, nil); json.Unmarshal(text, &runs) != nil || len(runs.Items) == 0 {
		t.Fatalf("no runs: %.200s", text)
	}
	named := map[string]string{"run": runs.Items[0].ID, "interrupt": open(t, server, "q-999"), "after": notices.Next}
	for _, name := range []string{"branch", "provider", "ref", "target", "webhook"} {
		named[name] = "x"
	}
	return named
}

// open is the id of what a thread asks.
func open(t *testing.T, server *command.Server, thread string) string {
	var page struct {
		Items []struct{ Interrupts []struct{ ID string } }
	}
	_, text := send(t, server, attackerToken, operation{method: "GET", path: "/threads/{thread}/interrupts"}, asked{thread: thread}, nil)
	if json.Unmarshal(text, &page) != nil || len(page.Items) != 1 || len(page.Items[0].Interrupts) != 1 {
		t.Errorf("%s asks %.200s", thread, text)
		return ""
	}
	return page.Items[0].Interrupts[0].ID
}

func post(server *command.Server, path, body string) (int, []byte) {
	r, err := http.NewRequest(http.MethodPost, server.URL()+path, strings.NewReader(body))
	if err != nil {
		return 0, nil
	}
	r.Header.Set("Authorization", "Bearer "+attackerToken)
	r.Header.Set("Content-Type", "application/json")
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0, []byte(err.Error())
	}
	defer answer.Body.Close()
	text, _ := io.ReadAll(answer.Body)
	return answer.StatusCode, text
}

// Whatever operation a user with much data asks for, by many at once: the process grows by
// little, no answer is larger than it may be, and the request counts for that user alone.
func TestOperationsHoldLittleAndCount(t *testing.T) {
	suite.Full(t)
	redis := redistest.Start(t, redistest.Options{})
	attacker := strings.TrimSuffix(attackerToken, "-0123456789")
	server := operated(t, redis, []string{attacker}, "--max-requests-per-user", "-1")
	list := documented(t, server)
	slices.SortFunc(list, func(a, b operation) int { return strings.Compare(a.id, b.id) })
	left := maps.Clone(operations)
	for _, op := range list {
		if _, there := operations[op.id]; !there {
			t.Errorf("%s (%s %s) is not in the table: say how it is asked for", op.id, op.method, op.path)
		}
		delete(left, op.id)
	}
	for id := range left {
		t.Errorf("%s is in the table, and is no operation", id)
	}
	named := hoard(t, server)
	if t.Failed() {
		return
	}
	var told bytes.Buffer
	for _, op := range list {
		as := operations[op.id]
		_, before := server.Resident()
		var mu sync.Mutex
		largest, statuses := 0, map[int]int{}
		var group sync.WaitGroup
		for range together {
			group.Go(func() {
				for range 2 {
					status, text := send(t, server, attackerToken, op, as, named)
					mu.Lock()
					largest = max(largest, len(text))
					statuses[status]++
					mu.Unlock()
				}
			})
		}
		group.Wait()
		_, after := server.Resident()
		fmt.Fprintf(&told, "%-20s %v, answers of %d KiB at most, %d MiB more\n", op.id, statuses, largest>>10, (after-before)/mib)
		if after-before > grownMost {
			t.Errorf("%s: the process has grown by %d MiB", op.id, (after-before)/mib)
		}
		if largest > answerMost {
			t.Errorf("%s: an answer has %d MiB", op.id, largest/mib)
		}
		if statuses[0] > 0 || statuses[http.StatusInternalServerError] > 0 || as.want != 0 && statuses[as.want] == 0 {
			t.Errorf("%s: %v, want %d", op.id, statuses, as.want)
		}
	}
	command.KeepOutput(t, told.Bytes())
	t.Logf("\n%s", told.String())
	countsFor(t, redis, list, named)
}

// countsFor has each operation asked for by a user of its own, more often than a user may.
func countsFor(t *testing.T, redis *redistest.Server, list []operation, named map[string]string) {
	t.Helper()
	const burst = 4
	var users []string
	for _, op := range list {
		users = append(users, strings.ToLower(op.id)+"-user")
	}
	server := operated(t, redis, users, "--max-requests-per-user", "1", "--max-requests-burst", fmt.Sprint(burst))
	for i, op := range list {
		var statuses []int
		for range 2 * burst {
			status, _ := send(t, server, users[i]+"-0123456789", op, operations[op.id], named)
			statuses = append(statuses, status)
		}
		if statuses[0] == http.StatusTooManyRequests {
			t.Errorf("%s: others' requests count for its user: %v", op.id, statuses)
		}
		if !slices.Contains(statuses, http.StatusTooManyRequests) {
			t.Errorf("%s counts for nobody: %v", op.id, statuses)
		}
	}
}
