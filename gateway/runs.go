package gateway

import (
	"sync/atomic"
	"time"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/protocol"
)

// runs takes the runs of one answer apart. A stream may hold several: earlier ones that are
// told again, and last the one that was asked for, which has the id that was sent. The last
// is told while it comes, and so is what a late RUN_ERROR makes of it.
//
// A run under another id is kept until what follows says what it is: behind a replay
// another run begins, and a run whose agent makes ids of its own is the last. It is told
// when it goes on for longer than a replay does, or when the agent's last answer was one
// run under an id of its own. One that tells nothing of the thread again is hardly a replay,
// and is told soon.
type runs struct {
	read     func() (received, error)
	behind   func(waits bool) // that what comes is behind a run's end, or no longer is
	repaired func(name string)
	sent     string                    // the id of the run that was asked for
	own      *atomic.Bool              // the agent's runs have ids of its own, one in an answer
	retells  func(protocol.Event) bool // the thread has what the event tells
	most     int                       // bytes that are kept

	begun   bool
	foreign bool // the run that is under way has another id
	theirs  bool // a run had
	named   bool // a run had the one that was sent, or none
	several bool
	keeps   bool
	retold  bool // what is kept has something of the thread
	kept    []received
	bytes   int
	since   time.Time

	ready []received
	err   error // behind what is ready
}

// These bound what a replay takes, and what may be behind a run's end. A replay of what the
// thread does not have is of an agent that remembers more, or gives ids anew, and comes at once.
const (
	replayTime     = 2 * time.Second
	newsReplayTime = 100 * time.Millisecond
	behindBytes    = 64 << 10
)

// next is the next event of the run that is told. The error is the stream's.
func (s *runs) next() (received, error) {
	for {
		if len(s.ready) > 0 {
			e := s.ready[0]
			s.ready = s.ready[1:]
			return e, nil
		}
		if s.err != nil {
			return received{}, s.err
		}
		e, err := s.read()
		if err != nil {
			s.release()
			s.err = err
			continue
		}
		switch x := e.event.(type) {
		case *protocol.RunStarted:
			s.begins(x)
		case *protocol.RunFinished, *protocol.RunError:
			s.end(e)
			continue
		}
		if !s.keeps {
			s.begun = true
			return e, nil
		}
		s.keep(e)
	}
}

// begins takes in that a run begins, and decides whether it is kept.
func (s *runs) begins(e *protocol.RunStarted) {
	other := s.isOther(e)
	s.theirs, s.named = s.theirs || other, s.named || !other
	if s.begun {
		s.foreign = s.foreign && other // it is announced once more
		return
	}
	s.begun, s.foreign = true, other
	if s.keeps = other && !s.own.Load(); s.keeps {
		s.since = time.Now()
	}
}

func (s *runs) isOther(e *protocol.RunStarted) bool { return e.RunID != "" && e.RunID != s.sent }

func (s *runs) keep(e received) {
	s.kept = append(s.kept, e)
	s.retold = s.retold || s.retells(e.event)
	longest := newsReplayTime
	if s.retold {
		longest = replayTime
	}
	if s.bytes += len(e.text); !s.foreign || s.bytes > s.most || time.Since(s.since) > longest {
		s.release()
	}
}

// release has what is kept told.
func (s *runs) release() {
	s.ready = append(s.ready, s.kept...)
	s.forget()
}

func (s *runs) forget() { s.kept, s.bytes, s.keeps, s.retold = nil, 0, false, false }

// end looks at what follows a run's end. The events there decide which run is told, and how
// it ended.
func (s *runs) end(e received) {
	s.behind(true)
	for left := behindBytes; left > 0; {
		next, err := s.read()
		if err != nil && codeOf(err) != adapter.CodeProtocolViolation {
			break
		}
		left -= max(len(next.text), 1)
		switch x := next.event.(type) {
		case *protocol.RunStarted:
			if s.follows(next, x) {
				return
			}
			left = 0 // it has been told which run is meant
		case *protocol.RunError:
			if finished, ok := e.event.(*protocol.RunFinished); ok {
				e = lateError(finished, next, x)
				continue
			}
		}
		s.repaired(RepairAfterEnd)
	}
	if s.theirs || s.named {
		s.own.Store(!s.named && !s.several)
	}
	s.release()
	s.ready = append(s.ready, e)
}

// follows reports whether another run takes the place of the one that has ended. None takes
// that of the run that was asked for.
func (s *runs) follows(e received, started *protocol.RunStarted) bool {
	if s.begun && !s.foreign && s.isOther(started) {
		return false
	}
	if s.keeps {
		s.repaired(RepairReplay)
		s.forget()
	}
	s.behind(false)
	s.begun, s.several = false, true
	if s.begins(started); s.keeps {
		s.keep(e)
	} else {
		s.ready = append(s.ready, e)
	}
	return true
}

// lateError is a run's end that AG-UI lets a RUN_ERROR take back.
func lateError(finished *protocol.RunFinished, e received, x *protocol.RunError) received {
	failed := *x
	if failed.Usage == nil {
		failed.Usage = finished.Usage
	}
	e.event, e.late = &failed, true
	return e
}
