// Package panics turns a panic into an error.
package panics

import (
	"fmt"
	"runtime/debug"
)

// Error is a panic that was contained.
type Error struct {
	Value any
	Stack []byte
}

func (e *Error) Error() string { return fmt.Sprintf("the agent panicked: %v", e.Value) }

// Contain calls fn and turns a panic into an *Error.
func Contain(fn func() error) (err error) {
	defer func() {
		if value := recover(); value != nil {
			err = &Error{value, debug.Stack()}
		}
	}()
	return fn()
}
