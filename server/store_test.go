package server

import (
	"context"
	"net/http"
	"sync"
	"testing"

	"github.com/aguiws/aguiws/adapter/admission"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/server/internal/refusal"
	"github.com/aguiws/aguiws/server/metrics"
)

// fakeStore is what a fake says of its store.
type fakeStore struct {
	mu      sync.Mutex
	down    bool
	changed func()
}

func (b *fake) StoreAvailable() bool {
	b.store.mu.Lock()
	defer b.store.mu.Unlock()
	return !b.store.down
}

func (b *fake) OnStore(changed func()) { b.store.changed = changed }

// storeIs changes whether the store answers, and tells.
func (b *fake) storeIs(available bool) {
	b.store.mu.Lock()
	b.store.down = !available
	b.store.mu.Unlock()
	b.store.changed()
}

const (
	storeIsDown  = `{"type":"ws.store","available":false}`
	storeAnswers = `{"type":"ws.store","available":true}`
)

// Every socket is told when the store does not answer and when it does again, one
// that opens meanwhile right after the greeting, and no other anything.
func TestStoreFrame(t *testing.T) {
	b := newFake()
	ts := newTestServer(t, b, nil)
	first, second := ts.dial(), ts.dial()
	first.send(`{"type":"ws.ping","id":"p"}`)
	first.wants(`{"type":"ws.pong","id":"p","positions":{}}`)
	b.storeIs(false)
	first.wants(storeIsDown)
	second.wants(storeIsDown)
	late := ts.dial()
	late.wants(storeIsDown)
	b.store.changed() // nothing has
	b.storeIs(true)
	for _, c := range []*client{first, second, late, ts.dial()} {
		if c == first || c == second || c == late {
			c.wants(storeAnswers)
		}
		c.send(`{"type":"ws.ping"}`)
		c.wants(`{"type":"ws.pong","positions":{}}`)
	}
}

// While it is known that the store does not answer an input is refused at once,
// may be sent again, and costs nothing of what the user may send.
func TestInputWhileTheStoreIsDown(t *testing.T) {
	b := newFake()
	b.submit = func(context.Context, admission.Input) (admission.Admitted, error) {
		t.Error("the store was asked")
		return admission.Admitted{}, store.ErrOutcomeUnknown
	}
	ts := newTestServer(t, b, &Options{InputsPerMinute: 1, InputBurst: 1})
	c := ts.dial()
	b.storeIs(false)
	c.wants(storeIsDown)
	for range 3 {
		c.send(input("t", "r"))
		c.wants(`{"type":"ws.run","threadId":"t","runId":"r","disposition":"refused"}`,
			`{"type":"ws.stream","threadId":"t","epoch":"","seq":0,"uncounted":1}`)
		refused := c.expect("RUN_ERROR")
		wait, _ := refused["metadata"].(map[string]any)["aguiws"].(map[string]any)["retryAfterMs"].(float64)
		if refused["code"] != refusal.CodeStore || wait < 2000 || wait > 5000 {
			t.Errorf("refused with %v", refused)
		}
	}
	b.set(func() { b.submit = nil })
	b.storeIs(true)
	c.wants(storeAnswers)
	c.send(input("t", "r"))
	c.wants(`{"type":"ws.run","threadId":"t","runId":"r","disposition":"started"}`)
}

// The probe needs no call of the store to know, and the gauge says the same.
func TestReadyKnowsTheStore(t *testing.T) {
	b := newFake()
	asked := 0
	m := metrics.New()
	ts := newTestServer(t, b, &Options{Metrics: m, Ready: func(context.Context) error { asked++; return nil }})
	ready := func(want int) {
		t.Helper()
		resp, err := ts.http.Client().Get(ts.http.URL + "/readyz")
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != want {
			t.Errorf("answered %d, not %d", resp.StatusCode, want)
		}
	}
	ready(http.StatusOK)
	counts(t, m, 1, "aguiws_store_available")
	b.storeIs(false)
	ready(http.StatusServiceUnavailable)
	counts(t, m, 0, "aguiws_store_available")
	b.storeIs(true)
	ready(http.StatusOK)
	if asked != 1 { // within a second
		t.Errorf("the store was asked %d times", asked)
	}
}
