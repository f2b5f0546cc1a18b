package sse

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"

	"github.com/aguiws/aguiws/adapter/follow"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
	"github.com/aguiws/aguiws/server/identity"
	"github.com/aguiws/aguiws/server/internal/core"
	"github.com/aguiws/aguiws/server/internal/frames"
	"github.com/aguiws/aguiws/server/internal/peer"
	"github.com/aguiws/aguiws/server/internal/refusal"
	"github.com/aguiws/aguiws/server/internal/strictjson"
)

const (
	// RecoveredHeader says whether a stream begins where the client stopped.
	RecoveredHeader = "Aguiws-Recovered"
	// These say what a window leaves out: how many messages, and their place.
	OlderHeader  = "Aguiws-Older"
	BeforeHeader = "Aguiws-Before"
)

var (
	refuseAfter  = refusal.New(http.StatusBadRequest, refusal.CodeInvalidInput, "Last-Event-ID and after are EPOCH:SEQ, as an event's id was")
	refuseFollow = refusal.New(http.StatusBadRequest, refusal.CodeInvalidInput, "follow is 1, 0 or left out")
	refuseWindow = refusal.New(http.StatusBadRequest, refusal.CodeInvalidInput, fmt.Sprintf(frames.CountRule, "window", frames.MaxWindow))
)

// ServeEvents follows a thread over Server-Sent Events.
func (s *Streams) ServeEvents(w http.ResponseWriter, r *http.Request) {
	c, refused := s.Enter(r)
	if refused == nil && !c.Identity.May(identity.ScopeRead) {
		refused = peer.RefuseReading
	}
	var ask following
	if refused == nil {
		refused = ask.read(r)
	}
	if refused == nil && s.Memory.Short(peer.ShedSockets) {
		refused = peer.RefuseMemory
	}
	if refused == nil {
		refused = s.Reserve(c.User, c.Address)
	}
	if refused != nil {
		refused.Write(w)
		return
	}
	defer s.Unreserve(c.User, c.Address)
	if r.Method == http.MethodHead {
		w.Header().Set("Content-Type", "text/event-stream")
		return
	}
	s.stream(w, r, c, "", func(out *Stream) {
		t := &threadStream{out: out, wire: out, keep: ask.follow, counted: true}
		t.Open(s.Core, out.Peer, ask.thread)
		defer t.Close()
		t.Follower.Window(ask.window)
		a, err := t.Attach(ask.after)
		if err != nil {
			refuseReadingFor(err).Write(w)
			return
		}
		out.resumes = true
		out.Recovered(a.Recovered)
		if a.Older > 0 {
			w.Header().Set(OlderHeader, strconv.FormatInt(a.Older, 10))
			w.Header().Set(BeforeHeader, a.Before)
		}
		t.serve(a)
	})
}

// refuseReadingFor says why a thread could not be read.
func refuseReadingFor(err error) *refusal.Refusal {
	if errors.Is(err, store.ErrCorrupted) {
		return peer.RefuseCorrupted
	}
	if errors.Is(err, store.ErrNoRoom) {
		return peer.RefuseShare
	}
	return peer.RefuseStore
}

// following is what a request to follow a thread asks for.
type following struct {
	thread string
	after  *store.Position
	follow bool
	window int // 0: all messages
}

func (f *following) read(r *http.Request) *refusal.Refusal {
	if f.thread = r.PathValue("thread"); !strictjson.IsName(f.thread) {
		return peer.RefuseThreadID
	}
	query := r.URL.Query()
	switch query.Get("follow") {
	case "1":
		f.follow = true
	case "", "0":
	default:
		return refuseFollow
	}
	if window := query.Get("window"); window != "" && !frames.TellsCount([]byte(window), &f.window) {
		return refuseWindow
	}
	after := r.Header.Get("Last-Event-ID")
	if after == "" {
		after = query.Get("after")
	}
	if after == "" {
		return nil
	}
	var ok bool
	if f.after, ok = frames.ParseEventID(after); !ok {
		return refuseAfter
	}
	return nil
}

