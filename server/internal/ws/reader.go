package ws

import (
	"context"
	"errors"
	"time"

	"golang.org/x/time/rate"

	"github.com/aguiws/aguiws/server/internal/budget"
	"github.com/aguiws/aguiws/server/internal/conn"
	"github.com/aguiws/aguiws/server/internal/frames"
	"github.com/aguiws/aguiws/server/internal/peer"
	"github.com/aguiws/aguiws/server/internal/refusal"
)

// penalty is how long the reader rests after a frame over the rate, so that
// refusing a flood costs little.
const penalty = 10 * time.Millisecond

// intake is what a reader remembers of earlier frames.
type intake struct {
	limit     *rate.Limiter
	malformed int
	reading   int64 // bytes that were taken of the budget for the message that is read
}

// read takes frames in until the connection ends or the peer breaks a rule, or,
// with conn.ErrIdle, until nothing is left.
func (sock *socket) read() error {
	if sock.intake.limit == nil {
		opts := &sock.srv.opts
		sock.intake.limit = rate.NewLimiter(rate.Limit(opts.FramesPerSecond), opts.FrameBurst)
	}
	for {
		if err := sock.awaitRoom(); err != nil {
			return err
		}
		data, err := sock.link.Read()
		if err != nil {
			return sock.readError(err)
		}
		f, err := sock.parse(data)
		if err != nil {
			return err
		}
		sock.srv.Metrics.Frames.WithLabelValues(f.Named()).Inc()
		f.RetryAfter = peer.Reserve(sock.intake.limit)
		if f.Fault != nil && f.Fault.Code == refusal.CodeMalformed {
			sock.intake.malformed++
			f.Last = sock.intake.malformed == frames.MaxMalformed
		}
		if !sock.answers.received(f) {
			if err := sock.enqueue(f); err != nil {
				return err
			}
		}
		if f.RetryAfter > 0 {
			time.Sleep(penalty)
		}
		if f.Last {
			<-sock.Ctx.Done() // the session closes after its answer
			return context.Cause(sock.Ctx)
		}
	}
}

// readError says how a socket ends that could not be read from.
func (sock *socket) readError(err error) error {
	full, noRoom := errors.AsType[*budget.Full](err)
	why, known := errors.AsType[*peer.Closing](err)
	switch {
	case err == conn.ErrIdle:
		return err
	case noRoom:
		sock.srv.OverShare(sock.Caller, full)
		return peer.CloseOverload
	case known:
		return why
	case errors.Is(err, conn.ErrTooBig):
		return peer.CloseTooBig
	case errors.Is(err, conn.ErrBinary):
		return peer.CloseBinary
	case errors.Is(err, conn.ErrUTF8):
		return peer.CloseUTF8
	case errors.Is(err, conn.ErrSlow):
		return peer.CloseSlow
	case errors.Is(err, conn.ErrFlood):
		return peer.CloseFlood
	default:
		return peer.CloseGone
	}
}

// parse reads a frame. The bytes that it takes of the budget are the frame's until that is
// done.
func (sock *socket) parse(data []byte) (*frames.Frame, error) {
	weight := frames.Weigh(data)
	if err := sock.take(weight); err != nil {
		return nil, sock.readError(err)
	}
	f := sock.answers.parse(data)
	f.Account, f.Weight = sock.frames, weight
	if f.Input == nil && weight > frames.ControlWeight {
		f.Weight = frames.ControlWeight
		sock.frames.Give(weight - frames.ControlWeight)
	}
	if sock.intake.reading > 0 {
		sock.frames.Give(sock.intake.reading)
		sock.intake.reading = 0
	}
	f.Source = sock
	sock.pending.Add(f.Weight)
	return f, nil
}

// take takes of the budget. While it waits no pong is read, which is not the peer's
// fault.
func (sock *socket) take(bytes int64) error {
	sock.beat.pause()
	defer sock.beat.resume()
	return sock.frames.Take(sock.Ctx, bytes)
}

// grow takes what a message that is read needs: as much again is what the collector has
// not come to yet.
func (sock *socket) grow(bytes int64) error {
	err := sock.take(2 * bytes)
	if err == nil {
		sock.intake.reading += 2 * bytes
	}
	return err
}

// awaitRoom waits until little of what the peer has sent is still to be worked on.
func (sock *socket) awaitRoom() error {
	if sock.pending.Load() <= budget.Small {
		return nil
	}
	sock.beat.pause()
	defer sock.beat.resume()
	for sock.pending.Load() > budget.Small {
		select {
		case <-sock.eased:
		case <-sock.Ctx.Done():
			return context.Cause(sock.Ctx)
		}
	}
	return nil
}

// Worked is called when a frame has been worked on.
func (sock *socket) Worked(weight int64) {
	if left := sock.pending.Add(-weight); left <= budget.Small && left+weight > budget.Small {
		select {
		case sock.eased <- struct{}{}:
		default:
		}
	}
}

// enqueue hands a frame to the session. While it waits no pong is read, which
// is not the peer's fault.
func (sock *socket) enqueue(f *frames.Frame) error {
	defer sock.Poke()
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
	case <-sock.Ctx.Done():
		f.Done()
		return context.Cause(sock.Ctx)
	}
}
