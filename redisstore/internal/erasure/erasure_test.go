package erasure_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/internal/cli"
	"github.com/aguiws/aguiws/redisstore"
	"github.com/aguiws/aguiws/redisstore/internal/link"
	"github.com/aguiws/aguiws/redisstore/redistest"
)

const (
	patience = 30 * time.Second

	// What ann and bob say, and are called. No other word of a store has these letters.
	annSays, bobSays = "zqxAnnSays", "zqxBobSays"
	ann, bob         = "zqxann", "zqxbob"
)

// serving is a command that serves until the test ends.
type serving struct {
	t      *testing.T
	addr   string
	client *http.Client
}

// serve starts the command aguiws.
func serve(t *testing.T, args ...string) *serving {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	r, w := io.Pipe()
	addr, ended := make(chan string, 1), make(chan int, 1)
	var read sync.WaitGroup
	read.Go(func() {
		for lines := bufio.NewScanner(r); lines.Scan(); {
			if m := regexp.MustCompile(`aguiws: open http://([\d.:]+)/`).FindStringSubmatch(lines.Text()); m != nil {
				addr <- m[1]
			}
		}
	})
	go func() {
		code := cli.Main(ctx, append([]string{"--addr", "127.0.0.1:0", "--drain-timeout", "1s"}, args...), nil, w, io.Discard)
		w.Close()
		ended <- code
	}()
	s := &serving{t: t, client: &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}}
	select {
	case s.addr = <-addr:
	case code := <-ended:
		t.Fatalf("the server ended with %d", code)
	}
	t.Cleanup(func() {
		stop()
		<-ended
		read.Wait()
	})
	return s
}

// open sends a request as a user; whoever asked closes the answer.
func (s *serving) open(user, method, path, body string) *http.Response {
	s.t.Helper()
	r, err := http.NewRequest(method, "http://"+s.addr+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer 0123456789abcdef-"+user[3:])
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Idempotency-Key", "key")
	resp, err := s.client.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	if resp.StatusCode >= 300 {
		text, _ := io.ReadAll(resp.Body)
		s.t.Fatalf("%s %s: %d %s", method, path, resp.StatusCode, text)
	}
	return resp
}

// ask is open with all of the answer.
func (s *serving) ask(user, method, path, body string) string {
	s.t.Helper()
	resp := s.open(user, method, path, body)
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return string(text)
}

func input(thread, run, text string) string {
	return fmt.Sprintf(`{"threadId":%q,"runId":%q,"messages":[{"id":"m-%s","role":"user","content":%q}]}`, thread, run, run, text)
}

var interrupt = regexp.MustCompile(`"interrupts":\[\{"id":"([^"]+)"`)

// asks has a run ask a question, and returns its id.
func (s *serving) asks(user, thread, text string) string {
	s.t.Helper()
	answer := s.ask(user, "POST", "/agui", input(thread, "asks", text))
	found := interrupt.FindStringSubmatch(answer)
	if found == nil {
		s.t.Fatalf("nothing is asked: %s", answer)
	}
	return found[1]
}

// answers answers a question in somebody's thread.
func (s *serving) answers(user, of, thread, id, payload string) {
	s.t.Helper()
	said := s.ask(user, "POST", "/v1/inbox/resolve", fmt.Sprintf(
		`{"items":[{"threadId":%q,"namespace":%q,"entries":[{"interruptId":%q,"status":"resolved","payload":%s}]}]}`, thread, "default/user/"+of, id, payload))
	if strings.Contains(said, `"error"`) {
		s.t.Fatal(said)
	}
}

func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !ok(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("never: %s", what)
		}
	}
}

