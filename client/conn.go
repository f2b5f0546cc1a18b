package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/coder/websocket"
)

// Subprotocol is the binding's name in a handshake.
const Subprotocol = "agui.v1.json"

const (
	defaultReadLimit = 64 << 20
	maxRefusalBytes  = 64 << 10
)

// DialOptions are how Open opens a socket. Nil is all defaults.
type DialOptions struct {
	// Header goes with the handshake, as Authorization and Origin do.
	Header http.Header
	// Host replaces the Host header. Default: the URL's.
	Host string
	// Subprotocols are offered. Nil is Subprotocol alone; an empty list that is not
	// nil offers none, which asks for plain mode.
	Subprotocols []string
	// HTTPClient sends the handshake. Default http.DefaultClient.
	HTTPClient *http.Client
	// ReadLimit is the size of the largest frame that is read, in bytes. Default
	// 64 MiB, because snapshots hold whole threads.
	ReadLimit int64
	// OnPing, if there is one, is called during Receive when the server pings.
	OnPing func()
}

// Conn is one socket: frames as they are, with the position that each event stands
// at. It neither reconnects nor answers for what it gets; Client does. The user of a Conn
// must keep a Receive under way, or pings and the close are not seen. Receive belongs to
// one goroutine; the other methods may be called concurrently.
type Conn struct {
	ws *websocket.Conn

	// The stream whose events come now, as the last ws.stream said.
	thread string
	at     Position
	left   int
}

// Open opens a socket; url may begin with ws, wss, http or https. A server that
// refuses the handshake gives a *RefusedError.
func Open(ctx context.Context, url string, opts *DialOptions) (*Conn, error) {
	o := DialOptions{}
	if opts != nil {
		o = *opts
	}
	if o.Subprotocols == nil {
		o.Subprotocols = []string{Subprotocol}
	}
	ws, answer, err := websocket.Dial(ctx, url, &websocket.DialOptions{
		HTTPClient: o.HTTPClient, HTTPHeader: o.Header, Host: o.Host, Subprotocols: o.Subprotocols,
		OnPingReceived: func(context.Context, []byte) bool {
			if o.OnPing != nil {
				o.OnPing()
			}
			return true
		},
	})
	if err != nil {
		if answer != nil && answer.StatusCode != http.StatusSwitchingProtocols {
			return nil, refusedHandshake(answer)
		}
		return nil, fmt.Errorf("client: connecting: %w", err)
	}
	if o.ReadLimit == 0 {
		o.ReadLimit = defaultReadLimit
	}
	ws.SetReadLimit(o.ReadLimit)
	return &Conn{ws: ws}, nil
}

func refusedHandshake(answer *http.Response) *RefusedError {
	refused := &RefusedError{Status: answer.StatusCode, Header: answer.Header, RetryAfter: retryAfter(answer.Header)}
	if answer.Body != nil {
		refused.Body, _ = io.ReadAll(io.LimitReader(answer.Body, maxRefusalBytes))
		answer.Body.Close()
	}
	var said struct{ Code, Message string }
	if json.Unmarshal(refused.Body, &said) == nil {
		refused.Code, refused.Message = said.Code, said.Message
	}
	return refused
}

// Subprotocol is the one that the server selected, "" in plain mode.
func (c *Conn) Subprotocol() string { return c.ws.Subprotocol() }

// Receive waits for the next frame. A *FrameError is about one frame, and the next
// can be received; after any other error the socket is of no use, and CloseCode
// says how it ended. The socket is closed when ctx ends.
func (c *Conn) Receive(ctx context.Context) (*Frame, error) {
	kind, data, err := c.ws.Read(ctx)
	if err != nil {
		return nil, fmt.Errorf("client: %w", err)
	}
	if kind != websocket.MessageText {
		return nil, &FrameError{Data: data, err: errors.New("the frame is no text")}
	}
	return c.placed(data)
}

// placed reads a frame, and counts it if it is an event.
func (c *Conn) placed(data []byte) (*Frame, error) {
	f, err := ParseFrame(data)
	if err != nil {
		return nil, err
	}
	switch {
	case f.IsEvent():
		f.ThreadID = c.thread
		if c.left > 0 {
			f.Uncounted = c.left
			c.left--
		} else {
			c.at.Seq++
		}
		f.Position = c.at
	case f.Type == "ws.stream":
		c.thread, c.at, c.left = f.ThreadID, f.Position, f.Uncounted
	}
	return f, nil
}

// Send writes a frame, encoded as JSON. It returns when the frame is written, which
// is not to say that it was taken. An error means that the socket is of no use.
func (c *Conn) Send(ctx context.Context, frame any) error {
	data, err := json.Marshal(frame)
	if err != nil {
		return err
	}
	return c.Write(ctx, websocket.MessageText, data)
}

// Write writes a frame as it is, whether or not the binding allows it.
func (c *Conn) Write(ctx context.Context, kind websocket.MessageType, data []byte) error {
	if err := c.ws.Write(ctx, kind, data); err != nil {
		return fmt.Errorf("client: %w", err)
	}
	return nil
}

// Close closes the socket and waits, up to ten seconds, until the server has too.
func (c *Conn) Close(code websocket.StatusCode, reason string) error { return c.ws.Close(code, reason) }

// CloseNow cuts the socket, as a lost network does.
func (c *Conn) CloseNow() error { return c.ws.CloseNow() }

// CloseCode is the code with which the server closed a socket, and what it gave as
// reason; 1006 if it was lost without.
func CloseCode(err error) (code int, reason string) {
	var closed websocket.CloseError
	if errors.As(err, &closed) {
		return int(closed.Code), closed.Reason
	}
	return int(websocket.StatusAbnormalClosure), ""
}

// isControl reports whether a frame of the type is one of the binding's own.
func isControl(kind string) bool { return strings.HasPrefix(kind, "ws.") }
