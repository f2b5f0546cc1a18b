package server

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"os"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/aguiws/aguiws/protocol"
)

// bodyTimeout bounds how long the body of a request may take to arrive.
const bodyTimeout = 30 * time.Second

// reservedNames are those under /agui/ that are no agent's.
var reservedNames = []string{"ws", "capabilities", "threads"}

var (
	refuseMethod    = &refusal{http.StatusMethodNotAllowed, "method_not_allowed", "that method means nothing here: see the Allow header", 0}
	refuseMediaType = &refusal{http.StatusUnsupportedMediaType, "unsupported_media_type", "the body must be JSON: Content-Type: application/json, without Content-Encoding", 0}
	refuseTooLarge  = &refusal{http.StatusRequestEntityTooLarge, "body_too_large", "the body is larger than this server takes", 0}
	refuseSlowBody  = &refusal{http.StatusRequestTimeout, "body_too_slow", "the body did not arrive in time", 1}
	refuseBody      = &refusal{http.StatusBadRequest, codeInvalidInput, "the body could not be read", 0}
	refuseUTF8      = &refusal{http.StatusBadRequest, codeInvalidInput, "the body is not UTF-8", 0}
	refuseWork      = &refusal{http.StatusServiceUnavailable, "overloaded", "this server has too much to do", 10}
)

// servePost is AG-UI's HTTP binding: an input in, its run's events out.
func (s *Server) servePost(w http.ResponseWriter, r *http.Request) {
	agent := r.PathValue("agent")
	c, refused := s.enterFor(r, agent)
	if refused == nil {
		refused = s.reserve(c)
	}
	if refused != nil {
		refused.write(w)
		return
	}
	defer s.unreserve(c)
	f, refused := s.readInput(w, r)
	switch {
	case refused != nil:
		refused.write(w)
	case f.fault != nil:
		f.fault.write(w)
	default:
		s.stream(w, r, c, agent, func(out *sse) { out.run(f) })
	}
}

// run answers a readable input. What a thread or an identity has against it is
// an event.
func (o *sse) run(f *frame) {
	err := o.begin()
	if err == nil {
		if refused := o.mayRun(); refused != nil {
			err = refuse(o, refused)
		} else {
			err = runPlain(o.peer, o, f)
		}
	}
	o.finish(err)
}

// finish writes the end of a stream whose run may not be told to its end: what
// to do then. A client that is gone is told nothing.
func (o *sse) finish(err error) {
	var why *protocol.RunError
	switch {
	case err == nil:
	case errors.Is(err, closeDraining):
		why = retryLater(codeDraining, "this server is shutting down; the same input sent again tells what became of the run", time.Second)
	case errors.Is(err, closeExpired):
		why = &protocol.RunError{Code: refuseCredential.code,
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

// readInput reads the body of a request as an input. A frame with a fault is
// one that could not be read as such.
func (s *Server) readInput(w http.ResponseWriter, r *http.Request) (*frame, *refusal) {
	body, refused := s.readJSON(w, r)
	if refused != nil {
		return nil, refused
	}
	release, refused := s.work(r, len(body))
	if refused != nil {
		return nil, refused
	}
	defer release()
	return inputOf(body), nil
}

func inputOf(body []byte) *frame {
	f := &frame{}
	if document, _, bad := objectOf(body); bad != nil {
		f.fault = bad
		bad.code = codeInvalidInput
		bad.fields = []protocol.Problem{{Message: bad.message}}
	} else {
		f.fault = f.readInput(document)
	}
	return f
}

// work waits until the process may work on that much at once.
func (s *Server) work(r *http.Request, bytes int) (release func(), refused *refusal) {
	ctx, cancel := context.WithTimeout(r.Context(), s.opts.CallTimeout)
	defer cancel()
	if s.inbound.Acquire(ctx, int64(bytes)) != nil {
		return nil, refuseWork
	}
	return func() { s.inbound.Release(int64(bytes)) }, nil
}

// readJSON reads the body of a request that must be JSON. Pages cannot send that
// type to a foreign server without being asked first.
func (s *Server) readJSON(w http.ResponseWriter, r *http.Request) ([]byte, *refusal) {
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	encoding := r.Header.Get("Content-Encoding")
	if err != nil || kind != "application/json" || encoding != "" && !strings.EqualFold(encoding, "identity") {
		return nil, refuseMediaType
	}
	return s.readBody(w, r, s.opts.MaxFrameBytes)
}

func (s *Server) readBody(w http.ResponseWriter, r *http.Request, most int64) ([]byte, *refusal) {
	control := http.NewResponseController(w)
	control.SetReadDeadline(time.Now().Add(bodyTimeout))
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, most))
	if err != nil {
		_, large := errors.AsType[*http.MaxBytesError](err)
		switch {
		case large:
			return nil, refuseTooLarge
		case errors.Is(err, os.ErrDeadlineExceeded):
			return nil, refuseSlowBody
		default:
			return nil, refuseBody
		}
	}
	control.SetReadDeadline(time.Time{})
	if !utf8.Valid(body) {
		return nil, refuseUTF8
	}
	return body, nil
}

// write answers a request whose body cannot be read, with each place in it.
func (f *fault) write(w http.ResponseWriter) {
	fields := f.fields
	if fields == nil {
		fields = []protocol.Problem{}
	}
	noteCode(w, f.code)
	writeJSON(w, http.StatusBadRequest, struct {
		Code    string             `json:"code"`
		Message string             `json:"message"`
		Fields  []protocol.Problem `json:"fields"`
	}{f.code, f.message, fields})
}

func writeJSON(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(body)
}
