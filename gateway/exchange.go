package gateway

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/http/httptrace"
	"sync/atomic"
	"time"

	"github.com/aguiws/aguiws/gateway/internal/wire"
)

// exchange is one request and the stream that answers it.
type exchange struct {
	u       *Upstream
	ctx     context.Context // its cause is a *failure where this end gave up
	cancel  context.CancelCauseFunc
	unhook  func() bool // from the run's context
	watch   *watch
	body    io.ReadCloser
	stream  *wire.Reader
	threads ids // that were sent

	began time.Time
	first time.Duration // until the first event
	count struct{ events, bytes int64 }
	sent  atomic.Bool // a connection took it, so the agent may have
	over  bool
}

// lasted is for how long the request has been under way.
func (x *exchange) lasted() time.Duration { return time.Since(x.began) }

// Between two attempts to connect.
const (
	dialRetries = 3
	dialPause   = 50 * time.Millisecond
)

var (
	errRunTooLarge = errors.New("gateway: a run is too large")
	errAbandoned   = errors.New("gateway: the request was given up")
)

// send makes a request. It is the caller's to finish or to abandon, unless it failed.
func (u *Upstream) send(ctx context.Context, body *wire.Payload, header http.Header, as ids) (*exchange, error) {
	x := &exchange{u: u, threads: as, began: time.Now()}
	within, timeout := context.WithTimeoutCause(context.WithoutCancel(ctx), u.options.RunTimeout,
		failed(CodeTimeout, "the run took longer than %v", u.options.RunTimeout))
	x.ctx, x.cancel = context.WithCancelCause(within)
	free := x.cancel
	x.cancel = func(cause error) { free(cause); timeout() }
	x.unhook = context.AfterFunc(ctx, func() { free(context.Cause(ctx)) })
	x.watch = startWatch(&u.options, func(f *failure) { free(f) })
	var response *http.Response
	err := tooFar(header)
	if err == nil {
		response, err = x.post(body, header)
	}
	if err == nil {
		err = x.accept(response)
	}
	if err != nil {
		x.abandon()
		return x, err
	}
	x.body = response.Body
	x.stream = wire.NewReader(x, int(u.options.MaxEventBytes), wire.NewRoom(x.ctx, u.large))
	return x, nil
}

func (x *exchange) post(body *wire.Payload, header http.Header) (*http.Response, error) {
	traced := httptrace.WithClientTrace(x.ctx, &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) {
		x.sent.Store(true)
		x.watch.enter(forFirstEvent)
	}})
	defer body.Sent()
	for attempt := 0; ; attempt++ {
		request, err := http.NewRequestWithContext(traced, http.MethodPost, x.u.target, body.Reader())
		if err != nil {
			return nil, failed(CodeUnavailable, "the agent cannot be asked").because(err)
		}
		request.Header = header
		request.ContentLength = body.Size()
		request.GetBody = func() (io.ReadCloser, error) { return body.Reader(), nil }
		response, err := x.u.client.Do(request)
		switch {
		case err == nil:
			return response, nil
		case x.ctx.Err() == nil && !x.sent.Load() && attempt < dialRetries && x.pause(dialPause<<attempt):
			continue
		}
		return nil, x.broken(err)
	}
}

// pause waits; false: there is nothing left to wait for.
func (x *exchange) pause(d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-x.ctx.Done():
		return false
	}
}

// broken says what an error of the connection means.
func (x *exchange) broken(err error) error {
	if cause := context.Cause(x.ctx); cause != nil {
		return cause
	}
	err = withoutURL(err)
	switch {
	case errors.Is(err, errRunTooLarge):
		return failed(CodeTooLarge, "the agent's answer is larger than %d bytes, the upstream's max-run: raise it if the agent is to say so much in one run", x.u.options.MaxRunBytes)
	case errors.Is(err, wire.ErrEventTooLarge):
		f := failed(CodeTooLarge, "event %d of the agent is larger than %d bytes, the upstream's max-event: raise it, or let the agent leave out of its snapshots what is large", x.count.events+1, x.u.options.MaxEventBytes)
		f.arrived = true
		return f
	case !x.sent.Load():
		return failed(CodeUnavailable, "the agent cannot be reached").because(err)
	case err == io.EOF && x.count.events > 0:
		return failed(CodeTruncated, "the agent's answer ended after event %d, before the run did", x.count.events)
	case x.count.events > 0:
		return failed(CodeTruncated, "the connection to the agent broke after event %d", x.count.events).because(err)
	}
	return failed(CodeTruncated, "the agent closed the connection before it sent an event").because(err)
}

