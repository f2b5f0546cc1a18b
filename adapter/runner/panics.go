package runner

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
	count atomic.Int64

	met logOnce[panicPlace]
}

type panicPlace struct {
	doing  string
	thread store.ThreadKey
}

var errPanicked = errors.New("adapter: the call panicked")

// contain calls fn for a thread, or for none. A panic is counted, logged the first
// time that it happens there, and returned as an error.
func (n *node) contain(doing string, key store.ThreadKey, fn func() error) error {
	err := panics.Contain(fn)
	var p *panics.Error
	if !errors.As(err, &p) {
		return err
	}
	n.panics.count.Add(1)
	if n.panics.met.first(panicPlace{doing, key}) {
		n.log.Error("a panic was contained; further ones here are counted only", "doing", doing, "thread", key.Thread,
			"panic", fmt.Sprint(p.Value), "stack", string(p.Stack))
	}
	return errPanicked
}
