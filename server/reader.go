package server

import (
	"context"
	"errors"
	"time"

	"golang.org/x/time/rate"

	"github.com/aguiws/aguiws/server/internal/conn"
)

// penalty is how long the reader rests after a frame over the rate, so that
// refusing a flood costs little.
const penalty = 10 * time.Millisecond

// intake is what a reader remembers of earlier frames.
type intake struct {
	limit     *rate.Limiter
	malformed int
}

// read takes frames in until the connection ends or the peer breaks a rule, or,
// with conn.ErrIdle, until nothing is left.
func (sock *socket) read() error {
	if sock.intake.limit == nil {
		opts := &sock.srv.opts
		sock.intake.limit = rate.NewLimiter(rate.Limit(opts.FramesPerSecond), opts.FrameBurst)
	}
	for {
		data, err := sock.link.Read()
		if err != nil {
			return readError(err)
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

// readError says how a socket ends that could not be read from.
func readError(err error) error {
	switch {
	case err == conn.ErrIdle:
		return err
	case errors.Is(err, conn.ErrTooBig):
		return closeTooBig
	case errors.Is(err, conn.ErrBinary):
		return closeBinary
	case errors.Is(err, conn.ErrUTF8):
		return closeUTF8
	default:
		return closeGone
	}
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