// accept judges an answer by its head.
func (x *exchange) accept(r *http.Response) error {
	kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	coding := r.Header.Get("Content-Encoding")
	switch {
	case r.StatusCode >= 200 && r.StatusCode < 300 && kind == "text/event-stream" && (coding == "" || coding == "identity"):
		return nil
	case r.StatusCode >= 200 && r.StatusCode < 300 && kind == "text/event-stream":
		return x.refusal(r, CodeContentType, "the agent answered in the encoding %.40q, and gzip is what it was offered", coding)
	case r.StatusCode >= 200 && r.StatusCode < 300:
		return x.refusal(r, CodeContentType, "the agent answered with %.80q instead of text/event-stream", kind)
	case r.StatusCode < 400:
		return x.refusal(r, CodeRefused, "the agent answered with the redirect %d, and redirects are not followed: configure the URL where it is", r.StatusCode)
	case r.StatusCode < 500:
		return x.refusal(r, CodeRefused, "the agent refused the request: %d %s", r.StatusCode, http.StatusText(r.StatusCode))
	}
	return x.refusal(r, CodeFailed, "the agent failed: %d %s", r.StatusCode, http.StatusText(r.StatusCode))
}

// maxRefusal bounds what is read of a refusal.
const maxRefusal = 16 << 10

// refusal is a failure by an answer's head. The content of the answer is told nobody: it
// may be what was sent, credentials too. It is looked at for the one member that an agent
// of before AG-UI 1.0 does not know and may forbid.
func (x *exchange) refusal(r *http.Response, code, format string, args ...any) error {
	defer r.Body.Close()
	f := failed(code, format, args...)
	if r.StatusCode == http.StatusBadRequest || r.StatusCode == http.StatusUnprocessableEntity {
		body, _ := io.ReadAll(io.LimitReader(r.Body, maxRefusal))
		f.versionless = bytes.Contains(body, []byte("protocolVersion"))
	}
	f.status = r.StatusCode
	if r.ContentLength > 0 {
		return f.because(fmt.Errorf("the answer came with %d bytes of %.80q", r.ContentLength, r.Header.Get("Content-Type")))
	}
	return f
}

// Read reads the body for the stream, counted.
func (x *exchange) Read(p []byte) (int, error) {
	left := x.u.options.MaxRunBytes - x.count.bytes
	if left <= 0 {
		return 0, errRunTooLarge
	}
	x.watch.waits()
	n, err := x.body.Read(p[:min(int64(len(p)), left)])
	x.watch.heard()
	x.count.bytes += int64(n)
	return n, err
}

// next is the text of the next event. The error says what has become of the stream.
func (x *exchange) next() ([]byte, error) {
	text, err := x.stream.Next()
	if err != nil {
		return nil, x.broken(err)
	}
	if x.count.events++; x.count.events == 1 {
		x.first = time.Since(x.began)
		x.watch.enter(forMore)
	}
	return text, nil
}

// behind has what is read from here on wait for a run's end no longer than what may be
// behind one is waited for; false: for more of a run again.
func (x *exchange) behind(waits bool) {
	if waits {
		x.watch.enter(forEnd)
	} else {
		x.watch.enter(forMore)
	}
}

// abandon closes the request, whatever has become of it.
func (x *exchange) abandon() {
	if x.over {
		return
	}
	x.over = true
	x.unhook()
	x.watch.enter(forNothing)
	x.cancel(errAbandoned)
	if x.body != nil {
		x.body.Close()
		x.stream.Close()
	}
}
