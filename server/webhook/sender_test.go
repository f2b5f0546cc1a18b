package webhook

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"strings"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/aguiws/aguiws/adapter/store"
)

// What arrives can be verified by the library of whoever receives it, by each of the
// secrets, and is what the notice says.
func TestWebhookIsSignedAndWhole(t *testing.T) {
	in, rec := install(t), receive(t, nil)
	n := in.node(Options{}, Target{Name: "crm", URL: rec.URL + "/hook?key=k-4711", Secrets: []string{secretA, secretB}})
	in.notice("t/1", "owner", "ann", "agent", "script", "run", "r-1", "label", "mine", "interrupts", "2:i1", "reasons", "9:tool_call",
		"summaries", `[{"interruptId":"i1","reason":"tool_call","message":"Pay?","toolName":"pay","arguments":"{\"n\":1}","redacted":true,"truncated":true}]`, "deadline", "1900000000500", "by", "bob", "how", "resolved")
	same(t, "the try", in.tried(n).Outcome, Delivered)
	got := rec.all()[0]
	for _, secret := range []string{secretA, secretB} {
		verifier, err := standardwebhooks.NewWebhook(secret)
		if err != nil {
			t.Fatal(err)
		}
		if err := verifier.Verify(got.body, got.header); err != nil {
			t.Errorf("%s: %v", secret, err)
		}
		if err := verifier.Verify(append(got.body, ' '), got.header); err == nil {
			t.Errorf("%s verifies anything", secret)
		}
	}
	id := got.header.Get("webhook-id")
	at, _, _ := strings.Cut(id, "-")
	var ms int64
	if _, err := fmt.Sscan(at, &ms); err != nil {
		t.Fatal(err)
	}
	want := fmt.Sprintf(`{"type":"interrupt.opened","timestamp":%q,"version":1,"data":{"id":%q,"kind":"interrupt.opened","at":%q,"severity":"action","sentence":"Agent script waits for an answer in thread t/1 of ann until 2030-03-17T17:46:40Z.","page":"/?thread=t%%2F1&namespace=acme%%2Fuser%%2Fann","threadId":"t/1","namespace":"acme/user/ann","tenant":"acme","user":"ann","agent":"script","run":"r-1","runId":"mine","interruptIds":["i1"],"reasons":["tool_call"],"summaries":[{"interruptId":"i1","reason":"tool_call","message":"Pay?","toolName":"pay","arguments":"{\"n\":1}","redacted":true,"truncated":true}],"expiresAt":"2030-03-17T17:46:40.5Z","by":"bob","how":"resolved","href":"/v1/threads/t%%2F1?namespace=acme%%2Fuser%%2Fann"}}`,
		time.UnixMilli(ms).UTC().Format(time.RFC3339Nano), id, time.UnixMilli(ms).UTC().Format(time.RFC3339Nano))
	same(t, "the body", string(got.body), want)
	same(t, "its type", got.header.Get("Content-Type"), "application/json")
	same(t, "what is owed", in.counts(n, "crm"), store.WebhookCounts{})
	if log := n.log.String(); strings.Contains(log, "k-4711") || strings.Contains(log, secretA) {
		t.Errorf("the log tells secrets: %s", log)
	}
}

// Whatever a target answers, what it has not taken is tried again, and says why.
// What docs/webhooks.md shows for a receiver in Node accepts ours and nothing else.
func TestWebhookIsVerifiedAsShown(t *testing.T) {
	if _, err := exec.LookPath("node"); err != nil {
		t.Skip("node is not installed")
	}
	in, rec := install(t), receive(t, nil)
	n := in.node(Options{}, Target{Name: "crm", URL: rec.URL, Secrets: []string{secretA, secretB}})
	in.notice("t", "owner", "ann")
	same(t, "the try", in.tried(n).Outcome, Delivered)
	got := rec.all()[0]
	headers := map[string]string{}
	for name := range got.header {
		headers[strings.ToLower(name)] = got.header.Get(name)
	}
	for body, want := range map[string]string{string(got.body): "[true,true,false]", string(got.body) + " ": "[false,false,false]"} {
		given, err := json.Marshal(map[string]any{"headers": headers, "body": body, "secrets": []string{secretA, secretB, "whsec_bm90IG91cnM="}})
		if err != nil {
			t.Fatal(err)
		}
		said, err := exec.Command("node", "testdata/verify.mjs", string(given)).CombinedOutput()
		if err != nil || strings.TrimSpace(string(said)) != want {
			t.Errorf("%s, want %s: %v", said, want, err)
		}
	}
}

