package sse

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
	"github.com/aguiws/aguiws/server/internal/budget"
	"github.com/aguiws/aguiws/server/internal/conn"
	"github.com/aguiws/aguiws/server/internal/edge"
	"github.com/aguiws/aguiws/server/internal/frames"
	"github.com/aguiws/aguiws/server/internal/peer"
)

// ssePiece is how much a client must take within the write timeout.
const ssePiece = 16 << 10

// Stream answers one request with Server-Sent Events. Its methods are for the
// request's goroutine, except Cut.
type Stream struct {
	*peer.Peer
	srv     *Streams
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
func (s *Streams) stream(w http.ResponseWriter, r *http.Request, c *peer.Caller, agent string, serve func(*Stream)) {
	out := &Stream{srv: s, Peer: s.NewPeer(r.Context(), c, agent), w: w, control: http.NewResponseController(w)}
	defer out.Out.Account.Close()
	defer out.Cancel(peer.CloseGone)
	defer context.AfterFunc(r.Context(), func() { out.Cancel(peer.CloseGone) })()
	if expiry := out.Expire(); expiry != nil {
		defer expiry.Stop()
	}
	s.Track(out)
	defer s.Untrack(out)
	s.Metrics.Streams.Inc()
	defer s.Metrics.Streams.Dec()
	out.silence = time.AfterFunc(s.opts.KeepAlive, func() {
		out.quiet.Store(true)
		out.Poke()
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
func (o *Stream) begin() error { return o.push(nil) }

// open gives the answer its header, unless it has one.
func (o *Stream) open() {
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

// Recovered says, to a client that said where it stopped, whether the stream goes on
// there.
func (o *Stream) Recovered(there bool) {
	if o.resumes && !o.opened {
		o.w.Header().Set(RecoveredHeader, strconv.FormatBool(there))
	}
}

// Emit gathers an event.
func (o *Stream) Emit(event []byte, at store.Position) error {
	if err := o.Gather(len(event), o); err != nil {
		return err
	}
	if at.Seq > 0 {
		o.mark(at)
	}
	b := o.buffer()
	*b = append(*b, "data: "...)
	*b = append(*b, oneLine(event)...)
	*b = append(*b, "\n\n"...)
	if len(*b) >= budget.FlushAt {
		return o.Out.Between(o)
	}
	return nil
}

// stand says where the stream is, without an event: a client that remembers ids
// comes back with this one.
func (o *Stream) stand(at store.Position) {
	o.mark(at)
	b := o.buffer()
	*b = append(*b, '\n')
}

func (o *Stream) mark(at store.Position) {
	b := o.buffer()
	*b = append(*b, "id: "...)
	*b = frames.AppendEventID(*b, at)
	*b = append(*b, '\n')
}

func (o *Stream) buffer() *[]byte {
	if o.buf == nil {
		o.buf = conn.TakeBuffer()
	}
	return o.buf
}

// Flush writes what was gathered, or a comment when there was silence for long.
func (o *Stream) Flush() error {
	defer o.Out.Flushed()
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
func (o *Stream) push(data []byte) error {
	o.open()
	for first := true; first || len(data) > 0; first = false {
		if o.Ctx.Err() != nil && peer.ClosingOf(context.Cause(o.Ctx)).Code == 0 {
			return context.Cause(o.Ctx)
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

func (o *Stream) lost(err error) error {
	why := peer.CloseGone
	if errors.Is(err, os.ErrDeadlineExceeded) && !o.severed.Load() {
		why = peer.CloseStalled
	}
	o.Cancel(why)
	o.Log.Debug("stream broken off", "error", err)
	return why
}

// Cut ends the stream at once, whatever it is doing.
func (o *Stream) Cut(why *peer.Closing) {
	o.Cancel(why)
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
