package admission

import "github.com/aguiws/aguiws/adapter/store"

// Actor is who acts on a thread, and how the act has come. The decision record names it.
type Actor struct {
	User string // as Input.User; "": not known
	From store.Origin
}

// Cancelled answers Cancel.
type Cancelled struct {
	Stopped bool // at least one run
	// Owed are uncounted events for the senders of inputs that were stopped while
	// they waited in the queue: how a run under their label ended.
	Owed [][]byte
}

// AllStopped answers StopAll.
type AllStopped struct {
	Active     string   // the dispatch whose claim was taken away; "": none was active
	Superseded []string // the dispatches that waited
	Waiting    string   // the run whose open interrupts were cancelled; "": none were open
	Epoch      int64    // the thread's dispatch epoch by now
}

// CancelledInQueue is told of inputs that were cancelled in the queue, on whichever
// node, and that the log does not hold before the queue is released: label is the
// client's runId, events are what their senders are owed, uncounted. It is called
// from several goroutines, must not block, and may be told of one input twice.
type CancelledInQueue func(key store.ThreadKey, label string, events [][]byte)
