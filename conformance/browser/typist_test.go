package browser

import (
	"context"
	"strings"
	"time"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/protocol"
)

// letter is what the typist writes, a word at a time: long enough to be seen to
// grow on a slow machine.
var letter = `{"to":"ada@example.com","body":"` + strings.Repeat("one two three four ", 10) + `and so on"}`

// unhurried types a letter for whoever asks for one, and steps for the others.
func unhurried(ctx context.Context, run *adapter.Run) error {
	messages := run.Input().Messages
	if len(messages) > 0 && messages[len(messages)-1].Content.String() == "type" {
		return typist(ctx, run)
	}
	return steps(ctx, run)
}

// typist calls a tool whose arguments come at a pace that a reader can follow.
func typist(ctx context.Context, run *adapter.Run) error {
	call := run.NewID()
	if err := run.Emit(&protocol.ToolCallStart{ToolCallID: call, ToolCallName: "write_letter"}); err != nil {
		return err
	}
	for _, word := range strings.SplitAfter(letter, " ") {
		select {
		case <-time.After(pace):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		if err := run.Emit(&protocol.ToolCallArgs{ToolCallID: call, Delta: word}); err != nil {
			return err
		}
	}
	if err := run.Emit(&protocol.ToolCallEnd{ToolCallID: call}); err != nil {
		return err
	}
	return run.ToolResult(call, `{"written":true}`)
}
