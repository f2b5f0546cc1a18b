package server

import (
	"github.com/aguiws/aguiws/adapter/admission"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
	"github.com/aguiws/aguiws/server/identity"
)

// An identity that may run and not read is given the events of runs that its own
// inputs began, and nothing that tells of what else the thread holds.

// reads reports whether the caller may follow threads.
func (c *caller) reads() bool { return c.identity.May(identity.ScopeRead) }

// tells reports whether an event is about its run alone. Snapshots are about the
// thread, and changes of the state make sense only to who has had one.
func tells(event []byte) bool {
	switch typeOf(event) {
	case protocol.TypeMessagesSnapshot, protocol.TypeStateSnapshot, protocol.TypeStateDelta:
		return false
	}
	return true
}

// mayRepeat refuses a repeat of what may be somebody else's.
func (p *peer) mayRepeat(a admission.Admitted) *protocol.RunError {
	if a.Disposition != admission.Repeat || p.reads() || a.User != "" && a.User == p.name() {
		return nil
	}
	return p.srv.metrics.noted(&protocol.RunError{Code: codeForbidden,
		Message: "the run that answers this is not known to be of this identity's inputs, and it may not follow threads"})
}

// ownRuns are the runs of a thread that the inputs of a socket began, for one that may
// not see others.
type ownRuns struct {
	begins map[int64]bool    // the positions of RUN_STARTED events that are known
	waits  map[string]string // ids of runs that are queued, by label
	within bool              // the cursor is in a run of its own
}

// owned notes that a run of the thread is the socket's own: its RUN_STARTED comes at a
// position, the cursor is within it, or it waits.
func (d *delivery) owned(status store.RunStatus, seq int64, label, id string) {
	o := &d.own
	switch {
	case d.reads():
	case status == store.RunQueued:
		if o.waits == nil {
			o.waits = map[string]string{}
		}
		o.waits[label] = id
	case status == store.RunActive && seq == 0:
		o.within = true
	case status == store.RunActive:
		if o.begins == nil {
			o.begins = map[int64]bool{}
		}
		o.begins[seq] = true
	}
}

// owns reports whether the event at the cursor is of a run of the socket's own.
func (d *delivery) owns(event []byte) bool {
	o := &d.own
	kind := typeOf(event)
	if kind == protocol.TypeRunStarted && !o.within {
		label := labelOf(event)
		switch id := o.waits[label]; {
		case o.begins[d.position.Seq]:
			delete(o.begins, d.position.Seq)
			o.within = true
		case id != "" && d.hasBegun(id, label):
			delete(o.waits, label)
			o.within = true
		}
	}
	mine := o.within
	if kind == protocol.TypeRunFinished || kind == protocol.TypeRunError {
		o.within = false
	}
	return mine
}

// ownEvent writes the event at the cursor if it is for a socket that may not read: it
// counts nothing, and so it is given no position.
func (d *delivery) ownEvent(event []byte) error {
	s := d.session
	if !d.owns(event) {
		return nil
	}
	if d.awaits && typeOf(event) == protocol.TypeRunStarted {
		d.awaits = s.srv.awaiting.done(d.key, labelOf(event), s)
	}
	return s.uncounted(d.key.Thread, d.position, [][]byte{event})
}

// lostOwn ends the delivery to a socket that may not read, when it cannot go on in
// order: the same inputs again tell what became of the runs.
func (d *delivery) lostOwn() error {
	s := d.session
	owed := d.own.within || len(d.own.waits) > 0 || len(d.own.begins) > 0
	if err := s.drop(d); err != nil || !owed {
		return err
	}
	event, err := protocol.Encode(outcomeUnknown())
	if err != nil {
		return err
	}
	return s.uncounted(d.key.Thread, d.position, [][]byte{event})
}
