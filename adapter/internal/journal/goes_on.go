package journal

import (
	"errors"

	"github.com/aguiws/aguiws/adapter/internal/stored"
	"github.com/aguiws/aguiws/adapter/store"
)

// GoesOn judges whether a waiting execution can be read. An execution that only newer
// servers can read is left to them.
func GoesOn(view *store.ExecutionView) error {
	var frozen store.Frozen
	if err := stored.Decode(view.Frozen, &frozen, "the execution"); err != nil {
		return err
	}
	if frozen.Input == nil {
		return stored.Corrupted("the execution")
	}
	j, err := ReadJournal(view.Journal)
	switch {
	case errors.Is(err, store.ErrCorrupted):
		return err
	case err == nil && j.unasked == nil:
		return stored.Corrupted("the journal has no question")
	}
	return nil
}
