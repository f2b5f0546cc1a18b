package copilotkit

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"slices"

	"github.com/aguiws/aguiws/adapter/admission"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/server/identity"
	"github.com/aguiws/aguiws/server/internal/refusal"
	"github.com/aguiws/aguiws/server/internal/requestbody"
	"github.com/aguiws/aguiws/server/internal/strictjson"
)

const (
	// maxStopBytes bounds the body of a stop.
	maxStopBytes = 8 << 10
	// stopRounds is how often a stop looks again for what has begun meanwhile.
	stopRounds = 4
)

// errNotStill says that runs of a thread begin as fast as they are stopped.
var errNotStill = errors.New("copilotkit: runs begin as fast as they are stopped")

var (
	refuseStopping = refusal.New(http.StatusForbidden, refusal.CodeForbidden, "this identity may not stop runs")
	refuseThreadID = refusal.New(http.StatusBadRequest, refusal.CodeInvalidInput, "a thread's id has "+strictjson.NameRule)
)

// stop ends one run of a thread, or all that is under way or waits there.
func (k *call) stop() {
	if _, ok := k.name(); !ok {
		return
	}
	label, ok := k.stopped()
	switch {
	case !ok:
		return
	case !strictjson.IsName(k.thread):
		k.refuse(refuseThreadID)
		return
	case !k.held.Caller.Identity.May(identity.ScopeRun):
		k.refuse(refuseStopping)
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(k.r.Context()), k.streams.Options.CallTimeout)
	defer cancel()
	var stopped bool
	var err error
	if label != "" {
		stopped, err = k.streams.Stop(ctx, k.key(k.thread), label, k.actor())
	} else {
		stopped, err = k.stopThread(ctx)
	}
	switch {
	case errors.Is(err, errNotStill):
		k.fail(http.StatusConflict, errorJSON{Error: "Failed to stop agent", Message: "runs of the thread begin as fast as they are stopped; stop again"})
	case err != nil:
		k.streams.Options.Logger.Warn("stopping failed", "thread", k.thread, "error", err)
		k.fail(http.StatusInternalServerError, errorJSON{Error: "Failed to stop agent", Message: "the outcome is unknown; stop again"})
	case !stopped:
		k.answer(http.StatusOK, stopJSON{Message: "No active run for thread '" + k.thread + "'."})
	default:
		k.answer(http.StatusOK, stopJSON{Stopped: true,
			Interrupt: map[string]string{"type": "RUN_ERROR", "message": "Run stopped by user", "code": "STOPPED"}})
	}
}

type stopJSON struct {
	Stopped   bool              `json:"stopped"`
	Message   string            `json:"message,omitzero"`
	Interrupt map[string]string `json:"interrupt,omitzero"`
}

// stopped reads which run is to be stopped: "" for all of the thread. It answers a request
// that cannot be read.
func (k *call) stopped() (label string, ok bool) {
	body := k.body
	if body == nil {
		var refused *refusal.Refusal
		if body, refused = requestbody.Text(k.w, k.r, maxStopBytes, k.held.Body); refused != nil {
			k.refuse(refused)
			return "", false
		}
	}
	if body = bytes.TrimSpace(body); len(body) == 0 {
		return "", true
	}
	members, bad := strictjson.Members(body)
	id, named := members["runId"]
	if bad != nil || len(members) > 1 || len(members) == 1 && !named {
		k.fail(http.StatusBadRequest, errorJSON{Error: "Invalid stop request", Message: "the body is empty, or an object with a runId and nothing else"})
		return "", false
	}
	if !named {
		return "", true
	}
	if label, ok = strictjson.Text(id); !ok || !strictjson.IsName(label) {
		k.fail(http.StatusBadRequest, errorJSON{Error: "Invalid runId", Message: "a runId is a string that has " + strictjson.NameRule})
		return "", false
	}
	return label, true
}

func (k *call) actor() admission.Actor { return k.held.Caller.Actor(store.ThroughCopilotKit) }

// stopThread stops all runs of a thread, the queued ones first: none of them
// may begin because another ended. Without an error there was one look at the
// thread that found nothing more.
func (k *call) stopThread(ctx context.Context) (stopped bool, err error) {
	f := k.follow(k.thread)
	defer f.Close()
	for range stopRounds {
		a, err := k.look(ctx, f)
		if err != nil {
			return stopped, err
		}
		var labels []string
		for _, q := range slices.Backward(a.Queued) {
			labels = append(labels, q.Label)
		}
		if a.ActiveLabel != "" {
			labels = append(labels, a.ActiveLabel)
		}
		if len(labels) == 0 && len(a.Interrupts) == 0 {
			return stopped, nil
		}
		for _, label := range labels {
			ended, err := k.streams.Stop(ctx, k.key(k.thread), label, k.actor())
			if err != nil {
				return stopped, err
			}
			stopped = stopped || ended
		}
		if len(a.Interrupts) > 0 {
			run, err := k.streams.Runs.CancelWaiting(ctx, k.key(k.thread), k.actor())
			if err != nil {
				return stopped, err
			}
			stopped = stopped || run != ""
		}
	}
	return stopped, errNotStill
}
