package execution

import (
	"errors"
	"fmt"

	"github.com/aguiws/aguiws/adapter"
)

// outgrown reports whether the run has added more than it may.
func (x *execution) outgrown() bool {
	grown, _ := x.Pipe.grown()
	return grown > x.room
}

// outgrow ends the run, at once: an agent that goes on and on may heed no error.
func (x *execution) outgrow() error {
	err := x.fail(adapter.CodeThreadTooLarge, fmt.Sprintf("the run has added more than %d bytes to its thread", x.allowed), false)
	if err != nil && !errors.Is(err, adapter.ErrStopped) {
		x.Broken = err
	}
	return x.seal(adapter.ErrStopped)
}