// fill has two people use a server, and each answer the other one.
func (s *serving) fill(user, says, other string) {
	s.ask(user, "POST", "/agui", input("said", "r", "/say "+says))
	s.ask(user, "POST", "/v1/threads", fmt.Sprintf(`{"threadId":%q,"metadata":{"note":%q}}`, says+"-made", says))
	s.ask(user, "POST", "/v1/threads", fmt.Sprintf(`{"threadId":"below","parentThreadId":%q}`, says+"-made"))
	s.ask(user, "POST", "/agui", input("below", "r", "/steps 2 1 "+says))
	s.asks(user, "open", fmt.Sprintf(`/tool mail {"to":%q}`, says))
	s.ask(user, "POST", "/agui", input("event", "r", "/event paid."+says))
	own := s.asks(user, "decided", fmt.Sprintf(`/tool mail {"to":%q}`, says))
	s.answers(user, user, "decided", own, fmt.Sprintf(`{"approved":true,"reason":%q}`, says))
	asked := s.asks(user, "answered", fmt.Sprintf(`/tool mail {"to":%q}`, says))
	s.answers(other, user, "answered", asked, `{"approved":true}`)
	asked = s.asks(user, "twice", "/twice")
	s.answers(other, user, "twice", asked, `{"approved":true}`)
	eventually(s.t, "the answered runs of "+user+" go on", func() bool {
		return strings.Count(s.ask(user, "GET", "/v1/runs?state=acked", ""), `"origin":"resume"`) >= 3
	})
}

// everything is all keys and values of a store, unfolded, each behind its key.
func everything(t *testing.T, client *redis.Client) map[string][]string {
	t.Helper()
	ctx, all := context.Background(), map[string][]string{}
	for keys := client.Scan(ctx, 0, "*", 1000).Iterator(); keys.Next(ctx); {
		key := keys.Val()
		values := []string{key}
		switch kind := client.Type(ctx, key).Val(); kind {
		case "string":
			values = append(values, client.Get(ctx, key).Val())
		case "hash":
			for field, value := range client.HGetAll(ctx, key).Val() {
				values = append(values, field, value)
			}
		case "list":
			values = append(values, client.LRange(ctx, key, 0, -1).Val()...)
		case "zset":
			values = append(values, client.ZRange(ctx, key, 0, -1).Val()...)
		case "set":
			values = append(values, client.SMembers(ctx, key).Val()...)
		case "stream":
			for _, m := range client.XRange(ctx, key, "-", "+").Val() {
				for field, value := range m.Values {
					values = append(values, field, value.(string))
				}
			}
		case "none":
		default:
			t.Fatalf("%s is a %s", key, kind)
		}
		for _, v := range values {
			all[key] = append(all[key], unfolded(v)...)
		}
	}
	return all
}

// unfolded is a value and all that is compressed or packed in it.
func unfolded(v string) []string {
	all := []string{v}
	if strings.HasPrefix(v, "\x01") {
		if text, err := link.Decompress(v); err == nil {
			return append(all, unfolded(string(text))...)
		}
	}
	if m := regexp.MustCompile(`(?s)^\w\w(?: \d+){14} (.*)$`).FindStringSubmatch(v); m != nil {
		v = m[1]
	}
	if list, err := link.Unpack(v); err == nil {
		for _, item := range list {
			all = append(all, unfolded(item)...)
		}
	}
	return all
}

// where are the keys that hold a word.
func where(all map[string][]string, word string) (keys []string) {
	for _, key := range slices.Sorted(maps.Keys(all)) {
		if slices.ContainsFunc(all[key], func(v string) bool { return strings.Contains(v, word) }) {
			keys = append(keys, key)
		}
	}
	return keys
}

// erase runs aguiws erase.
func erase(args ...string) (code int, out string) {
	var said strings.Builder
	code = cli.Main(context.Background(), append([]string{"erase"}, args...), nil, &said, &said)
	return code, said.String()
}

