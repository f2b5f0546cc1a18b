package conformance

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/coder/websocket"

	agui "github.com/aguiws/aguiws/client"
)

const (
	subprotocol = agui.Subprotocol
	readLimit   = 32 << 20
	dialTimeout = 10 * time.Second
)

// frame is one thing that came on a socket, for the steps that look at frames.
type frame struct {
	kind  string // an event's or a control frame's type, CLOSE or HTTP
	value any
}

// socket is a WebSocket with its reader.
type socket struct {
	c      *client
	ws     *agui.Conn
	cancel context.CancelFunc
	ctx    context.Context
	done   chan struct{}
	frames *queue[frame]
	most   time.Duration // that sending a frame takes

	mu     sync.Mutex
	closed bool // by the case
}

// dialing is how a socket is opened.
type dialing struct {
	Subprotocols []string          `json:"subprotocols"`
	Headers      map[string]string `json:"headers"`
	Host         string            `json:"host"`
}

// dial opens a socket. A server that refuses it leaves one frame, HTTP, with its
// status and body.
func dial(ctx context.Context, c *client, target *Target, d dialing) (*socket, error) {
	s := &socket{c: c, frames: newQueue[frame](), done: make(chan struct{}), most: target.timeout()}
	header := target.header()
	for name, value := range d.Headers {
		header.Set(name, value)
	}
	dialCtx, stop := context.WithTimeout(ctx, dialTimeout)
	defer stop()
	ws, err := agui.Open(dialCtx, target.URL, &agui.DialOptions{
		Subprotocols: append([]string{}, d.Subprotocols...), Header: header, Host: d.Host, ReadLimit: readLimit})
	if err != nil {
		close(s.done)
		var refused *agui.RefusedError
		if !errors.As(err, &refused) {
			return nil, fmt.Errorf("connecting: %w", err)
		}
		details := refusedWith(refused.Status, refused.Header, refused.Body)
		s.frames.put(frame{"HTTP", details})
		s.frames.close()
		c.trace.add(c.name, "<", fmt.Sprintf("HTTP %d %s", refused.Status, brief(details)))
		return s, nil
	}
	want := ""
	if slices.Contains(d.Subprotocols, subprotocol) {
		want = subprotocol
	}
	if got := ws.Subprotocol(); got != want {
		c.wrong(ruleHandshake, "the subprotocol %q was selected out of %q", got, d.Subprotocols)
	}
	s.ws = ws
	s.ctx, s.cancel = context.WithCancel(ctx)
	return s, nil
}

func refusedWith(status int, header http.Header, body []byte) any {
	value, err := decode(body)
	if err != nil {
		value = string(body)
	}
	headers := map[string]any{}
	for name := range header {
		headers[strings.ToLower(name)] = header.Get(name)
	}
	details := map[string]any{"status": fmt.Sprint(status), "body": value, "headers": headers}
	if object, ok := value.(map[string]any); ok && object["code"] != nil {
		details["code"] = object["code"]
	}
	return details
}

// read hands each frame on that is a JSON object, until the socket ends.
func (s *socket) read(take func(f *agui.Frame, value any), lost func()) {
	defer close(s.done)
	for {
		f, err := s.ws.Receive(s.ctx)
		var unreadable *agui.FrameError
		switch {
		case errors.As(err, &unreadable):
			s.c.trace.add(s.c.name, "<", clip(unreadable.Data, 64<<10))
			s.c.wrong(ruleFraming, "%v: %s", unreadable.Unwrap(), clip(unreadable.Data, 200))
			continue
		case err != nil:
			s.lost(err)
			lost()
			return
		}
		s.c.trace.add(s.c.name, "<", clip(f.Data, 64<<10))
		value, err := decode(f.Data)
		if _, ok := value.(map[string]any); err != nil || !ok {
			s.c.wrong(ruleFraming, "a frame that is no JSON object: %s", clip(f.Data, 200))
			continue
		}
		take(f, value)
	}
}

// lost notes how the socket ended.
func (s *socket) lost(err error) {
	code, reason := agui.CloseCode(err)
	s.mu.Lock()
	ours := s.closed
	s.mu.Unlock()
	if !ours {
		s.c.trace.add(s.c.name, "<", fmt.Sprintf("CLOSE %d %s", code, reason))
	}
	s.frames.put(frame{"CLOSE", map[string]any{"code": json.Number(fmt.Sprint(code)), "reason": reason}})
	s.frames.close()
}

func (s *socket) send(kind websocket.MessageType, data []byte) error {
	if s.ws == nil {
		return fmt.Errorf("there is no socket: it was refused")
	}
	text := clip(data, 4<<10)
	if kind == websocket.MessageBinary {
		text = fmt.Sprintf("binary %x", data)
	}
	s.c.trace.add(s.c.name, ">", text)
	ctx, stop := context.WithTimeout(s.ctx, s.most)
	defer stop()
	if err := s.ws.Write(ctx, kind, data); err != nil {
		return fmt.Errorf("sending: %w", err)
	}
	return nil
}

// ended is closed when the socket has ended, whoever ended it.
func (s *socket) ended() <-chan struct{} { return s.done }

// close cuts the socket, as a lost network does.
func (s *socket) close() {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	if s.ws != nil {
		_ = s.ws.CloseNow()
		s.cancel()
	}
	<-s.done
}
