package script

import (
	"context"
	"encoding/json"
	"fmt"
	"os"

	"github.com/aguiws/aguiws/adapter"
)

// line is what an effect leaves behind.
type line struct {
	Tool string          `json:"tool"`
	Args json.RawMessage `json:"args"`
	Key  string          `json:"key"`
}

// carryOut is the effect of a tool call.
func (a *agent) carryOut(_ context.Context, call adapter.Invocation) (json.RawMessage, error) {
	if err := a.leave(line{call.Name, call.Args, call.IdempotencyKey}); err != nil {
		return nil, err
	}
	return json.Marshal(struct {
		Executed bool            `json:"executed"`
		Args     json.RawMessage `json:"args"`
	}{true, call.Args})
}

// leave appends one line, which a crash does not tear or lose.
func (a *agent) leave(l line) error {
	if a.options.Effects == "" {
		return nil
	}
	text, err := json.Marshal(l)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(a.options.Effects, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return fmt.Errorf("effects file: %w", err)
	}
	if _, err := f.Write(append(text, '\n')); err != nil {
		f.Close()
		return fmt.Errorf("effects file: %w", err)
	}
	return f.Close()
}

func (a *agent) effect(ctx context.Context, run *adapter.Run, _ string) error {
	key := run.NewID()
	_, err := adapter.Step(ctx, run, "effect", func(context.Context) (bool, error) {
		return true, a.leave(line{"effect", json.RawMessage("{}"), key})
	})
	if err != nil {
		return err
	}
	return stream(run, "The effect took place.")
}
