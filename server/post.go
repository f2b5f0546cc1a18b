package server

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
	"github.com/aguiws/aguiws/protocol/problem"
	"github.com/aguiws/aguiws/server/internal/refusal"
	"github.com/aguiws/aguiws/server/internal/requestbody"
	"github.com/aguiws/aguiws/server/internal/strictjson"
)

// reservedNames are those under /agui/ that are no agent's.
var reservedNames = []string{"ws", "capabilities", "threads"}

// CheckAgentName says why no agent can be served under a name, or nil.
func CheckAgentName(name string) error {
	if !strictjson.IsName(name) || slices.Contains(reservedNames, name) {
		return fmt.Errorf("an agent cannot be named %q: its path would mean something else, or is none", name)
	}
	return nil
}

var (
	refuseMethod = refusal.New(http.StatusMethodNotAllowed, "method_not_allowed", "that method means nothing here: see the Allow header")
	refuseWork   = refusal.New(http.StatusServiceUnavailable, codeOverloaded, "this server has too much to do").After(10 * time.Second)
)

// servePost is AG-UI's HTTP binding: an input in, its run's events out.
func (s *core) servePost(w http.ResponseWriter, r *http.Request) {
	c, agent, refused := s.enterFor(r)
	if refused == nil {
		held := s.hold(r.Context(), c)
		defer held.Release()
		refused = s.answerInput(w, r, held, agent, nil, func(out *sse, f *frame) { out.run(out, f, routeAGUI) })
	}
	if refused != nil {
		refused.Write(w)
	}
}

// answerInput lets serve answer an input with events. body is what is read as
// one; nil: the request's.
func (s *core) answerInput(w http.ResponseWriter, r *http.Request, held *holding, agent string, body []byte, serve func(*sse, *frame)) *refusal.Refusal {
	c := held.c
	if refused := s.reserve(c.user, c.address, &s.opts); refused != nil {
		return refused
	}
	defer s.unreserve(c.user, c.address)
	f, refused := s.readInput(w, r, body, held)
	if refused == nil {
		s.stream(w, r, c, agent, func(out *sse) {
			out.out.account.Join(held.bodies)
			f.dialect, f.through = dialectOf(r), store.ThroughPOST
			if id := r.Header.Get("Last-Event-ID"); id != "" {
				f.after, _ = parseEventID(id) // another server's is no reason to refuse
				out.resumes = true
			}
			serve(out, f)
		})
	}
	return refused
}

// run answers a readable input that came by a route, on a wire that ends in o.
func (o *sse) run(w wire, f *frame, route string) {
	stops := o.srv.opts.onDisconnect(route, o.agent) == DisconnectStop
	o.begun(func() error { return runPlain(o.peer, w, f, stops) })
}

// begun begins the answer, lets answer give it and ends it. A refusal of an input by its
// identity or by the server is an event.
func (o *sse) begun(answer func() error) {
	var err error
	if !o.resumes {
		err = o.begin()
	}
	if err == nil {
		if refused := o.mayRun(); refused != nil {
			err = refuse(o, refused)
		} else {
			err = answer()
		}
	}
	o.finish(err)
}

// finish writes the end of a stream whose run may not be told to its end: what
// to do then. A client that is gone is told nothing.
func (o *sse) finish(err error) {
	o.open()
	var why *protocol.RunError
	switch {
	case err == nil:
	case errors.Is(err, closeOverload):
		why = overloaded()
	case errors.Is(err, closeDraining):
		why = retryLater(codeDraining, "this server is shutting down; the same input sent again tells what became of the run", time.Second)
	case errors.Is(err, closeExpired):
		why = &protocol.RunError{Code: refuseCredential.Code,
			Message: "the credential has expired; the same input sent again with another tells what became of the run"}
	case closingOf(err) == err:
		return
	default:
		o.log.Error("stream fails", "error", err)
		why = outcomeUnknown()
	}
	if why == nil || refuse(o, why) == nil {
		o.flush()
	}
}

func (s *core) readInput(w http.ResponseWriter, r *http.Request, body []byte, held *holding) (*frame, *refusal.Refusal) {
	if body == nil {
		var refused *refusal.Refusal
		if body, refused = requestbody.JSON(w, r, s.opts.MaxFrameBytes, held.Body); refused != nil {
			return nil, refused
		}
	}
	read, weight := held.bodies.Held(), weigh(body)
	if err := held.take(held.bodies, weight); err != nil {
		if full, ok := errors.AsType[*refusal.Error](err); ok {
			return nil, full.Refusal
		}
		return nil, refuseWork // to nobody
	}
	defer held.bodies.Give(read)
	document, _, bad := objectOf(body)
	if bad != nil {
		return nil, refuseInput(bad.Message, []problem.Problem{{Message: bad.Message}})
	}
	f := &frame{account: held.bodies, weight: weight}
	if bad := f.readInput(document); bad != nil {
		return nil, refuseInput(bad.message, bad.fields)
	}
	return f, nil
}

// refuseInput says of a body that is no input what is wrong with it, and where.
func refuseInput(message string, fields []problem.Problem) *refusal.Refusal {
	refused := refusal.New(http.StatusBadRequest, codeInvalidInput, message)
	refused.Fields = append([]problem.Problem{}, fields...)
	return refused
}