// After an erasure no key and no value of the store names or quotes the person, and what
// others have is there.
func TestNothingOfThePersonIsLeft(t *testing.T) {
	server := redistest.Start(t, redistest.Options{})
	options, err := redis.ParseURL(server.URL())
	if err != nil {
		t.Fatal(err)
	}
	client := redis.NewClient(options)
	defer client.Close()
	tokens := filepath.Join(t.TempDir(), "tokens.yaml")
	list := ""
	for _, user := range []string{ann, bob} {
		list += fmt.Sprintf("- {token: 0123456789abcdef-%s, user: %s, scopes: [read, run, approver, admin]}\n", user[3:], user)
	}
	if err := os.WriteFile(tokens, []byte(list), 0o600); err != nil {
		t.Fatal(err)
	}
	s := serve(t, "--redis", server.URL(), "--auth", "tokens", "--token-file", tokens, "--notice-summaries", "--webhook-private", "127.0.0.1",
		"--webhooks", `[{name: crm, url: "http://127.0.0.1:9/", from: start, secrets: [whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYX]}]`)
	s.fill(ann, annSays, bob)
	s.fill(bob, bobSays, ann)
	// Ann has begun a run in a thread of bob's, which waits, and answered one of two questions.
	there := "?namespace=default%2Fuser%2F" + bob
	s.ask(bob, "POST", "/agui", input("begun", "first", "/say hello"))
	s.ask(ann, "POST", "/v1/threads/begun/input"+there, `{"text":"/confirm go on?"}`)
	eventually(t, "bob's thread asks", func() bool {
		return strings.Contains(s.ask(bob, "GET", "/v1/inbox?limit=100", ""), `"begun"`)
	})
	first := s.asks(bob, "drafted", "/parallel 2")
	s.ask(ann, "POST", "/v1/threads/drafted/interrupts/resolve"+there, `{"entries":[{"interruptId":"`+first+`","status":"resolved","payload":{"approved":true}}]}`)
	// Ann looks at what bob's thread asks, and is to answer it.
	s.ask(ann, "PUT", "/v1/threads/open/interrupts/assignment"+there, "")
	s.ask(ann, "PUT", "/v1/threads/open/interrupts/review"+there, "")
	// Ann has stopped a run of bob's.
	endless := s.open(bob, "POST", "/agui", input("stopped", "endless", "/slow 10000 500"))
	defer endless.Body.Close()
	eventually(t, "bob's run is under way", func() bool {
		return strings.Contains(s.ask(bob, "GET", "/v1/runs?state=claimed", ""), `"endless"`)
	})
	s.ask(ann, "POST", "/v1/threads/stopped/interrupt"+there, `{}`)
	if runs := s.ask(bob, "GET", "/v1/threads/stopped/runs", ""); !strings.Contains(runs, `"stoppedBy":"`+ann+`"`) {
		t.Fatalf("ann has stopped no run: %s", runs)
	}
	leave(t, server.URL())
	eventually(t, "webhooks are owed", func() bool {
		for _, key := range where(everything(t, client), annSays) {
			if strings.HasSuffix(key, ":hook:crm:items") {
				return true
			}
		}
		return false
	})
	// An input waits behind a run that goes on.
	running := s.open(ann, "POST", "/agui", input("busy", "r1", "/slow 1000000 5"))
	defer running.Body.Close()
	waiting := s.open(ann, "POST", "/agui", input("busy", "r2", "/say "+annSays))
	defer waiting.Body.Close()

	before := everything(t, client)
	for _, kind := range []string{"rec", "runs", "log", "journal", "drafts", "decisions", "notices", "items", "made", "reviewers"} {
		if !slices.ContainsFunc(where(before, ann), func(key string) bool { return strings.HasSuffix(key, ":"+kind) }) {
			t.Errorf("no %s names ann: there is nothing to erase", kind)
		}
	}
	for _, word := range []string{ann, annSays} {
		if len(where(before, word)) < 10 {
			t.Fatalf("%s is not used: %q", word, where(before, word))
		}
	}
	theirs := s.sees(bob)
	if code, out := erase("--redis", server.URL(), "--user", ann, "--dry-run"); code != 0 || !strings.Contains(out, "    10  threads of the person") {
		t.Errorf("dry: %d\n%s", code, out)
	}
	if got := where(everything(t, client), annSays); len(got) < 10 {
		t.Errorf("a dry run has erased something: %q", got)
	}
	code, out := erase("--redis", server.URL(), "--user", ann)
	if code != 0 {
		t.Errorf("it ended with %d:\n%s", code, out)
	}
	if strings.Contains(out, annSays) {
		t.Errorf("the summary has contents:\n%s", out)
	}
	after := everything(t, client)
	for _, word := range []string{ann, annSays} {
		for _, key := range where(after, word) {
			i := slices.IndexFunc(after[key], func(v string) bool { return strings.Contains(v, word) })
			t.Errorf("%s holds %s: %.300q", key, word, after[key][i])
		}
	}
	if got := s.sees(bob); got != theirs {
		t.Errorf("bob had\n%s\nand has\n%s", theirs, got)
	}
	record := s.ask(bob, "GET", "/v1/decisions", "")
	if n := strings.Count(record, `"approved":true`); n != 3 { // his own, and ann's two
		t.Errorf("the record has %d decisions about his threads: %s", n, record)
	}
	if code, out := erase("--redis", server.URL(), "--user", ann); code != 0 || !strings.Contains(out, "     0  threads of the person") {
		t.Errorf("again: %d\n%s", code, out)
	}
	if strings.Count(out, "\n") > 20 {
		t.Errorf("the summary is long:\n%s", out)
	}
}