// threadStream is a thread as its followers see it: what was missed or the
// thread restated, then what happens, until the thread is at rest.
type threadStream struct {
	core.Cursor
	out     *Stream
	wire    core.Wire        // of out: what events are written to
	keep    bool             // it goes on when the thread is at rest
	counted bool             // the client keeps positions, and comes back with them
	running bool             // a run is under way at the cursor
	known   *follow.Attached // as of the cursor; nil when events have come since
	lower   Lower            // nil: events stay as they are
	label   string           // of the run that was restated
}

// Lower makes of an event one that the client can read, nil for none. ended says that it is
// the end of the run of that label, which the client did not see end.
type Lower func(label string, event []byte, ended bool) ([]byte, error)

// Restate answers with a thread as it is, and with what happens there until it is at rest,
// on a wire that ends in o. A refusal is one that was not written.
func (o *Stream) Restate(w core.Wire, thread string, lower Lower) *refusal.Refusal {
	t := &threadStream{out: o, wire: w, lower: lower}
	t.Open(o.srv.Core, o.Peer, thread)
	defer t.Close()
	a, err := t.Attach(nil)
	if err != nil {
		return refuseReadingFor(err)
	}
	if len(a.Restatement) > 0 {
		e, _ := protocol.Decode(a.Restatement[0])
		if started, ok := e.(*protocol.RunStarted); ok {
			t.label = started.RunID
		}
	}
	t.serve(a)
	return nil
}

// serve begins the answer and writes what there is, from where the cursor was
// attached.
func (t *threadStream) serve(a *follow.Attached) {
	t.running, t.known = a.ActiveLabel != "", a
	err := t.out.begin()
	for i, event := range a.Restatement {
		if err == nil {
			err = t.send(event, store.Position{}, i == len(a.Restatement)-1 && !t.running)
		}
	}
	if err == nil && t.counted && len(a.Restatement) > 0 {
		t.out.stand(a.Position)
	}
	if err == nil {
		err = t.Stream(t)
	}
	if t.counted && err != nil && peer.ClosingOf(err) == err {
		err = nil // the client comes back and is told
	}
	t.out.finish(err)
}

func (t *threadStream) send(event []byte, at store.Position, ended bool) error {
	if t.lower != nil {
		var err error
		if event, err = t.lower(t.label, event, ended); err != nil || event == nil {
			return err
		}
	}
	if !t.counted {
		at = store.Position{}
	}
	return t.wire.Emit(event, at)
}

func (t *threadStream) Flush() error { return t.out.Flush() }

func (t *threadStream) Owed() (over bool, err error) { return false, nil }

func (t *threadStream) Event(event []byte) (over bool, err error) {
	t.known = nil
	switch frames.TypeOf(event) {
	case protocol.TypeRunStarted:
		t.running = true
	case protocol.TypeRunFinished, protocol.TypeRunError:
		t.running = false
	}
	return false, t.send(event, t.Position, false)
}

// Restated ends the stream: what was written cannot be taken back, and what
// follows does not continue it. A client that comes back is restated.
func (t *threadStream) Restated(*follow.Attached, bool) (over bool, err error) {
	if t.counted {
		return true, nil
	}
	return true, core.Refuse(t.out, peer.OutcomeUnknown())
}

func (t *threadStream) Failed(error) error { return nil }

// AtEnd ends the stream when the thread is at rest: no run is under way and
// none is about to be, unless a question holds it up.
func (t *threadStream) AtEnd() (over bool, err error) {
	if t.keep || t.running {
		return false, nil
	}
	if t.known == nil {
		at := t.Position
		a, err := t.Attach(&at)
		if err != nil {
			t.Failures++
			return false, nil
		}
		if !a.Recovered {
			return t.Restated(a, false)
		}
		// Events that have come meanwhile are handed out before this is believed.
		t.known = a
		t.LookAgain()
		return false, nil
	}
	return t.known.ActiveLabel == "" && (len(t.known.Queued) == 0 || len(t.known.Interrupts) > 0), nil
}
