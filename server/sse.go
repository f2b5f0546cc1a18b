package server

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"os"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/server/internal/conn"
	"github.com/aguiws/aguiws/server/internal/edge"
	"github.com/aguiws/aguiws/server/internal/frames"
)

// ssePiece is how much a client must take within the write timeout.
const ssePiece = 16 << 10

// sse answers one request with Server-Sent Events. Its methods are for the
// request's goroutine, except cut.
type sse struct {
	*peer
	w       http.ResponseWriter
	control *http.ResponseController
	buf     *[]byte
	silence *time.Timer
	quiet   atomic.Bool // nothing was written for Options.KeepAlive
	severed atomic.Bool
	opened  bool // the header is written
	resumes bool // the client said where it stopped: the header waits for what becomes of that
}

// stream opens the answer: from the first call of begin its status is 200, and
// all that is to be said is said by events. serve ends when the client goes,
// when its credential does, and when Shutdown has no more patience.
func (s *core) stream(w http.ResponseWriter, r *http.Request, c *caller, agent string, serve func(*sse)) {
	out := &sse{peer: s.newPeer(r.Context(), c, agent), w: w, control: http.NewResponseController(w)}
	defer out.out.account.Close()
	defer out.cancel(closeGone)
	defer context.AfterFunc(r.Context(), func() { out.cancel(closeGone) })()
	if expiry := out.expire(); expiry != nil {
		defer expiry.Stop()
	}
	s.track(out)
	defer s.untrack(out)
	s.metrics.Streams.Inc()
	defer s.metrics.Streams.Dec()
	out.silence = time.AfterFunc(s.opts.KeepAlive, func() {
		out.quiet.Store(true)
		out.poke()
	})
	defer out.silence.Stop()
	defer func() {
		if out.buf != nil {
			conn.GiveBuffer(out.buf)
		}
	}()
	edge.SetSendBuffer(r.Context(), s.opts.OutboundBuffer)
	serve(out)
}

// begin writes the header, at once: clients watch for it.
func (o *sse) begin() error { return o.push(nil) }

// open gives the answer its header, unless it has one.
func (o *sse) open() {
	if o.opened {
		return
	}
	o.opened = true
	h := o.w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-cache, no-transform")
	h.Set("X-Accel-Buffering", "no")
	o.w.WriteHeader(http.StatusOK)
}

// recovered says, to a client that said where it stopped, whether the stream goes on
// there.
func (o *sse) recovered(there bool) {
	if o.resumes && !o.opened {
		o.w.Header().Set(recoveredHeader, strconv.FormatBool(there))
	}
}

// emit gathers an event.
func (o *sse) emit(event []byte, at store.Position) error {
	if err := o.gather(len(event), o); err != nil {
		return err
	}
	if at.Seq > 0 {
		o.mark(at)
	}
	b := o.buffer()
	*b = append(*b, "data: "...)
	*b = append(*b, oneLine(event)...)
	*b = append(*b, "\n\n"...)
	if len(*b) >= conn.FlushAt {
		return o.out.between(o)
	}
	return nil
}

// stand says where the stream is, without an event: a client that remembers ids
// comes back with this one.
func (o *sse) stand(at store.Position) {
	o.mark(at)
	b := o.buffer()
	*b = append(*b, '\n')
}

func (o *sse) mark(at store.Position) {
	b := o.buffer()
	*b = append(*b, "id: "...)
	*b = frames.AppendEventID(*b, at)
	*b = append(*b, '\n')
}

func (o *sse) buffer() *[]byte {
	if o.buf == nil {
		o.buf = conn.TakeBuffer()
	}
	return o.buf
}

// flush writes what was gathered, or a comment when there was silence for long.
func (o *sse) flush() error {
	defer o.out.flushed()
	switch {
	case o.buf != nil:
	case !o.opened:
		return o.begin()
	case o.quiet.Swap(false):
		return o.push([]byte(": keep-alive\n\n"))
	default:
		return nil
	}
	b := o.buf
	o.buf = nil
	defer conn.GiveBuffer(b)
	return o.push(*b)
}

// push writes through to the connection, whose edge sees to what is not taken.
func (o *sse) push(data []byte) error {
	o.open()
	for first := true; first || len(data) > 0; first = false {
		if o.ctx.Err() != nil && closingOf(context.Cause(o.ctx)).code == 0 {
			return context.Cause(o.ctx)
		}
		piece := data[:min(len(data), ssePiece)]
		data = data[len(piece):]
		if err := edge.Push(o.w, piece); err != nil {
			return o.lost(err)
		}
	}
	o.silence.Reset(o.srv.opts.KeepAlive)
	o.quiet.Store(false)
	return nil
}

func (o *sse) lost(err error) error {
	why := closeGone
	if errors.Is(err, os.ErrDeadlineExceeded) && !o.severed.Load() {
		why = closeStalled
	}
	o.cancel(why)
	o.log.Debug("stream broken off", "error", err)
	return why
}

// cut ends the stream at once, whatever it is doing.
func (o *sse) cut(why *closing) {
	o.cancel(why)
	o.severed.Store(true)
	o.control.SetWriteDeadline(time.Now())
}

// oneLine is the event without line breaks, which JSON has only between tokens
// and Server-Sent Events take for the end of the data.
func oneLine(event []byte) []byte {
	if bytes.IndexByte(event, '\n') < 0 && bytes.IndexByte(event, '\r') < 0 {
		return event
	}
	return bytes.ReplaceAll(bytes.ReplaceAll(event, []byte("\n"), []byte(" ")), []byte("\r"), []byte(" "))
}
