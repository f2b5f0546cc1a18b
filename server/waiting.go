package server

import (
	"slices"
	"sync"

	"github.com/aguiws/aguiws/adapter"
)

// maxAwaited is how many queued inputs a socket is remembered for.
const maxAwaited = 64

// waiting knows which sockets of this process sent an input that is queued, so
// that they can be told when it is cancelled there.
type waiting struct {
	mu      sync.Mutex
	senders map[awaited][]sender
	of      map[sender][]awaited
}

type awaited struct {
	key   adapter.ThreadKey
	label string
}

// sender is who awaits a queued input. owe must not block.
type sender interface {
	owe(thread string, events [][]byte)
}

func (w *waiting) add(key adapter.ThreadKey, label string, s sender) {
	w.mu.Lock()
	defer w.mu.Unlock()
	a := awaited{key, label}
	if slices.Contains(w.senders[a], s) {
		return
	}
	if w.senders == nil {
		w.senders, w.of = map[awaited][]sender{}, map[sender][]awaited{}
	}
	if of := w.of[s]; len(of) == maxAwaited {
		w.remove(of[0], s)
	}
	w.senders[a] = append(w.senders[a], s)
	w.of[s] = append(w.of[s], a)
}

// settle hands the events to everybody who awaits the input.
func (w *waiting) settle(key adapter.ThreadKey, label string, events [][]byte) {
	w.mu.Lock()
	a := awaited{key, label}
	senders := slices.Clone(w.senders[a])
	for _, s := range senders {
		w.remove(a, s)
	}
	w.mu.Unlock()
	for _, s := range senders {
		s.owe(key.Thread, events)
	}
}

// forget drops everything that a sender awaits.
func (w *waiting) forget(s sender) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, a := range slices.Clone(w.of[s]) {
		w.remove(a, s)
	}
}

func (w *waiting) remove(a awaited, s sender) {
	if left := slices.DeleteFunc(w.senders[a], func(o sender) bool { return o == s }); len(left) > 0 {
		w.senders[a] = left
	} else {
		delete(w.senders, a)
	}
	if left := slices.DeleteFunc(w.of[s], func(o awaited) bool { return o == a }); len(left) > 0 {
		w.of[s] = left
	} else {
		delete(w.of, s)
	}
}

// debts are events that a session owes its client, put there by others.
type debts struct {
	mu   sync.Mutex
	list []debt
}

type debt struct {
	thread string
	events [][]byte
}

func (d *debts) add(thread string, events [][]byte) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.list = append(d.list, debt{thread, events})
}

func (d *debts) take() []debt {
	d.mu.Lock()
	defer d.mu.Unlock()
	list := d.list
	d.list = nil
	return list
}

func (s *fullSession) owe(thread string, events [][]byte) {
	s.debts.add(thread, events)
	s.poke()
}
