package browser

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/protocol"
)

// letter is what the typist writes, a word at a time: long enough to be seen to
// grow on a slow machine.
var letter = `{"to":"ada@example.com","body":"` + strings.Repeat("one two three four ", 10) + `and so on"}`

// unhurried types a letter for whoever asks for one, calls an agent that asks, asks what it
// asks otherwise when it is called again, and steps for the others.
func unhurried(ctx context.Context, run *adapter.Run) error {
	messages := run.Input().Messages
	if len(messages) > 0 {
		switch messages[len(messages)-1].Content.String() {
		case "type":
			return typist(ctx, run)
		case "call":
			came, err := run.Call(ctx, "part", adapter.CallInput{Text: "Publish it?"})
			if err != nil {
				return err
			}
			return run.Say("The other agent says: " + came.Text)
		case "change":
			_, err := run.Confirm(ctx, fmt.Sprintf("Go on, for the time %d?", changes.Add(1)))
			return err
		}
	}
	return steps(ctx, run)
}

// changes count the calls of an agent that has changed each time.
var changes atomic.Int64

// part asks what it is told to.
func part(ctx context.Context, run *adapter.Run) error {
	messages := run.Input().Messages
	yes, err := run.Confirm(ctx, messages[len(messages)-1].Content.String())
	if err != nil {
		return err
	}
	if !yes {
		return run.Say("better not")
	}
	return run.Say("published")
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
