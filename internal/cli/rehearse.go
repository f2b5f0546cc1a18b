package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"sync"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/operate"
	"github.com/aguiws/aguiws/adapter/runner"
	"github.com/aguiws/aguiws/gateway"
	"github.com/aguiws/aguiws/redisstore"
)

// findings are what the gateway makes of an answer.
type findings struct {
	repairs  map[string]int
	code     string // of the failure; "": the run ended in order
	message  string
	asks     bool // it ended with interrupts
	protocol string
}

// rehearse has the gateway meet the answer of an exchange again, on a store and a server of
// loopback that are there for it alone: what it finds is what will be found.
func (e *upstreamEntry) rehearse(ctx context.Context, x *exchange) (*findings, error) {
	ctx, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	o, err := e.options(nil)
	if err != nil {
		return nil, err
	}
	found := &findings{repairs: map[string]int{}}
	var mu sync.Mutex
	o.TLS, o.Header, o.StopURL = nil, nil, ""
	o.Observe = func(seen gateway.Observation) {
		mu.Lock()
		defer mu.Unlock()
		if seen.Repair != "" {
			found.repairs[seen.Repair]++
			return
		}
		found.code, found.asks = seen.Code, seen.Interrupted
	}
	url, stop, err := x.serveAgain()
	if err != nil {
		return nil, err
	}
	defer stop()
	upstream, err := gateway.New(url, o)
	if err != nil {
		return nil, err
	}
	quiet := slog.New(slog.DiscardHandler)
	store, err := redisstore.Embedded(&redisstore.Options{Logger: quiet})
	if err != nil {
		return nil, err
	}
	defer store.Close()
	agent := &rehearsed{Upstream: upstream, ended: make(chan error, 1)}
	runs, err := runner.New(store, &runner.Options{Agents: map[string]adapter.Agent{"": agent}, Logger: quiet})
	if err != nil {
		return nil, err
	}
	if _, err = runs.Inject(ctx, operate.Injection{Namespace: "check", Thread: "check", Text: "check"}); err == nil {
		select {
		case err = <-agent.ended:
			if told, ok := errors.AsType[*adapter.UserError](err); ok {
				found.message = told.Message
			}
			err = nil // that it asks is none, and of a failure the observation has told
		case <-ctx.Done():
			err = context.Cause(ctx)
		}
	}
	err = errors.Join(err, runs.Shutdown(ctx), upstream.Close(ctx))
	found.protocol = upstream.Status().Protocol
	return found, err
}

// rehearsed is an upstream that tells how its run ended.
type rehearsed struct {
	*gateway.Upstream
	ended chan error
}

func (a *rehearsed) Run(ctx context.Context, run *adapter.Run) error {
	err := a.Upstream.Run(ctx, run)
	select {
	case a.ended <- err:
	default:
	}
	return err
}

// serveAgain serves the answer on loopback, under the ids of whoever asks.
func (x *exchange) serveAgain() (url string, stop func(), err error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	server := &http.Server{ReadHeaderTimeout: checkTimeout, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(io.LimitReader(r.Body, probeBytes))
		if err != nil || r.Method != http.MethodPost {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		w.Header().Set("Content-Type", x.kind)
		w.WriteHeader(x.status)
		w.Write(renamed(x.body, x.request, body))
		if x.broken != nil {
			panic(http.ErrAbortHandler)
		}
	})}
	var serving sync.WaitGroup
	serving.Go(func() { _ = server.Serve(l) }) // it ends with Close
	return "http://" + l.Addr().String() + "/", func() {
		server.Close()
		serving.Wait()
	}, nil
}

// renamed is an answer to one input as one to another: with its thread, run and message.
func renamed(answer, sent, asked []byte) []byte {
	type input struct {
		ThreadID string `json:"threadId"`
		RunID    string `json:"runId"`
		Messages []struct {
			ID string `json:"id"`
		} `json:"messages"`
	}
	var from, to input
	if json.Unmarshal(sent, &from) != nil || json.Unmarshal(asked, &to) != nil {
		return answer
	}
	swap := func(a, b string) {
		if a != "" && b != "" {
			answer = bytes.ReplaceAll(answer, quoted(a), quoted(b))
		}
	}
	swap(from.ThreadID, to.ThreadID)
	swap(from.RunID, to.RunID)
	if len(from.Messages) > 0 && len(to.Messages) > 0 {
		swap(from.Messages[len(from.Messages)-1].ID, to.Messages[len(to.Messages)-1].ID)
	}
	return answer
}

func quoted(text string) []byte {
	q, _ := json.Marshal(text) // of a string
	return q
}
