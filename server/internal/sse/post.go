package sse

import (
	"errors"
	"net/http"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
	"github.com/aguiws/aguiws/protocol/problem"
	"github.com/aguiws/aguiws/server/internal/core"
	"github.com/aguiws/aguiws/server/internal/frames"
	"github.com/aguiws/aguiws/server/internal/peer"
	"github.com/aguiws/aguiws/server/internal/refusal"
	"github.com/aguiws/aguiws/server/internal/requestbody"
)

// ServePost is AG-UI's HTTP binding: an input in, its run's events out.
func (s *Streams) ServePost(w http.ResponseWriter, r *http.Request) {
	c, agent, refused := s.EnterFor(r)
	if refused == nil {
		held := s.Hold(r.Context(), c)
		defer held.Release()
		refused = s.AnswerInput(w, r, held, agent, nil, func(out *Stream, f *frames.Frame) { out.Run(out, f, s.opts.Stops(agent)) })
	}
	if refused != nil {
		refused.Write(w)
	}
}

// AnswerInput lets serve answer an input with events. body is what is read as
// one; nil: the request's. A refusal is one that was not written.
func (s *Streams) AnswerInput(w http.ResponseWriter, r *http.Request, held *peer.Holding, agent string, body []byte, serve func(*Stream, *frames.Frame)) *refusal.Refusal {
	c := held.Caller
	if refused := s.Reserve(c.User, c.Address); refused != nil {
		return refused
	}
	defer s.Unreserve(c.User, c.Address)
	f, refused := s.readInput(w, r, body, held)
	if refused == nil {
		s.stream(w, r, c, agent, func(out *Stream) {
			out.Out.Account.Join(held.Bodies)
			f.Dialect, f.Through = frames.DialectOf(r), store.ThroughPOST
			if id := r.Header.Get("Last-Event-ID"); id != "" {
				f.After, _ = frames.ParseEventID(id) // another server's is no reason to refuse
				out.resumes = true
			}
			serve(out, f)
		})
	}
	return refused
}

// Run answers a readable input on a wire that ends in o. stops: the run is not to go on
// when the client leaves.
func (o *Stream) Run(w core.Wire, f *frames.Frame, stops bool) {
	o.Answer(func() error { return o.srv.RunPlain(o.Peer, w, f, stops) })
}

// Answer begins the answer, lets answer give it and ends it. A refusal of an input by its
// identity or by the server is an event.
func (o *Stream) Answer(answer func() error) {
	var err error
	if !o.resumes {
		err = o.begin()
	}
	if err == nil {
		if refused := o.srv.MayRun(o.Peer); refused != nil {
			err = core.Refuse(o, refused)
		} else {
			err = answer()
		}
	}
	o.finish(err)
}

// finish writes the end of a stream whose run may not be told to its end: what
// to do then. A client that is gone is told nothing.
func (o *Stream) finish(err error) {
	o.open()
	var why *protocol.RunError
	switch {
	case err == nil:
	case errors.Is(err, peer.CloseOverload):
		why = peer.Overloaded()
	case errors.Is(err, peer.CloseDraining):
		why = peer.RetryLater(refusal.CodeDraining, "this server is shutting down; the same input sent again tells what became of the run", time.Second)
	case errors.Is(err, peer.CloseExpired):
		why = &protocol.RunError{Code: peer.RefuseCredential.Code,
			Message: "the credential has expired; the same input sent again with another tells what became of the run"}
	case peer.ClosingOf(err) == err:
		return
	default:
		o.Log.Error("stream fails", "error", err)
		why = peer.OutcomeUnknown()
	}
	if why == nil || core.Refuse(o, why) == nil {
		o.Flush()
	}
}

func (s *Streams) readInput(w http.ResponseWriter, r *http.Request, body []byte, held *peer.Holding) (*frames.Frame, *refusal.Refusal) {
	if body == nil {
		var refused *refusal.Refusal
		if body, refused = requestbody.JSON(w, r, s.opts.MaxFrameBytes, held.Body); refused != nil {
			return nil, refused
		}
	}
	read, weight := held.Bodies.Held(), frames.Weigh(body)
	if err := held.Take(held.Bodies, weight); err != nil {
		if full, ok := errors.AsType[*refusal.Error](err); ok {
			return nil, full.Refusal
		}
		return nil, peer.RefuseWork // to nobody
	}
	defer held.Bodies.Give(read)
	document, _, bad := frames.ObjectOf(body)
	if bad != nil {
		return nil, refuseInput(bad.Message, []problem.Problem{{Message: bad.Message}})
	}
	f := &frames.Frame{Account: held.Bodies, Weight: weight}
	if bad := f.ReadInput(document); bad != nil {
		return nil, refuseInput(bad.Message, bad.Fields)
	}
	return f, nil
}

// refuseInput says of a body that is no input what is wrong with it, and where.
func refuseInput(message string, fields []problem.Problem) *refusal.Refusal {
	refused := refusal.New(http.StatusBadRequest, refusal.CodeInvalidInput, message)
	refused.Fields = append([]problem.Problem{}, fields...)
	return refused
}