func TestTargetsThatDoNotTakeWebhooks(t *testing.T) {
	inner := receive(t, nil)
	untrusted := httptest.NewTLSServer(http.HandlerFunc(status(200)))
	t.Cleanup(untrusted.Close)
	silent := receive(t, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	closed := httptest.NewServer(nil)
	closed.Close()
	of := func(answer func(http.ResponseWriter, *http.Request)) string { return receive(t, answer).URL }
	for name, c := range map[string]struct{ url, says string }{
		"fails":     {of(status(500)), "500 Internal Server Error"},
		"refuses":   {of(status(404)), "404 Not Found"},
		"hangs":     {silent.URL, "no answer within 300ms"},
		"is-closed": {closed.URL, "connection refused"},
		"redirects": {of(func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, inner.URL, http.StatusTemporaryRedirect)
		}), "307 Temporary Redirect"},
		"is-nobody": {untrusted.URL, "certificate"},
		"is-long":   {of(func(w http.ResponseWriter, r *http.Request) { endless(w, r, 503) }), "503 Service Unavailable"},
		"has-headers": {of(func(w http.ResponseWriter, _ *http.Request) {
			for i := range 200 {
				w.Header().Set(fmt.Sprint("X-", i), strings.Repeat("x", 1000))
			}
		}), "header"},
		"talks-nonsense": {of(func(w http.ResponseWriter, _ *http.Request) {
			conn, _, err := w.(http.Hijacker).Hijack()
			if err == nil {
				_, _ = conn.Write([]byte("hello\r\n\r\n"))
				conn.Close()
			}
		}), "malformed HTTP response"},
	} {
		t.Run(name, func(t *testing.T) {
			in := install(t)
			timeout := time.Minute
			if name == "hangs" {
				timeout = 300 * time.Millisecond
			}
			n := in.node(Options{Timeout: timeout}, Target{Name: name, URL: c.url})
			in.notice("t1")
			same(t, "the try", in.tried(n).Outcome, Failed)
			same(t, "what waits", in.counts(n, name), store.WebhookCounts{Waiting: 1, Failed: 1})
			in.move(time.Minute)
			same(t, "the next try", in.tried(n).Outcome, Failed)
			if err := n.Shutdown(t.Context()); err != nil {
				t.Fatal(err)
			}
			in.move(time.Hour)
			taken, err := n.store.TakeWebhooks(t.Context(), store.WebhookTake{Target: name, Limit: 1, Hold: time.Hour})
			if err != nil || len(taken.Webhooks) != 1 {
				t.Fatalf("%+v, %v", taken, err)
			}
			same(t, "tries", taken.Webhooks[0].Tries.Count, 2)
			has(t, "the error", taken.Webhooks[0].Tries.Error, c.says)
		})
	}
	same(t, "what a redirect led to", len(inner.all()), 0)
}

// endless answers until nobody listens.
func endless(w http.ResponseWriter, r *http.Request, code int) {
	w.WriteHeader(code)
	for r.Context().Err() == nil {
		if _, err := w.Write(make([]byte, 64<<10)); err != nil {
			return
		}
	}
}

// Only the status counts: what comes behind it, however much or however slowly, is
// not waited for.
func TestAnswersAreReadWithinBounds(t *testing.T) {
	written := make(chan int, 1)
	for name, answer := range map[string]func(http.ResponseWriter, *http.Request){
		"endless": func(w http.ResponseWriter, r *http.Request) {
			n := 0
			for r.Context().Err() == nil && n < 1<<30 {
				m, err := w.Write(make([]byte, 64<<10))
				if n += m; err != nil {
					break
				}
			}
			written <- n
		},
		"drips": func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(202)
			w.(http.Flusher).Flush()
			<-r.Context().Done()
			written <- 0
		},
	} {
		t.Run(name, func(t *testing.T) {
			in, rec := install(t), receive(t, answer)
			n := in.node(Options{Timeout: time.Minute}, Target{Name: "crm", URL: rec.URL})
			in.notice("t1")
			same(t, "the try", in.tried(n).Outcome, Delivered)
			if bytes := <-written; bytes > 32<<20 {
				t.Errorf("%d bytes were taken", bytes)
			}
		})
	}
}

