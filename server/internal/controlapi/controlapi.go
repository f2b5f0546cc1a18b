// Package controlapi is the control API under /v1: threads, runs, dispatches and
// the inbox as JSON, for programs and operators.
//
// Every operation stands in a list with its path, its scopes and the types of its
// body and answer; the routes and the OpenAPI document are made of that list.
package controlapi

import (
	"bytes"
	"context"
	"encoding/json"
	"iter"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/server/internal/peer"
	"github.com/aguiws/aguiws/server/internal/refusal"
	"github.com/aguiws/aguiws/server/internal/requestbody"
)

// API answers requests to the control API.
type API struct {
	config     Config
	operations []operation
	document   func() []byte
}

// New makes the API.
func New(c Config) *API {
	list := slices.Concat(operations(), noticeOperations(), decisionOperations(), nodeOperations())
	if c.Logins != nil {
		list = append(list, loginOperations()...)
	}
	return &API{config: c, operations: list, document: sync.OnceValue(func() []byte { return openAPI(list) })}
}

// operations are all that the control API can do.
func operations() []operation {
	return slices.Concat(threadOperations(), branchOperations(), payloadOperations(), treeOperations(), runOperations(), inboxOperations(), quotaOperations(), webhookOperations(), workOperations(), upstreamOperations(), eventOperations(), meOperations(), agentOperations())
}

// Routes are what the API answers, by patterns of http.ServeMux.
func (a *API) Routes() iter.Seq2[string, http.HandlerFunc] {
	return func(yield func(string, http.HandlerFunc) bool) {
		if !yield("GET /v1/openapi.json", a.serveDocument) {
			return
		}
		for i := range a.operations {
			op := &a.operations[i]
			serve := func(w http.ResponseWriter, r *http.Request) { a.serve(w, r, op) }
			if !yield(op.method+" /v1"+op.path, serve) {
				return
			}
		}
	}
}

func (a *API) serveDocument(w http.ResponseWriter, r *http.Request) {
	if _, refused := a.config.Gate.Enter(r); refused != nil {
		(&problem{Refusal: refused}).write(w)
		return
	}
	writeTagged(w, r, http.StatusOK, a.document())
}

// serve answers one call: who asks, what is asked, then the operation.
func (a *API) serve(w http.ResponseWriter, r *http.Request, op *operation) {
	c := &call{Config: &a.config, op: op, header: w.Header()}
	var refused *refusal.Refusal
	if op.byToken {
		refused = c.enterByToken(r)
	} else {
		c.caller, refused = a.config.Gate.Enter(r)
	}
	if refused != nil {
		(&problem{Refusal: refused}).write(w)
		return
	}
	held := c.Gate.Hold(r.Context(), c.caller)
	defer held.Release()
	if op.byToken {
		c.body, refused = requestbody.Text(w, r, min(maxEventBytes, a.config.MaxBodyBytes), held.Body)
	} else if op.body != nil {
		c.body, refused = requestbody.JSON(w, r, a.config.MaxBodyBytes, held.Body)
	}
	if refused != nil {
		(&problem{Refusal: refused}).write(w)
		return
	}
	a.serveCall(w, r, c, held)
}

// serveCall answers a call whose body is read.
func (a *API) serveCall(w http.ResponseWriter, r *http.Request, c *call, held *peer.Holding) {
	op := c.op
	format := ""
	var err error
	if op.exports {
		format, err = exportFormat(r)
	}
	if format != "" && r.Method == http.MethodGet {
		if err = c.export(w, r, held, format); err == nil {
			return
		}
	}
	if op.bytes {
		if err = c.servePayload(w, r, held); err == nil {
			return
		}
	}
	var text []byte
	if err == nil {
		text, err = a.answer(c, r, held)
	}
	if err != nil {
		c.r = r // whose context ends with the client only
		c.problem(err).write(w)
		return
	}
	if text == nil {
		w.WriteHeader(http.StatusNoContent)
		return
	}
	writeTagged(w, r, op.status, text)
}

// answer carries the call out within what it may hold; nil without an error: there is
// no answer.
func (a *API) answer(c *call, r *http.Request, held *peer.Holding) ([]byte, error) {
	timeout := a.config.Gate.Options.CallTimeout
	if c.op.waits {
		timeout += maxWait * time.Second
	}
	ctx, cancel := context.WithTimeout(store.WithRoom(r.Context(), held.Build), timeout)
	defer cancel()
	c.r = r.WithContext(ctx)
	if c.op.lists {
		if err := held.Build(listed); err != nil {
			return nil, err
		}
	}
	answer, err := c.carryOut()
	if err != nil || answer == nil {
		return nil, err
	}
	text, err := written(answer)
	if err == nil {
		err = held.Keep(int64(len(text)))
	}
	return text, err
}

// written is an answer as JSON. It is no HTML, so that what stands for a letter of that
// takes no six bytes.
func written(answer any) ([]byte, error) {
	var text bytes.Buffer
	to := json.NewEncoder(&text)
	to.SetEscapeHTML(false)
	err := to.Encode(answer)
	return bytes.TrimSuffix(text.Bytes(), []byte("\n")), err
}
