package script

import (
	"context"
	"fmt"
	"io"
	"strconv"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/protocol"
)

// The bounds of /report: it is reachable by whoever may chat.
const (
	defaultRows = 10_000
	maxRows     = 1_000_000
)

// report calls a tool whose result is a large table, which travels by reference.
func (a *agent) report(ctx context.Context, run *adapter.Run, argument string) error {
	rows := defaultRows
	if argument != "" {
		n, err := strconv.Atoi(argument)
		if err != nil || n < 1 || n > maxRows {
			return stream(run, fmt.Sprintf("Usage: /report ROWS, with up to %d rows of a table.", maxRows))
		}
		rows = n
	}
	call := run.NewID()
	err := run.Emit(
		&protocol.ToolCallStart{ToolCallID: call, ToolCallName: "report"},
		&protocol.ToolCallArgs{ToolCallID: call, Delta: fmt.Sprintf(`{"rows":%d}`, rows)},
		&protocol.ToolCallEnd{ToolCallID: call})
	if err != nil {
		return err
	}
	p, err := adapter.StepWith(ctx, run, "report", adapter.StepOptions{Idempotent: true}, func(ctx context.Context) (adapter.Payload, error) {
		table, write := io.Pipe()
		defer table.Close()
		go func() { write.CloseWithError(writeTable(write, rows)) }()
		return run.PutPayload(ctx, table, adapter.PayloadOptions{MediaType: "text/csv; charset=utf-8", Name: "report.csv"})
	})
	if err != nil {
		return err
	}
	if err := run.ToolResultPayload(call, p); err != nil {
		return err
	}
	return stream(run, fmt.Sprintf("The report has %d rows.", rows))
}

func writeTable(to io.Writer, rows int) error {
	if _, err := io.WriteString(to, "row,square\n"); err != nil {
		return err
	}
	for i := 1; i <= rows; i++ {
		if _, err := fmt.Fprintf(to, "%d,%d\n", i, i*i); err != nil {
			return err
		}
	}
	return nil
}
