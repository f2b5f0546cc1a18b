package conformance

import (
	"context"
	"errors"
	"sync"

	"github.com/coder/websocket"

	agui "github.com/aguiws/aguiws/client"
	"github.com/aguiws/aguiws/protocol/order"
)

var errCannot = errors.New("this transport has no way to do that")

// plainConn is a WebSocket without a subprotocol: inputs out, events in, one run
// after the other.
type plainConn struct {
	*socket

	mu      sync.Mutex
	waiting []*exchange // in the order asked; the first one's events come now
	bare    int         // frames sent that are no inputs: each is answered by a stream
}

func openPlain(ctx context.Context, c *client, target *Target) (*plainConn, error) {
	s, err := dial(ctx, c, target, dialing{})
	if err != nil {
		return nil, err
	}
	p := &plainConn{socket: s}
	if s.ws != nil {
		go s.read(p.take, p.gone)
	}
	return p, nil
}

func (p *plainConn) ask(input []byte, x *exchange) error {
	x.order, x.fold = new(order.Sequence), true
	p.mu.Lock()
	p.waiting = append(p.waiting, x)
	p.mu.Unlock()
	return p.socket.send(websocket.MessageText, input)
}

func (p *plainConn) take(f *agui.Frame, value any) {
	p.frames.put(frame{f.Type, value})
	if !f.IsEvent() {
		p.c.wrong(rulePlain, "a control frame, %s, to a client that asked for no subprotocol", f.Type)
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.waiting) == 0 {
		e := p.c.judge(f.Data)
		if p.bare > 0 {
			if e != nil && terminal(e) {
				p.bare--
			}
			return
		}
		p.c.wrong(ruleEnd, "%s, and every run that was asked for has ended", f.Type)
		return
	}
	x := p.waiting[0]
	if e := x.event(f.Data, 0); e != nil && terminal(e) {
		p.waiting = p.waiting[1:]
		x.end()
	}
}

// gone ends what the lost socket leaves open.
func (p *plainConn) gone() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, x := range p.waiting {
		x.items.close()
	}
	p.waiting = nil
}

// send sends a frame of the case's own.
func (p *plainConn) send(kind websocket.MessageType, data []byte) error {
	p.mu.Lock()
	p.bare++
	p.mu.Unlock()
	return p.socket.send(kind, data)
}

func (p *plainConn) follow(string, *agui.Position, *exchange) error { return errCannot }
func (p *plainConn) cancel(string, string) error                    { return errCannot }
func (p *plainConn) quiet(ctx context.Context) error                { return nil }
