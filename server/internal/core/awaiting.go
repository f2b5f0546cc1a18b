package core

import (
	"slices"
	"sync"

	"github.com/aguiws/aguiws/adapter/store"
)

// MaxAwaited is how many inputs of one socket may wait.
const MaxAwaited = 1000

// awaiting knows which sockets and streams of this process sent an input that is
// queued, so that they can be told when it is cancelled there.
type awaiting struct {
	mu      sync.Mutex
	senders map[awaited][]sender
	of      map[sender]map[awaited]struct{}
}

type awaited struct {
	key   store.ThreadKey
	label string
}

// sender is who awaits a queued input. owe must not block.
type sender interface {
	Owe(thread string, events [][]byte)
}

// Add remembers that an input of the sender's may wait from now on. It comes
// before the question whether it does: what is cancelled in between is not
// missed. fresh: it was not remembered. Without room it is not now either.
func (w *awaiting) Add(key store.ThreadKey, label string, s sender) (fresh, room bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	a := awaited{key, label}
	if slices.Contains(w.senders[a], s) {
		return false, true
	}
	if len(w.of[s]) >= MaxAwaited {
		return false, false
	}
	if w.senders == nil {
		w.senders, w.of = map[awaited][]sender{}, map[sender]map[awaited]struct{}{}
	}
	if w.of[s] == nil {
		w.of[s] = map[awaited]struct{}{}
	}
	w.senders[a] = append(w.senders[a], s)
	w.of[s][a] = struct{}{}
	return true, true
}

// Done forgets an input that does not wait, or no more, and reports whether
// others of the thread do.
func (w *awaiting) Done(key store.ThreadKey, label string, s sender) (others bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.remove(awaited{key, label}, s)
	for a := range w.of[s] {
		if a.key == key {
			return true
		}
	}
	return false
}

// Leave forgets what the sender awaits on a thread.
func (w *awaiting) Leave(key store.ThreadKey, s sender) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for a := range w.of[s] {
		if a.key == key {
			w.remove(a, s)
		}
	}
}

// Pay hands the events owed to everybody who awaits the input.
func (w *awaiting) Pay(key store.ThreadKey, label string, events [][]byte) {
	w.mu.Lock()
	a := awaited{key, label}
	senders := slices.Clone(w.senders[a])
	for _, s := range senders {
		w.remove(a, s)
	}
	w.mu.Unlock()
	for _, s := range senders {
		s.Owe(key.Thread, events)
	}
}

// Inputs is how many inputs are awaited.
func (w *awaiting) Inputs() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.senders)
}

// Waiting is how many await one input.
func (w *awaiting) Waiting(key store.ThreadKey, label string) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.senders[awaited{key, label}])
}

// Forget drops everything that a sender awaits.
func (w *awaiting) Forget(s sender) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for a := range w.of[s] {
		w.remove(a, s)
	}
}

func (w *awaiting) remove(a awaited, s sender) {
	if left := slices.DeleteFunc(w.senders[a], func(o sender) bool { return o == s }); len(left) > 0 {
		w.senders[a] = left
	} else {
		delete(w.senders, a)
	}
	if delete(w.of[s], a); len(w.of[s]) == 0 {
		delete(w.of, s)
	}
}

// Debts are events that a session owes its client, put there by others.
type Debts struct {
	mu   sync.Mutex
	list []debt
}

type debt struct {
	Thread string
	Events [][]byte
}

// Add adds events of a thread.
func (d *Debts) Add(thread string, events [][]byte) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.list = append(d.list, debt{thread, events})
}

// Take returns what is owed, and forgets it.
func (d *Debts) Take() []debt {
	d.mu.Lock()
	defer d.mu.Unlock()
	list := d.list
	d.list = nil
	return list
}
