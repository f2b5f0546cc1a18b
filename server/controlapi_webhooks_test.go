package server

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/runner"
	"github.com/aguiws/aguiws/adapter/script"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/server/identity"
	"github.com/aguiws/aguiws/server/metrics"
	"github.com/aguiws/aguiws/server/webhook"
)

// deadStore has a dead webhook of each of two tenants for every target.
type deadStore struct {
	resent  chan string
	revived chan string
}

func (d *deadStore) TakeWebhooks(context.Context, store.WebhookTake) (store.WebhooksTaken, error) {
	return store.WebhooksTaken{Next: -1}, nil
}
func (d *deadStore) SettleWebhook(context.Context, string, store.WebhookResult) error { return nil }
func (d *deadStore) CountWebhooks(context.Context, string) (store.WebhookCounts, error) {
	return store.WebhookCounts{Waiting: 5, Failed: 2, Dead: 2, Most: 100}, nil
}

func (d *deadStore) DeadWebhooks(_ context.Context, q store.DeadWebhookQuery) (page store.DeadWebhookPage, err error) {
	for i, tenant := range []string{"acme", "other"} {
		if q.Tenant == "" || q.Tenant == tenant {
			n := store.Notice{ID: fmt.Sprint("1-1-", i), Kind: store.NoticeOpened, At: time.UnixMilli(1), Tenant: tenant, Thread: store.ThreadKey{Namespace: "n", Thread: "of-" + tenant}}
			page.Dead = append(page.Dead, store.DeadWebhook{Notice: n, Died: time.UnixMilli(2), Tries: store.WebhookTries{Count: 13, Error: "503 Service Unavailable"}})
		}
	}
	return page, nil
}

func (d *deadStore) ResendWebhook(ctx context.Context, target, tenant, id string) (bool, error) {
	page, _ := d.DeadWebhooks(ctx, store.DeadWebhookQuery{Tenant: tenant})
	for _, dead := range page.Dead {
		if dead.Notice.ID == id {
			d.resent <- target + " " + id
			return true, nil
		}
	}
	return false, nil
}

func (d *deadStore) UseTargets(context.Context, []string) (map[string]store.TargetState, error) {
	return map[string]store.TargetState{}, nil
}
func (d *deadStore) TargetGone(context.Context, string, string) error { return nil }
func (d *deadStore) ReviveTarget(_ context.Context, name string) error {
	d.revived <- name
	return nil
}
func (d *deadStore) ForgetTarget(context.Context, string, store.TargetState) error { return nil }

