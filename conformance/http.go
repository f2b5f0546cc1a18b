package conformance

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/google/uuid"

	agui "github.com/aguiws/aguiws/client"
	"github.com/aguiws/aguiws/protocol"
	"github.com/aguiws/aguiws/protocol/order"
)

// httpConn asks by POST and reads Server-Sent Events: AG-UI's HTTP binding, or
// CopilotKit's runtime protocol.
type httpConn struct {
	c      *client
	target *Target
	ctx    context.Context
	stop   context.CancelFunc
	doomed atomic.Bool // the server is about to be replaced: streams may break off
	// http keeps its own connections: one that an earlier server has left, and
	// whose end was not noticed yet, must not be asked for what a later one is.
	http *http.Client
	// readers are waited for by close.
	readers sync.WaitGroup
}

func openHTTP(ctx context.Context, c *client, target *Target) *httpConn {
	h := &httpConn{c: c, target: target, http: &http.Client{
		Transport: &http.Transport{Proxy: http.ProxyFromEnvironment, ForceAttemptHTTP2: true},
	}}
	h.ctx, h.stop = context.WithCancel(ctx)
	return h
}

func (h *httpConn) ask(input []byte, x *exchange) error {
	address := h.target.URL
	if h.c.over == CopilotKit {
		address = h.target.runtime("run")
	}
	x.order, x.fold = new(order.Sequence), true
	return h.stream(http.MethodPost, address, input, nil, x)
}

func (h *httpConn) follow(thread string, after *agui.Position, x *exchange) error {
	x.fold = true
	if after == nil {
		x.order = new(order.Sequence)
	}
	if h.c.over == CopilotKit {
		body, err := json.Marshal(protocol.RunAgentInput{ThreadID: thread, RunID: uuid.NewString(), State: protocol.Any("{}")})
		if err != nil {
			return err
		}
		return h.stream(http.MethodPost, h.target.runtime("connect"), body, nil, x)
	}
	header := http.Header{}
	if after != nil {
		header.Set("Last-Event-ID", after.Epoch+":"+strconv.FormatInt(after.Seq, 10))
	}
	return h.stream(http.MethodGet, h.target.threadEvents(thread), nil, header, x)
}

func (h *httpConn) cancel(thread, _ string) error {
	if h.c.over != CopilotKit {
		return errCannot
	}
	answer, err := h.do(http.MethodPost, h.target.runtime("stop")+"/"+url.PathEscape(thread), []byte("{}"), nil)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(io.LimitReader(answer.Body, 64<<10))
	h.c.trace.add(h.c.name, "<", fmt.Sprintf("HTTP %d %s", answer.StatusCode, body))
	if answer.StatusCode/100 != 2 {
		h.c.wrong(ruleHTTP, "stopping a run was answered with %d", answer.StatusCode)
	}
	return err
}

// quiet has nothing to wait for: each stream has an end of its own.
func (h *httpConn) quiet(context.Context) error { return nil }

func (h *httpConn) close() {
	h.stop()
	h.readers.Wait()
	h.http.CloseIdleConnections()
}

func (h *httpConn) do(method, address string, body []byte, header http.Header) (*http.Response, error) {
	request, err := http.NewRequestWithContext(h.ctx, method, address, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header = http.Header{}
	if at, err := url.Parse(h.target.URL); err == nil && at.Host == request.URL.Host {
		request.Header = h.target.header() // credentials are for the server under test
	}
	request.Header.Set("Accept", "text/event-stream, application/json;q=0.9")
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	for name, values := range header {
		request.Header[name] = values
	}
	said := method + " " + request.URL.RequestURI()
	if after := header.Get("Last-Event-ID"); after != "" {
		said += " Last-Event-ID: " + after
	}
	h.c.trace.add(h.c.name, ">", said+" "+clip(body, 4<<10))
	answer, err := h.http.Do(request)
	if err != nil {
		return nil, fmt.Errorf("asking: %w", err)
	}
	return answer, nil
}

// isURL reports whether a request is to a URL, and not to a path of the server.
func isURL(address string) bool {
	return strings.HasPrefix(address, "http://") || strings.HasPrefix(address, "https://")
}

// request sends what the case wrote, "METHOD /path [content-type [body]]", and
// makes one item of the answer: ANSWER, or REJECTED for a status from 400 to 499.
func (h *httpConn) request(line string, x *exchange) {
	words := strings.SplitN(line, " ", 4)
	for len(words) < 4 {
		words = append(words, "")
	}
	var header http.Header
	if words[2] != "" {
		header = http.Header{"Content-Type": {words[2]}}
	}
	address := words[1]
	if !isURL(address) {
		address = strings.TrimSuffix(h.target.URL, "/") + strings.TrimSuffix(address, "/")
	}
	answer, err := h.do(words[0], address, []byte(words[3]), header)
	if err != nil {
		h.c.wrong(ruleAnswered, "%v", err)
		x.items.close()
		return
	}
	defer answer.Body.Close()
	if answer.StatusCode >= http.StatusBadRequest {
		h.refused(answer, x)
		return
	}
	details := answered(answer)
	h.c.trace.add(h.c.name, "<", brief(details))
	x.items.put(item{kind: "ANSWER", value: details})
	x.items.close()
}

// answered is an answer that is no stream.
func answered(answer *http.Response) any {
	body, _ := io.ReadAll(io.LimitReader(answer.Body, 64<<10))
	return refusedWith(answer.StatusCode, answer.Header, body)
}

// refused ends the exchange for an answer from 400 on. A server that fails has not
// refused anything.
func (h *httpConn) refused(answer *http.Response, x *exchange) {
	details := answered(answer)
	h.c.trace.add(h.c.name, "<", brief(details))
	if answer.StatusCode >= http.StatusInternalServerError {
		h.c.wrong(ruleAnswered, "the server failed with status %d", answer.StatusCode)
		x.items.close()
		return
	}
	x.reject(details)
}

// stream sends a request whose answer fills the exchange in the background.
func (h *httpConn) stream(method, address string, body []byte, header http.Header, x *exchange) error {
	h.readers.Go(func() {
		defer x.items.close()
		answer, err := h.do(method, address, body, header)
		if err != nil {
			if h.ctx.Err() == nil && !h.doomed.Load() {
				h.c.wrong(ruleAnswered, "%v", err)
			}
			return
		}
		defer answer.Body.Close()
		h.c.trace.add(h.c.name, "<", fmt.Sprintf("HTTP %d %s", answer.StatusCode, answer.Header.Get("Content-Type")))
		kind, _, _ := strings.Cut(answer.Header.Get("Content-Type"), ";")
		switch {
		case answer.StatusCode >= http.StatusBadRequest:
			h.refused(answer, x)
			return
		case answer.StatusCode != http.StatusOK:
			h.c.wrong(ruleHTTP, "a stream has the status %d", answer.StatusCode)
			return
		case strings.TrimSpace(kind) != "text/event-stream":
			h.c.wrong(ruleHTTP, "the stream has the content type %q", answer.Header.Get("Content-Type"))
		}
		recovered := answer.Header.Get("Aguiws-Recovered")
		if x.run == "" && x.order == nil && recovered == "false" {
			x.order = new(order.Sequence) // it is restated
		}
		err = h.events(answer.Body, x)
		switch {
		case h.ctx.Err() != nil || h.doomed.Load():
		case !errors.Is(err, io.EOF):
			h.c.wrong(ruleHTTP, "the stream broke off: %v", err)
		default:
			x.end()
		}
	})
	return nil
}
