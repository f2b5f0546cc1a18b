package conformance

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"

	"github.com/coder/websocket"

	agui "github.com/aguiws/aguiws/client"
)

// bindingConn is a WebSocket with the subprotocol. It counts positions as a client
// must, and holds the server to every promise of the binding that a client can see.
type bindingConn struct {
	*socket

	mu     sync.Mutex
	next   int
	asking map[string]*exchange // inputs by their frame's id, until they are answered
	oldest []string             // those ids, in order
	views  map[string]*view     // by thread
	block  *block               // uncounted events that are due
	pongs  map[string]chan struct{}
	sent   map[string]bool // the ids of all frames, for answers

	profiles []string // that ws.hello announced; nil when it said nothing of them
}

func openBinding(ctx context.Context, c *client, target *Target, d dialing) (*bindingConn, error) {
	s, err := dial(ctx, c, target, d)
	if err != nil {
		return nil, err
	}
	b := &bindingConn{socket: s, asking: map[string]*exchange{}, views: map[string]*view{}, pongs: map[string]chan struct{}{}, sent: map[string]bool{}}
	if s.ws != nil {
		go s.read(b.take, b.gone)
	}
	return b, nil
}

// viewOf is what is known of a thread: the client's own survives the socket.
func (b *bindingConn) viewOf(thread string) *view {
	w := b.views[thread]
	if w == nil {
		w = &view{}
		b.c.mu.Lock()
		if own := b.c.view; own.thread == "" || own.thread == thread {
			w = own
		}
		b.c.mu.Unlock()
		w.thread = thread
		b.views[thread] = w
	}
	return w
}

// send notes the frame's id, by which its answer must name it.
func (b *bindingConn) send(kind websocket.MessageType, data []byte) error {
	var f struct{ ID string }
	if json.Unmarshal(data, &f); f.ID != "" {
		b.mu.Lock()
		b.sent[f.ID] = true
		b.mu.Unlock()
	}
	return b.socket.send(kind, data)
}

func (b *bindingConn) id() string {
	b.next++
	return fmt.Sprintf("%s%d", strings.ToLower(b.c.name), b.next)
}

func (b *bindingConn) ask(input []byte, x *exchange) error {
	b.mu.Lock()
	id := b.id()
	b.asking[id], b.oldest = x, append(b.oldest, id)
	b.mu.Unlock()
	// The frame's id stands beside the members of the input.
	if text, ok := strings.CutPrefix(string(input), "{"); ok && strings.TrimSpace(text) != "}" {
		input = []byte(`{"id":"` + id + `",` + text)
	}
	return b.send(websocket.MessageText, input)
}

func (b *bindingConn) follow(thread string, after *agui.Position, x *exchange) error {
	b.mu.Lock()
	id := b.id()
	w := b.viewOf(thread)
	w.follower, w.askedAs, w.askedFor = x, id, after
	if after == nil {
		w.held, w.order, w.active = false, nil, false
	}
	b.mu.Unlock()
	return b.control(map[string]any{"type": "ws.attach", "id": id, "threadId": thread, "after": after})
}

func (b *bindingConn) cancel(thread, run string) error {
	return b.control(map[string]any{"type": "ws.cancel", "threadId": thread, "runId": run})
}

func (b *bindingConn) control(members map[string]any) error {
	if p, ok := members["after"].(*agui.Position); ok && p == nil {
		delete(members, "after")
	}
	data, err := json.Marshal(members)
	if err != nil {
		return err
	}
	return b.send(websocket.MessageText, data)
}

// quiet asks for a pong: what was written before it has come then, and the
// positions must agree.
func (b *bindingConn) quiet(ctx context.Context) error {
	select {
	case <-b.done:
		return nil
	default:
	}
	b.mu.Lock()
	id, came := b.id(), make(chan struct{})
	b.pongs[id] = came
	b.mu.Unlock()
	if err := b.control(map[string]any{"type": "ws.ping", "id": id}); err != nil {
		return nil // it was closed; whether it should have been is another question
	}
	select {
	case <-came:
		return nil
	case <-b.done:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("ws.ping got no ws.pong: %w", context.Cause(ctx))
	}
}

// gone ends what the lost socket leaves open.
func (b *bindingConn) gone() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, x := range b.asking {
		x.items.close()
	}
	for _, w := range b.views {
		w.lost()
	}
}

// take handles one frame.
func (b *bindingConn) take(f *agui.Frame, value any) {
	if f.IsEvent() {
		b.frames.put(frame{f.Type, value})
		b.mu.Lock()
		defer b.mu.Unlock()
		b.event(f)
		return
	}
	defer b.frames.put(frame{f.Type, value})
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.block != nil {
		b.c.wrong(ruleCounting, "%s, and %d uncounted events are still due", f.Type, b.block.left)
		b.block = nil
	}
	b.heard(f)
}
