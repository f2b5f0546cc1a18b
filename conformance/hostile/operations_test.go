package hostile

import (
	"bytes"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
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

// asked is how an operation is asked for. {n} in it is the number of the request, so that
// what can be done once is done anew.
type asked struct {
	thread, query, body string
	named               map[string]string // what the path names: a name of what hoard has made, in braces
	want                int               // the status of success, which it must meet
	has                 string            // what an answer of that status has
}

const (
	ofBig   = "big"
	ofQuiet = "quiet"
)

var operations = map[string]asked{
	"listBranches":          {thread: "rewound", want: 200, has: `"id"`},
	"restoreBranch":         {thread: "rewound", body: "{}", want: 202},
	"listDecisions":         {query: "limit=200", want: 200, has: `"id"`},
	"forgetDecisions":       {thread: "q-{n}", want: 204},
	"listThreadDecisions":   {thread: "q-400", query: "limit=200", want: 200, has: `"id"`},
	"listInbox":             {query: "limit=200", want: 200, has: `"threadId"`},
	"countInbox":            {want: 200},
	"resolveInbox":          {body: `{"idempotencyKey":"k","items":[{answers}]}`, want: 200, has: `"resolved"`},
	"listInterrupts":        {thread: "q-999", want: 200, has: `"id"`},
	"resolveInterrupts":     {thread: "many", body: `{"entries":[{"interruptId":"{many}","status":"cancelled"}]}`, want: 200},
	"listInterruptMessages": {thread: "q-999", want: 200, has: `"text"`},
	"reviewInterrupts":      {thread: "q-999", want: 200, has: `"reviewers"`},
	"leaveInterrupts":       {thread: "q-999", want: 204},
	"assignInterrupts":      {thread: "q-999", want: 204},
	"releaseInterrupts":     {thread: "q-999", want: 204},
	"keepDraft":             {thread: "many", named: map[string]string{"interrupt": "{many}"}, body: `{"status":"cancelled"}`, want: 204},
	"dropDraft":             {thread: "many", named: map[string]string{"interrupt": "{many}"}, want: 204},
	"beginLogin":            {thread: "login", named: map[string]string{"interrupt": "{login}", "provider": "idp"}, want: 200, has: `"url"`},
	"getLogin":              {thread: "login", named: map[string]string{"interrupt": "{login}", "provider": "idp"}, want: 200, has: `"idp"`},
	"listLogins":            {want: 200, has: `"kept"`},
	"deleteLogin":           {named: map[string]string{"provider": "dropped"}, want: 204},
	"listNodes":             {want: 200, has: `"node"`},
	"getStore":              {want: 200},
	"listNotices":           {query: "after={after}&limit=100", want: 200, has: `"threadId"`},
	"getPayload":            {want: 200, has: "row,square"},
	"getQuotas":             {want: 200},
	"listRuns":              {thread: "busy", query: "limit=200", want: 200, has: `"id"`},
	"findRuns":              {query: "limit=200", want: 200, has: `"threadId"`},
	"getRun":                {thread: "busy", want: 200},
	"cancelRun":             {thread: "letter-5{n}", named: map[string]string{"run": "{letter-5{n}}"}, body: "{}", want: 200, has: `"stopped":true`},
	"purgeRuns":             {thread: "busy", body: `{"olderThan":"1ms"}`, want: 200, has: `"purged"`},
	"requeueRun":            {thread: "letter-{n}", named: map[string]string{"run": "{letter-{n}}"}, want: 202},
	"listDispatches":        {query: "limit=200", want: 200, has: `"threadId"`},
	"countDispatches":       {want: 200},
	"listThreads":           {query: "limit=200", want: 200, has: `"threadId"`},
	"getThread":             {want: 200},
	"renameThread":          {body: `{"title":"x"}`, want: 200},
	"deleteThread":          {thread: "doomed", want: 204},
	"listMessages":          {query: "limit=200", want: 200, has: `"id"`},
	"addInput":              {body: `{"text":"/say hi"}`, want: 202},
	"interruptThread":       {thread: "top", query: "children=cancel", body: `{}`, want: 200, has: `"stopped"`},
	"pauseThread":           {thread: "steps-{n}", body: `{}`, want: 200, has: "true"},
	"unpauseThread":         {thread: "steps-{n}", want: 200, has: "true"},
	"createThread":          {body: `{"threadId":"made-{n}"}`, want: 201},
	"listTrees":             {query: "limit=200", want: 200, has: `"threadId"`},
	"getTree":               {thread: "top", query: "limit=200", want: 200, has: `"threadId"`},
	"changeThread":          {thread: "top", body: `{"resourceId":"x"}`, want: 200},
	"deleteTree":            {thread: "felled", query: "children=cascade", want: 200},
	"sendEvent":             {named: map[string]string{"token": "{event}"}, body: "7", want: 200},
	"listUpstreams":         {want: 200},
	"listWebhooks":          {want: 200, has: target},
	"listDeadWebhooks":      {query: "limit=200", want: 200, has: `"error"`},
	"resendWebhook":         {named: map[string]string{"webhook": "{dead-{n}}"}, want: 204},
	"enableWebhooks":        {want: 204},
	"listWork":              {want: 200},
	"listAgents":            {want: 200, has: `"default"`},
	"getMe":                 {want: 200, has: `"user"`},
}

func TestOperationsAreInTheTable(t *testing.T) {
	inTable(t, operated(t, redistest.Start(t, redistest.Options{}), elsewhere(t), []string{strings.TrimSuffix(attackerToken, "-0123456789")}))
}

// Whatever operation a user with much data asks for, by many at once: it succeeds, the
// process grows by little, no answer is larger than it may be, and the request counts for
// that user alone.
func TestOperationsHoldLittleAndCount(t *testing.T) {
	suite.Full(t)
	redis := redistest.Start(t, redistest.Options{})
	attacker := []string{strings.TrimSuffix(attackerToken, "-0123456789")}
	outside := elsewhere(t)
	first := operated(t, redis, outside, attacker, "--max-requests-per-user", "-1", "--drain-timeout", "1ms")
	list := inTable(t, first)
	named := hoard(t, first)
	first.Terminate()
	maps.Copy(named, givenUp(t, redis))
	if t.Failed() {
		return
	}
	server := operated(t, redis, outside, attacker, append(webhooksTo(outside), "--max-requests-per-user", "-1")...)
	underWay(t, server)
	var told bytes.Buffer
	for _, op := range list {
		told.WriteString(manyAsk(t, server, op, named))
	}
	command.KeepOutput(t, told.Bytes())
	t.Logf("\n%s", told.String())
	countsFor(t, redis, outside, list, named)
}

// inTable are the operations of the server's document, which must be those of the table.
func inTable(t *testing.T, server *command.Server) []operation {
	t.Helper()
	list := documented(t, server)
	slices.SortFunc(list, func(a, b operation) int { return strings.Compare(a.id, b.id) })
	left := maps.Clone(operations)
	for _, op := range list {
		if as, there := operations[op.id]; !there || as.want == 0 {
			t.Errorf("%s (%s %s) is not in the table: say how it is asked for, and with which status it succeeds", op.id, op.method, op.path)
		}
		delete(left, op.id)
	}
	for id := range left {
		t.Errorf("%s is in the table, and is no operation", id)
	}
	return list
}

// manyAsk has an operation asked for by many at once, and tells what came of it.
func manyAsk(t *testing.T, server *command.Server, op operation, named map[string]string) string {
	t.Helper()
	as := operations[op.id]
	_, before := server.Resident()
	var mu sync.Mutex
	largest, statuses, has := 0, map[int]int{}, false
	var refused []byte
	var group sync.WaitGroup
	for n := range together {
		group.Go(func() {
			for i := range 2 {
				status, text := send(t, server, attackerToken, op, as, named, 2*n+i)
				mu.Lock()
				largest = max(largest, len(text))
				statuses[status]++
				if status == as.want {
					has = has || bytes.Contains(text, []byte(as.has))
				} else {
					refused = text
				}
				mu.Unlock()
			}
		})
	}
	group.Wait()
	_, after := server.Resident()
	if after-before > grownMost {
		t.Errorf("%s: the process has grown by %d MiB", op.id, (after-before)/mib)
	}
	if largest > answerMost {
		t.Errorf("%s: an answer has %d MiB", op.id, largest/mib)
	}
	if statuses[0] > 0 || statuses[http.StatusInternalServerError] > 0 || !has {
		t.Errorf("%s: %v, want %d with %q; refused with %.300s", op.id, statuses, as.want, as.has, refused)
	}
	return fmt.Sprintf("%-20s %v, answers of %d KiB at most, %d MiB more\n", op.id, statuses, largest>>10, (after-before)/mib)
}

// countsFor has each operation asked for by a user of its own, more often than a user may.
func countsFor(t *testing.T, redis *redistest.Server, outside string, list []operation, named map[string]string) {
	t.Helper()
	const burst = 4 // of a user who may ask once a second
	var users []string
	for _, op := range list {
		users = append(users, strings.ToLower(op.id)+"-user")
	}
	server := operated(t, redis, outside, users, "--max-requests-per-user", "1")
	for i, op := range list {
		if op.id == "sendEvent" {
			continue // whoever has its token is nobody's user
		}
		statuses := make([]int, 2*burst)
		ask := func(n int) {
			statuses[n], _ = send(t, server, users[i]+"-0123456789", op, operations[op.id], named, n)
		}
		ask(0)
		var group sync.WaitGroup
		for n := 1; n < len(statuses); n++ {
			group.Go(func() { ask(n) }) // at once: more come than time gives back
		}
		group.Wait()
		if statuses[0] == http.StatusTooManyRequests {
			t.Errorf("%s: others' requests count for its user: %v", op.id, statuses)
		}
		if !slices.Contains(statuses, http.StatusTooManyRequests) {
			t.Errorf("%s counts for nobody: %v", op.id, statuses)
		}
	}
}
