package adapter

import (
	"context"
	"errors"

	"github.com/google/uuid"

	"github.com/aguiws/aguiws/adapter/internal/judge"
	"github.com/aguiws/aguiws/adapter/internal/stored"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
)

// condemned makes an error about what is stored one that no attempt gets past.
func condemned(err error) error {
	if !errors.Is(err, store.ErrCorrupted) {
		return err
	}
	return &undeliverable{code: CodeStateCorrupted, text: err.Error()}
}

// unreadable refuses an input to a thread that cannot be read, and tells the log of
// the first.
func (r *Runner) unreadable(key store.ThreadKey, err error) *protocol.RunError {
	if r.corrupted.first(key) {
		r.log.Error("a thread cannot be read: interrupt or delete it", "namespace", key.Namespace, "thread", key.Thread, "error", err)
	}
	return judge.Refuse(CodeStateCorrupted, err.Error()+": ask who runs the server; the thread can be deleted", nil)
}

// repair interrupts a thread in which the usual way stumbles over what cannot be
// read.
func (r *Runner) repair(ctx context.Context, key store.ThreadKey, reason string) (Interrupted, error) {
	terminal, err := protocol.Encode(&protocol.RunError{Code: CodeStateCorrupted, Message: store.ErrCorrupted.Error()})
	if err != nil {
		return Interrupted{}, err
	}
	i := store.Interruption{Thread: key, Request: uuid.NewString(), Reason: reason, Terminal: terminal, Repair: true}
	result, err := retry(ctx, func() (store.InterruptResult, error) { return r.store.Interrupt(ctx, i) })
	if err != nil {
		return Interrupted{}, err
	}
	if result.Active != "" {
		r.fence(result.Active)
	}
	return Interrupted{Active: result.Active, Superseded: result.Superseded, Epoch: result.Epoch}, nil
}

// unreadableThread reports whether what the thread waits for cannot be read, so that
// nobody can end it in order.
func (r *Runner) unreadableThread(ctx context.Context, key store.ThreadKey) (bool, error) {
	view, err := r.store.Read(ctx, key, store.ReadQuery{})
	if err == nil {
		_, err = stored.Suspension(view.Suspension)
	}
	if errors.Is(err, store.ErrCorrupted) {
		return true, nil
	}
	return false, err
}