// Tries go on for a day. Then it is dead, and can be sent again, as if it had not been
// tried.
func TestADayOfTries(t *testing.T) {
	in, rec := install(t), receive(t, status(503))
	n := in.node(Options{}, Target{Name: "crm", URL: rec.URL})
	in.notice("t1")
	began := in.clock()
	tries := 1
	for in.tried(n).Outcome == Failed {
		tries++
		if tries > 40 {
			t.Fatal("tries without an end")
		}
		same(t, "what waits", in.counts(n, "crm"), store.WebhookCounts{Waiting: 1, Failed: 1})
		same(t, "failing since", n.Targets()[0].Failure.Since.UnixMilli(), began.UnixMilli())
		due, err := in.client.ZRangeWithScores(t.Context(), in.client.Keys(t.Context(), "*:hook:crm:due").Val()[0], 0, 0).Result()
		if err != nil {
			t.Fatal(err)
		}
		in.move(time.UnixMilli(int64(due[0].Score)).Sub(in.clock()))
	}
	if took := in.clock().Sub(began); took != patience || tries < 10 || tries > 20 {
		t.Errorf("%d tries in %s", tries, took)
	}
	same(t, "what is dead", in.counts(n, "crm"), store.WebhookCounts{Dead: 1})
	page, err := n.Dead(t.Context(), store.DeadWebhookQuery{Target: "crm"})
	if err != nil || len(page.Dead) != 1 || page.Dead[0].Tries.Count != tries || page.Dead[0].Tries.Error != "503 Service Unavailable" {
		t.Fatalf("%+v, %v", page, err)
	}
	same(t, "why it fails", n.Targets()[0].Failure.Error, "503 Service Unavailable")
	same(t, "what it answered", n.Targets()[0].Failure.Status, 503)
	if said := strings.Count(n.log.String(), "takes nothing"); said < 2 || said >= tries {
		t.Errorf("the log has it %d times, of %d tries in a day", said, tries)
	}
	has(t, "the log", n.log.String(), `error="503 Service Unavailable"`, "given up", "target=crm", "id="+page.Dead[0].Notice.ID)
	rec.become(nil)
	if ok, err := n.Resend(t.Context(), "crm", "", page.Dead[0].Notice.ID); !ok || err != nil {
		t.Fatal(ok, err)
	}
	same(t, "sent again", in.tried(n).Outcome, Delivered)
	same(t, "the failure", n.Targets()[0].Failure, Failure{})
	has(t, "the log", n.log.String(), "takes them again")
	all := rec.all()
	same(t, "its id", all[len(all)-1].header.Get("webhook-id"), all[0].header.Get("webhook-id"))
	same(t, "its body", string(all[len(all)-1].body), string(all[0].body))
	if _, err := n.Resend(t.Context(), "nobody", "", "x"); !errors.Is(err, ErrNoTarget) {
		t.Error(err)
	}
}

// 410 ends what a target gets, on all nodes, until it is enabled or is configured anew.
// What it is owed waits.
func TestGone(t *testing.T) {
	in, rec := install(t), receive(t, status(410))
	target := Target{Name: "crm", URL: rec.URL}
	n := in.node(Options{}, target)
	in.notice("t1")
	same(t, "the try", in.tried(n).Outcome, Gone)
	in.eventually("it is told", func() bool {
		list, err := n.Status(t.Context())
		return err == nil && list[0].Gone.Equal(in.clock())
	})
	has(t, "the log", n.log.String(), "410 Gone", "target=crm")
	other := in.node(Options{}, target)
	in.eventually("the other node knows", func() bool { return other.lines["crm"].gone.Load() })
	in.notice("t2")
	rec.become(nil)
	changed := target
	changed.Secrets = []string{secretB}
	third := in.node(Options{}, changed)
	same(t, "as it is configured there it wants more", in.tried(third).Outcome, Delivered)
	same(t, "and more", in.tried(third).Outcome, Delivered)
	if err := third.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	in.notice("t3")
	in.move(time.Hour)
	if err := n.Enable(t.Context(), "crm"); err != nil {
		t.Fatal(err)
	}
	same(t, "enabled", in.tried(n).Outcome, Delivered)
	if err := n.Enable(t.Context(), "nobody"); !errors.Is(err, ErrNoTarget) {
		t.Error(err)
	}
	same(t, "what it got", len(rec.all()), 4)
}

// A target that does not answer holds up its own line and no other.
func TestASlowTargetDelaysNobody(t *testing.T) {
	in, fast := install(t), receive(t, nil)
	release := make(chan struct{})
	slow := receive(t, func(http.ResponseWriter, *http.Request) { <-release })
	n := in.node(Options{Timeout: time.Minute}, Target{Name: "slow", URL: slow.URL}, Target{Name: "fast", URL: fast.URL})
	for i := range 100 {
		in.notice(fmt.Sprint("t", i))
	}
	for range 100 {
		try := in.tried(n)
		same(t, "a try", []any{try.Target, try.Outcome}, []any{"fast", Delivered})
	}
	in.eventually("four are under way", func() bool { return len(slow.all()) >= 4 })
	same(t, "the slow one has", len(slow.all()), 4)
	close(release)
	for range 100 {
		in.tried(n)
	}
	same(t, "the slow one has then", len(slow.all()), 100)
}

