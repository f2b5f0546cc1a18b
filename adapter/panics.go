package adapter

import (
	"errors"
	"fmt"
	"runtime/debug"
	"sync/atomic"

	"github.com/aguiws/aguiws/adapter/store"
)

// panics are those of our own goroutines. What others have stored must not take
// the process down, whatever it is.
type panics struct {
	count atomic.Int64

	met logOnce[panicPlace]
}

type panicPlace struct {
	doing  string
	thread store.ThreadKey
}

var errPanicked = errors.New("adapter: it panicked")

// contain calls fn for a thread, or for none. A panic is counted, logged the first
// time that it happens there, and returned as an error.
func (r *Runner) contain(doing string, key store.ThreadKey, fn func() error) error {
	err := contained(fn)
	var p *panicError
	if !errors.As(err, &p) {
		return err
	}
	r.panics.count.Add(1)
	if r.panics.met.first(panicPlace{doing, key}) {
		r.log.Error("a panic was contained; it is counted from here on", "doing", doing, "thread", key.Thread,
			"panic", fmt.Sprint(p.value), "stack", string(p.stack))
	}
	return errPanicked
}

// panicError is a panic of the agent's, contained.
type panicError struct {
	value any
	stack []byte
}

func (e *panicError) Error() string { return fmt.Sprintf("the agent panicked: %v", e.value) }

// contained calls fn and turns a panic into an error.
func contained(fn func() error) (err error) {
	defer func() {
		if value := recover(); value != nil {
			err = &panicError{value, debug.Stack()}
		}
	}()
	return fn()
}
