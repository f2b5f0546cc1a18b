package adapter_test

import (
	"context"
	"slices"
	"testing"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/protocol"
)

// A message that was begun in chunks and is open when the run suspends stays
// one message, whatever the agent does after the answer.
func TestChunksOpenAcrossAsk(t *testing.T) {
	id := "chunked"
	chunk := func(run *adapter.Run, delta string) error {
		return run.Emit(&protocol.TextMessageChunk{MessageID: &id, Delta: &delta})
	}
	for name, test := range map[string]struct {
		after func(ctx context.Context, run *adapter.Run) error
		end   protocol.OutcomeType
		texts []string
	}{
		"return": {func(context.Context, *adapter.Run) error { return nil }, protocol.OutcomeSuccess, []string{"one "}},
		"ask": {func(ctx context.Context, run *adapter.Run) error {
			_, err := run.Ask(ctx, confirmation("and now?"))
			return err
		}, protocol.OutcomeInterrupt, []string{"one "}},
		"another message": {func(_ context.Context, run *adapter.Run) error { return run.Say("two") },
			protocol.OutcomeSuccess, []string{"one ", "two"}},
		"another chunk": {func(_ context.Context, run *adapter.Run) error { return chunk(run, "two") },
			protocol.OutcomeSuccess, []string{"one two"}},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t, adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
				if err := chunk(run, "one "); err != nil {
					return err
				}
				if _, err := run.Ask(ctx, confirmation("?")); err != nil {
					return err
				}
				return test.after(ctx, run)
			}))
			open := interrupts(t, l.say("hi"))
			if got := outcome(t, l.answer(resolved(open[0].ID, "true"))); got != test.end {
				t.Errorf("outcome %s", got)
			}
			l.wellFormed()
			if got := l.texts(); !slices.Equal(got, test.texts) {
				t.Errorf("texts %q", got)
			}
		})
	}
}
