package server

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/runner"
	"github.com/aguiws/aguiws/adapter/script"
	"github.com/aguiws/aguiws/redisstore"
	"github.com/aguiws/aguiws/redisstore/redistest"
	"github.com/aguiws/aguiws/server/internal/refusal"
	"github.com/aguiws/aguiws/server/internal/ws"
)

// admitting are the operations that ask for a run, each of which is one of the
// inputs that a user may send.
var admitting = []string{"resolveInbox", "addInput", "resolveInterrupts", "requeueRun", "unpauseThread", "restoreBranch", "createThread"}

// later asks for all operations at once and calls check with each answer, which is held
// against the document if it refuses.
func (v *v1Server) later(named ids, check func(op operation, status int, problem map[string]any)) {
	v.t.Helper()
	var group sync.WaitGroup
	defer group.Wait()
	for _, op := range v.ops {
		body := ""
		if op.method != http.MethodGet {
			body = bodies[op.method+" /v1"+op.path](named)
		}
		path := strings.TrimPrefix(fill(v.t, "/v1"+op.path, named, ""), "/v1")
		group.Go(func() {
			status, text, header := v.send(op.method, path, body, nil)
			if status != http.StatusTooManyRequests && status != http.StatusServiceUnavailable {
				check(op, status, nil)
				return
			}
			if seconds, err := strconv.Atoi(header.Get("Retry-After")); err != nil || seconds < 1 {
				v.t.Errorf("%s: %d with Retry-After %q", op.id, status, header.Get("Retry-After"))
			}
			check(op, status, v.refused(&op, status, text, header))
		})
	}
}

func TestV1InputRate(t *testing.T) {
	v := newV1With(t, &Options{InputsPerMinute: 0.01, InputBurst: 1}).as("0123456789abcdef-operator")
	v.call("addInput", 202, "/threads/t/input", say("/say hello"))
	named := ids{"t", "nobody's", "nobody's", "nobody's", "nobody's"}
	v.later(named, func(op operation, status int, problem map[string]any) {
		switch counted := slices.Contains(admitting, op.id); {
		case counted != (status == http.StatusTooManyRequests):
			t.Errorf("%s: %d after the last input", op.id, status)
		case counted && problem["code"] != refusal.CodeRateLimited:
			t.Errorf("%s: %v", op.id, problem)
		}
	})
	// The user's inputs are counted together, others' are not among them.
	c := v.ts.connect("/agui/ws", bearer(v.token, ws.Subprotocol))
	c.expect("ws.hello")
	c.send(input("other", "r"))
	c.expect("ws.run")
	c.expect("ws.stream")
	if f := c.expect("RUN_ERROR"); f["code"] != refusal.CodeRateLimited {
		t.Errorf("an input by socket: %v", f)
	}
	v.as(annsToken).call("addInput", 202, "/threads/t/input", say("/say hello"))
	counts(t, v.ts.opts.Metrics, float64(len(admitting)+1), "aguiws_refusals_total", refusal.CodeRateLimited)
}

// What is asked for too often is refused by every operation.
func TestV1RequestRate(t *testing.T) {
	v := newV1With(t, &Options{RequestsPerUser: 0.01, RequestBurst: 1}).as("0123456789abcdef-operator")
	v.call("listThreads", 200, "/threads", "")
	v.later(never, func(op operation, status int, problem map[string]any) {
		if strings.Contains(op.path, "{token}") {
			return // it counts for an address: nobody is known to send it
		}
		if status != http.StatusTooManyRequests || problem["code"] != refusal.CodeRateLimited {
			t.Errorf("%s: %d %v", op.id, status, problem)
		}
	})
}

// A store that does not answer is no fault of who asks, nor of the server.
func TestV1StoreGone(t *testing.T) {
	redis := redistest.Start(t, redistest.Options{})
	store, err := redisstore.Open(t.Context(), redis.URL(), &redisstore.Options{Timeout: patience})
	if err != nil {
		t.Fatal(err)
	}
	closes(t, store)
	r := newRunner(t, store, &runner.Options{Agents: map[string]adapter.Agent{"": script.New(script.Options{})}, StoreTimeout: time.Second})
	v := newV1On(t, r, &Options{CallTimeout: time.Second}).as("0123456789abcdef-root-of-all")
	redis.Kill()
	v.later(never, func(op operation, status int, problem map[string]any) {
		// There is no target to ask the store about, a token that is none is refused without it, upstreams and who asks are not the store's, and the others tell that it is gone.
		if strings.Contains(op.path, "/webhooks") || strings.Contains(op.path, "{token}") || slices.Contains([]string{"/me", "/agents", "/upstreams", "/nodes", "/store"}, op.path) {
			return
		}
		if status != http.StatusServiceUnavailable || problem["code"] != refusal.CodeStore {
			t.Errorf("%s: %d %v", op.id, status, problem)
		}
	})
}
