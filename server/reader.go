package server

import (
	"context"
	"errors"
	"io"
	"time"
	"unicode/utf8"

	"github.com/coder/websocket"
	"golang.org/x/time/rate"
)

// penalty is how long the reader rests after a frame over the rate, so that
// refusing a flood costs little.
const penalty = 10 * time.Millisecond

// errParks ends read when all that the peer has sent was taken in.
var errParks = errors.New("server: the reader leaves")

// intake is what a reader remembers of earlier frames.
type intake struct {
	limit     *rate.Limiter
	malformed int
}

// read takes frames in until the connection ends or the peer breaks a rule, or,
// where the connection is watched, until nothing is left.
func (sock *socket) read() error {
	if sock.intake.limit == nil {
		opts := &sock.srv.opts
		sock.intake.limit = rate.NewLimiter(rate.Limit(opts.FramesPerSecond), opts.FrameBurst)
	}
	if sock.number > 0 {
		sock.out.mayLeave()
	}
	for {
		// A context that ended here would cut the connection off before the
		// session could say why.
		kind, body, err := sock.ws.Reader(context.Background())
		if err != nil {
			return sock.readError(err)
		}
		if kind != websocket.MessageText {
			return closeBinary
		}
		data, err := io.ReadAll(body)
		if err != nil {
			return sock.readError(err)
		}
		if sock.out.hasLeft() {
			return errParks
		}
		if !utf8.Valid(data) {
			return closeUTF8
		}
		f, err := sock.parse(data)
		if err != nil {
			return err
		}
		sock.srv.metrics.frame(f)
		f.retryAfter = reserve(sock.intake.limit)
		if f.fault != nil && f.fault.code == codeMalformed {
			sock.intake.malformed++
			f.last = sock.intake.malformed == maxMalformed
		}
		if err := sock.enqueue(f); err != nil {
			return err
		}
		if f.retryAfter > 0 {
			time.Sleep(penalty)
		}
		if f.last {
			<-sock.ctx.Done() // the session closes after its answer
			return context.Cause(sock.ctx)
		}
	}
}

func (sock *socket) readError(err error) error {
	if errors.Is(err, websocket.ErrMessageTooBig) {
		return closeTooBig
	}
	return closeGone
}

// parse reads a frame, within what the process may work on at once.
func (sock *socket) parse(data []byte) (*frame, error) {
	ctx, cancel := context.WithTimeout(sock.ctx, sock.srv.opts.CallTimeout)
	defer cancel()
	weight := int64(len(data))
	if err := sock.srv.inbound.Acquire(ctx, weight); err != nil {
		if sock.ctx.Err() != nil {
			return nil, context.Cause(sock.ctx)
		}
		return nil, closeOverload
	}
	f := parseFrame(data)
	if sock.mode == "plain" {
		// A plain input may wait for as long as a run takes.
		sock.srv.inbound.Release(weight)
	} else {
		f.release = func() { sock.srv.inbound.Release(weight) }
	}
	return f, nil
}

// enqueue hands a frame to the session. While it waits no pong is read, which
// is not the peer's fault.
func (sock *socket) enqueue(f *frame) error {
	defer sock.poke()
	select {
	case sock.inbox <- f:
		return nil
	default:
	}
	sock.beat.pause()
	defer sock.beat.resume()
	select {
	case sock.inbox <- f:
		return nil
	case <-sock.ctx.Done():
		f.done()
		return context.Cause(sock.ctx)
	}
}

// reserve takes a token, or says how long until there is one.
func reserve(limit *rate.Limiter) time.Duration {
	r := limit.Reserve()
	d := r.Delay()
	if d > 0 {
		r.Cancel()
	}
	return d
}