// Nodes share the work, and each webhook is sent once while none dies.
func TestNodesShareTheWork(t *testing.T) {
	in, rec := install(t), receive(t, nil)
	target := Target{Name: "crm", URL: rec.URL}
	nodes := []*node{in.node(Options{}, target), in.node(Options{}, target)}
	for i := range 200 {
		in.notice(fmt.Sprint("t", i))
	}
	in.eventually("all are sent", func() bool { return len(nodes[0].tries)+len(nodes[1].tries) == 200 })
	seen := map[string]bool{}
	for _, g := range rec.all() {
		seen[g.header.Get("webhook-id")] = true
	}
	same(t, "what came, and how much of it was new", []int{len(rec.all()), len(seen)}, []int{200, 200})
}

// A node that dies between taking and sending loses nothing: it is another's.
func TestANodeThatDiesLosesNothing(t *testing.T) {
	in, rec := install(t), receive(t, nil)
	dead := in.store()
	take := store.WebhookTake{Target: "crm", FromStart: true, Limit: 10, Hold: time.Minute}
	if _, err := dead.TakeWebhooks(t.Context(), take); err != nil {
		t.Fatal(err)
	}
	in.notice("t1")
	in.notice("t2")
	if taken, err := dead.TakeWebhooks(t.Context(), take); err != nil || len(taken.Webhooks) != 2 {
		t.Fatalf("%+v, %v", taken, err)
	}
	n := in.node(Options{}, Target{Name: "crm", URL: rec.URL})
	in.notice("t3")
	in.tried(n)
	same(t, "held by the dead", len(rec.all()), 1)
	in.move(time.Minute)
	in.tried(n)
	in.tried(n)
	same(t, "all", len(rec.all()), 3)
}

// A shutdown waits for what is under way, gives back what is not, and cuts off what does
// not end in time.
func TestShutdown(t *testing.T) {
	in := install(t)
	release, arrived := make(chan struct{}), make(chan struct{}, 100)
	rec := receive(t, func(_ http.ResponseWriter, r *http.Request) {
		arrived <- struct{}{}
		select {
		case <-release:
		case <-r.Context().Done():
		}
	})
	n := in.node(Options{Workers: 1, Timeout: time.Minute}, Target{Name: "crm", URL: rec.URL})
	for i := range 5 {
		in.notice(fmt.Sprint("t", i))
	}
	<-arrived
	in.eventually("one more is taken", func() bool { return n.lines["crm"].busy.Load() == 2 })
	ended := make(chan error, 1)
	go func() { ended <- n.Shutdown(context.Background()) }()
	<-n.closing.Done()
	close(release)
	if err := <-ended; err != nil {
		t.Error(err)
	}
	same(t, "tries", len(n.tries), 1)
	taken, err := in.store().TakeWebhooks(t.Context(), store.WebhookTake{Target: "crm", Limit: 10, Hold: time.Millisecond})
	if err != nil || len(taken.Webhooks) != 4 {
		t.Errorf("%d were given back, %v", len(taken.Webhooks), err)
	}
	in.move(time.Second)

	stuck := receive(t, func(_ http.ResponseWriter, r *http.Request) {
		arrived <- struct{}{}
		<-r.Context().Done()
	})
	n = in.node(Options{Workers: 1, Timeout: time.Minute}, Target{Name: "crm", URL: stuck.URL})
	<-arrived
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := n.Shutdown(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
	same(t, "tries of what was cut off", len(n.tries), 0)
	same(t, "what is owed", in.counts(n, "crm"), store.WebhookCounts{Waiting: 4})
}

// Targets that no node has used for a while are forgotten.
func TestUnusedTargetsAreForgotten(t *testing.T) {
	in, rec := install(t), receive(t, status(500))
	n := in.node(Options{}, Target{Name: "old", URL: rec.URL})
	in.notice("t1")
	in.tried(n)
	if err := n.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	in.move(7 * 24 * time.Hour)
	in.node(Options{}, Target{Name: "new", URL: rec.URL}, Target{Name: "other", URL: rec.URL})
	states := func() map[string]store.TargetState {
		states, err := n.store.UseTargets(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		return states
	}
	in.eventually("the new ones are used", func() bool { return len(states()) == 3 })
	in.move(time.Second)
	in.node(Options{}, Target{Name: "new", URL: rec.URL})
	in.eventually("the old one is forgotten", func() bool { return len(states()) == 2 })
	same(t, "what it was owed", in.counts(n, "old"), store.WebhookCounts{})
}