// leave leaves ann a dead letter, and webhooks that are dead.
func leave(t *testing.T, url string) {
	t.Helper()
	st, err := redisstore.Open(context.Background(), url, &redisstore.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	key := store.ThreadKey{Namespace: "default/user/" + ann, Thread: "dead"}
	record, _ := json.Marshal(store.RunRecord{Label: "r", Execution: "x", User: "default/" + ann, Tenant: "default"})
	_, err = st.Begin(t.Context(), store.Begin{Thread: key, RunID: "dead-run", Label: "r", Execution: "x", Record: record, Tenant: "default", User: "default/" + ann,
		Kind: store.Enqueue{Agent: "nobody", Input: []byte(`{"input":{"messages":[{"id":"m","role":"user","content":"` + annSays + `"}]}}`),
			Cancelled: [2][]byte{[]byte(`{"type":"RUN_STARTED","threadId":"dead","runId":"r"}`), []byte(`{"type":"RUN_FINISHED","threadId":"dead","runId":"r"}`)}}})
	if err != nil {
		t.Fatal(err)
	}
	claimed, err := st.Claim(t.Context(), store.ClaimRequest{Thread: key, Token: "token"})
	if err != nil {
		t.Fatal(err)
	}
	buried, err := st.Bury(t.Context(), store.Nack{Claim: claimed.Claim, Error: annSays, Terminal: []byte(`{"type":"RUN_ERROR","message":"` + annSays + `"}`)})
	if err != nil || buried.State != store.DispatchDeadLetter {
		t.Fatal(buried, err)
	}
	if _, err := st.UseTargets(t.Context(), []string{"desk"}); err != nil {
		t.Fatal(err)
	}
	taken, err := st.TakeWebhooks(t.Context(), store.WebhookTake{Target: "desk", FromStart: true, Limit: 1000, Hold: time.Minute})
	if err != nil || len(taken.Webhooks) < 10 {
		t.Fatal(len(taken.Webhooks), err)
	}
	for _, w := range taken.Webhooks {
		err := st.SettleWebhook(t.Context(), "desk", store.WebhookResult{ID: w.Notice.ID, Hold: w.Hold, Kind: store.WebhookDead,
			Tries: store.WebhookTries{Count: 1, First: w.Taken, Last: w.Taken, Error: "refused"}})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// sees is what somebody sees of all that is theirs.
func (s *serving) sees(user string) string {
	var all strings.Builder
	for _, path := range []string{"/v1/threads", "/v1/threads/said", "/v1/threads/answered", "/v1/threads/answered/messages", "/v1/threads/twice/messages",
		"/v1/threads/twice/runs", "/v1/threads/below/messages", "/v1/trees", "/v1/inbox?thread=open&namespace=default%2Fuser%2F" + user} {
		text := s.ask(user, "GET", path, "")
		all.WriteString(path + " " + regexp.MustCompile(`"(?:user|by|now)":"[^"]*",?`).ReplaceAllString(text, "") + "\n")
	}
	return all.String()
}
