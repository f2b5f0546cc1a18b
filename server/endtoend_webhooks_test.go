package server

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/runner"
	"github.com/aguiws/aguiws/adapter/script"
	"github.com/aguiws/aguiws/server/webhook"
)

// What runs do arrives where it is sent, signed, in its order and once: a target that
// takes each at once sees what a reader of the notices does.
func TestEndToEndWebhooks(t *testing.T) {
	const secret = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYX"
	verifier, err := standardwebhooks.NewWebhook(secret)
	if err != nil {
		t.Fatal(err)
	}
	type event struct {
		Type string
		Data struct{ ID, ThreadID, RunID, User, By, How string }
	}
	arrived := make(chan event, 100)
	target := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err == nil {
			err = verifier.Verify(body, r.Header)
		}
		var e event
		if err == nil {
			err = json.Unmarshal(body, &e)
		}
		if err != nil || e.Data.ID != r.Header.Get("Webhook-Id") {
			t.Errorf("%v: %s", err, body)
		}
		arrived <- e
	}))
	t.Cleanup(target.Close)

	s := embedded(t)
	sender, err := webhook.New(s, []webhook.Target{{Name: "crm", URL: target.URL, Secrets: []string{secret}, FromStart: true}}, &webhook.Options{
		Workers: 1, Poll: time.Millisecond, PrivateHosts: []string{"127.0.0.1"}, Logger: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = sender.Shutdown(context.Background()) })
	r := newRunner(t, s, &runner.Options{Agents: map[string]adapter.Agent{"": script.New(script.Options{}), "script": script.New(script.Options{})}})
	v := newV1On(t, r, &Options{RequestBurst: 1000, Webhooks: sender})
	first := v.call("listNotices", 200, "/notices", "")["next"].(string)

	v.call("addInput", 202, "/threads/t/input", `{"text":"/confirm sure?","runId":"asks"}`)
	interrupt := v.rests("t")["interrupts"].([]any)[0].(map[string]any)["id"].(string)
	v.call("resolveInterrupts", 200, "/threads/t/interrupts/resolve", `{"runId":"answers","entries":[`+resolved(interrupt, `{"approved":true}`)+`]}`)
	v.rests("t")

	var told []event
	for _, n := range items(v.call("listNotices", 200, "/notices?after="+first, "")) {
		var e event
		text, _ := json.Marshal(n)
		if err := json.Unmarshal(text, &e.Data); err != nil {
			t.Fatal(err)
		}
		e.Type = n["kind"].(string)
		told = append(told, e)
	}
	if len(told) != 6 || told[5].Type != "run.ended" || told[5].Data.RunID != "answers" {
		t.Fatalf("told %+v", told)
	}
	var got []event
	for range told {
		select {
		case e := <-arrived:
			got = append(got, e)
		case <-time.After(patience):
			t.Fatalf("%+v arrived, and not %+v", got, told)
		}
	}
	if !slices.Equal(got, told) {
		t.Errorf("%+v arrived, not %+v", got, told)
	}
	eventually(t, "nothing is owed", func() bool {
		owed, err := s.CountWebhooks(t.Context(), "crm")
		return err == nil && owed.Waiting+owed.Failed+owed.Dead == 0
	})
	if len(arrived) > 0 {
		t.Errorf("%d arrived again", len(arrived))
	}
}
