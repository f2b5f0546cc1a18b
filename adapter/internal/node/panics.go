package node

import (
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/aguiws/aguiws/adapter/internal/panics"
	"github.com/aguiws/aguiws/adapter/store"
)

// panicLog knows the panics of our own goroutines. Data that others have stored must not
// take the process down, whatever it is.
type panicLog struct {
	Count atomic.Int64

	met LogOnce[panicPlace]
}

type panicPlace struct {
	doing  string
	thread store.ThreadKey
}

var errPanicked = errors.New("adapter: the call panicked")

// Contain calls fn for a thread, or for none. A panic is counted, logged the first
// time that it happens there, and returned as an error.
func (n *Node) Contain(doing string, key store.ThreadKey, fn func() error) error {
	err := panics.Contain(fn)
	var p *panics.Error
	if !errors.As(err, &p) {
		return err
	}
	n.Panics.Count.Add(1)
	if n.Panics.met.First(panicPlace{doing, key}) {
		n.Log.Error("a panic was contained; further ones here are counted only", "doing", doing, "thread", key.Thread,
			"panic", fmt.Sprint(p.Value), "stack", string(p.Stack))
	}
	return errPanicked
}
