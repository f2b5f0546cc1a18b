package server

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"slices"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/server/identity"
)

const (
	// maxStopBytes bounds the body of a stop.
	maxStopBytes = 8 << 10
	// stopRounds is how often a stop looks again for what has begun meanwhile.
	stopRounds = 4
)

// errNotStill says that runs of a thread begin as fast as they are stopped.
var errNotStill = errors.New("server: runs begin as fast as they are stopped")

var refuseStopping = &refusal{http.StatusForbidden, codeForbidden, "this identity may not stop runs", 0}

// stop ends one run of a thread, or all that is under way or waits there.
func (k *copilotCall) stop() {
	if _, ok := k.name(); !ok {
		return
	}
	label, ok := k.stopped()
	switch {
	case !ok:
		return
	case !isName(k.thread):
		k.refuse(refuseThreadID)
		return
	case !k.caller.identity.May(identity.ScopeRun):
		k.refuse(refuseStopping)
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(k.r.Context()), k.srv.opts.CallTimeout)
	defer cancel()
	key := store.ThreadKey{Namespace: k.caller.identity.Namespace, Thread: k.thread}
	var stopped bool
	var err error
	if label != "" {
		stopped, err = k.srv.stopRun(ctx, key, label)
	} else {
		stopped, err = k.srv.stopThread(ctx, key)
	}
	switch {
	case errors.Is(err, errNotStill):
		k.fail(http.StatusConflict, copilotError{Error: "Failed to stop agent", Message: "runs of the thread begin as fast as they are stopped; stop again"})
	case err != nil:
		k.srv.opts.Logger.Warn("stopping failed", "thread", k.thread, "error", err)
		k.fail(http.StatusInternalServerError, copilotError{Error: "Failed to stop agent", Message: "the outcome is unknown; stop again"})
	case !stopped:
		writeJSON(k.w, http.StatusOK, stopAnswer{Message: "No active run for thread '" + k.thread + "'."})
	default:
		writeJSON(k.w, http.StatusOK, stopAnswer{Stopped: true,
			Interrupt: map[string]string{"type": "RUN_ERROR", "message": "Run stopped by user", "code": "STOPPED"}})
	}
}

type stopAnswer struct {
	Stopped   bool              `json:"stopped"`
	Message   string            `json:"message,omitzero"`
	Interrupt map[string]string `json:"interrupt,omitzero"`
}

// stopped reads which run is to be stopped: "" for all of the thread. What
// cannot be read is answered.
func (k *copilotCall) stopped() (label string, ok bool) {
	body := k.body
	if body == nil {
		var refused *refusal
		if body, refused = k.srv.readBody(k.w, k.r, maxStopBytes); refused != nil {
			k.refuse(refused)
			return "", false
		}
	}
	if body = bytes.TrimSpace(body); len(body) == 0 {
		return "", true
	}
	members, bad := topMembers(body)
	id, named := members["runId"]
	if bad != nil || len(members) > 1 || len(members) == 1 && !named {
		k.fail(http.StatusBadRequest, copilotError{Error: "Invalid stop request", Message: "the body is empty, or an object with a runId and nothing else"})
		return "", false
	}
	if !named {
		return "", true
	}
	if label, ok = text(id); !ok || !isName(label) {
		k.fail(http.StatusBadRequest, copilotError{Error: "Invalid runId", Message: "a runId is a string of 1 to 1024 bytes"})
		return "", false
	}
	return label, true
}

// stopRun stops a run, and tells whoever waits for it here.
func (s *Server) stopRun(ctx context.Context, key store.ThreadKey, label string) (bool, error) {
	c, err := s.runs.Cancel(ctx, key, label)
	if err != nil {
		return false, err
	}
	if len(c.Owed) > 0 {
		s.waiting.settle(key, label, c.Owed)
	}
	return c.Stopped, nil
}

// stopThread stops all runs of a thread, the waiting ones first: none of them
// may begin because another ended. Without an error there was one look at the
// thread that found nothing more.
func (s *Server) stopThread(ctx context.Context, key store.ThreadKey) (stopped bool, err error) {
	f := s.runs.Follow(key, func() {})
	defer f.Close()
	for range stopRounds {
		a, err := f.Attach(ctx, nil)
		if err != nil {
			return stopped, err
		}
		var labels []string
		for _, q := range slices.Backward(a.Queued) {
			labels = append(labels, q.RunID)
		}
		if a.ActiveRunID != "" {
			labels = append(labels, a.ActiveRunID)
		}
		if len(labels) == 0 {
			return stopped, nil
		}
		for _, label := range labels {
			ended, err := s.stopRun(ctx, key, label)
			if err != nil {
				return stopped, err
			}
			stopped = stopped || ended
		}
	}
	return stopped, errNotStill
}