// Admins see the targets of their tenant, and of those of all tenants what is their
// tenant's; with the scope tenants all of them.
func TestV1Webhooks(t *testing.T) {
	d := &deadStore{make(chan string, 10), make(chan string, 10)}
	secret := []string{"whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYX"}
	sender, err := webhook.New(d, []webhook.Target{
		{Name: "all", URL: "https://all.example/k-4711", Secrets: secret},
		{Name: "ours", URL: "https://ours.example/", Secrets: secret, Tenant: "acme", Kinds: []store.NoticeKind{store.NoticeOpened}},
		{Name: "theirs", URL: "https://theirs.example/", Secrets: secret, Tenant: "other"},
	}, &webhook.Options{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = sender.Shutdown(context.Background()) })
	r := newRunner(t, embedded(t), &runner.Options{Agents: map[string]adapter.Agent{"": script.New(script.Options{})}})
	tokens := newTokens(t, []identity.Token{
		{Token: "0123456789abcdef-admin", Tenant: "acme", User: "me", Scopes: []string{identity.ScopeAdmin}},
		{Token: "0123456789abcdef-all", Tenant: "acme", User: "op", Scopes: []string{identity.ScopeAdmin, identity.ScopeTenants}},
	})
	metrics := metrics.New()
	w := &walk{testServer: newTestServer(t, running(r), &Options{Auth: tokens, Webhooks: sender, Metrics: metrics})}
	owed := `"owed":{"waiting":5,"failed":2,"dead":2,"most":100}`
	dead := func(i int, tenant string) string {
		return fmt.Sprintf(`{"id":"1-1-%d","kind":"interrupt.opened","at":"1970-01-01T00:00:00.001Z","threadId":"of-%s","namespace":"n","tenant":"%s","diedAt":"1970-01-01T00:00:00.002Z","tries":13,"error":"503 Service Unavailable"}`, i, tenant, tenant)
	}
	ours := `{"name":"ours","url":"https://ours.example","kinds":["interrupt.opened"],"tenant":"acme",` + owed + `}`
	for _, c := range []struct{ who, method, path, status, says string }{
		{"admin", "GET", "", "200", `{"items":[{"name":"all","url":"https://all.example"},` + ours + `]}`},
		{"all", "GET", "", "200", `{"items":[{"name":"all","url":"https://all.example",` + owed + `},` + ours + `,{"name":"theirs","url":"https://theirs.example","tenant":"other",` + owed + `}]}`},
		{"admin", "GET", "/all/dead", "200", `{"items":[` + dead(0, "acme") + `]}`},
		{"all", "GET", "/all/dead", "200", `{"items":[` + dead(0, "acme") + `,` + dead(1, "other") + `]}`},
		{"admin", "GET", "/theirs/dead", "404", "webhook_not_found"},
		{"admin", "GET", "/nobody/dead", "404", "webhook_not_found"},
		{"admin", "POST", "/all/dead/1-1-1/resend", "404", "webhook_not_found"},
		{"admin", "POST", "/all/dead/1-1-0/resend", "204", ""},
		{"all", "POST", "/all/dead/1-1-1/resend", "204", ""},
		{"admin", "POST", "/theirs/dead/1-1-1/resend", "404", "webhook_not_found"},
		{"admin", "POST", "/all/enable", "403", "this needs the scope tenants"},
		{"admin", "POST", "/theirs/enable", "404", "webhook_not_found"},
		{"admin", "POST", "/ours/enable", "204", ""},
	} {
		answer := w.request(t, c.method, "/v1/webhooks"+c.path, "0123456789abcdef-"+c.who, "")
		if !strings.HasPrefix(answer, c.status+" ") || !strings.Contains(answer, c.says) || strings.Contains(answer, "k-4711") {
			t.Errorf("%s %s for %s: %s, not %s %s", c.method, c.path, c.who, answer, c.status, c.says)
		}
	}
	close(d.resent)
	close(d.revived)
	for _, want := range []string{"all 1-1-0", "all 1-1-1"} {
		if got := <-d.resent; got != want {
			t.Errorf("%q was sent again, not %q", got, want)
		}
	}
	if got := <-d.revived; got != "ours" || len(d.revived) > 0 {
		t.Errorf("%q was enabled", got)
	}
	metrics.Webhook(webhook.Try{Target: "ours", Outcome: webhook.Delivered, Took: time.Second})
	for _, want := range []struct {
		n      float64
		name   string
		labels []string
	}{
		{1, "aguiws_webhook_tries_total", []string{"delivered", "ours"}}, {1, "aguiws_webhook_seconds", []string{"ours"}},
		{3, "aguiws_webhooks_owed", []string{"waiting", "all"}}, {2, "aguiws_webhooks_owed", []string{"retrying", "all"}},
		{2, "aguiws_webhooks_owed", []string{"dead", "theirs"}}, {1, "aguiws_webhook_target_enabled", []string{"ours"}},
	} {
		counts(t, metrics, want.n, want.name, want.labels...)
	}
}

// A target that takes nothing is told with the error and the status of its last try.
func TestV1WebhooksTellWhyATargetTakesNothing(t *testing.T) {
	far := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "later", http.StatusServiceUnavailable) }))
	t.Cleanup(far.Close)
	st := embedded(t)
	sender, err := webhook.New(st, []webhook.Target{{Name: "far", FromStart: true, URL: far.URL + "/k-4711", Secrets: []string{"whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYX"}}},
		&webhook.Options{PrivateHosts: []string{"127.0.0.1"}, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = sender.Shutdown(context.Background()) })
	r := newRunner(t, st, &runner.Options{Agents: map[string]adapter.Agent{"": script.New(script.Options{})}})
	w := &walk{testServer: newTestServer(t, running(r), &Options{Webhooks: sender})}
	w.request(t, "POST", "/agui", "", `{"threadId":"t","runId":"r","messages":[{"id":"m","role":"user","content":"/confirm go on?"}]}`)
	eventually(t, "the failure is told", func() bool {
		answer := w.request(t, "GET", "/v1/webhooks", "", "")
		return strings.Contains(answer, `"lastStatus":503`) && strings.Contains(answer, `"lastError":"`) && strings.Contains(answer, `"failingSince":"`) && !strings.Contains(answer, "k-4711")
	})
}
