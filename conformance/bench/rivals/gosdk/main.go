// Command gosdk streams by the SSE writer of AG-UI's community Go SDK. Nothing is kept.
package main

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/ag-ui-protocol/ag-ui/sdks/community/go/pkg/core/events"
	"github.com/ag-ui-protocol/ag-ui/sdks/community/go/pkg/core/types"
	"github.com/ag-ui-protocol/ag-ui/sdks/community/go/pkg/encoding/sse"
	"github.com/aguiws/aguiws/conformance/bench/drive"
)

func main() {
	stage := drive.NewStage()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err == nil {
		go http.Serve(l, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { run(stage, w, r) }))
		err = stage.Serve(l.Addr().String(), os.Stdin, os.Stdout)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "gosdk:", err)
		os.Exit(1)
	}
}

func run(stage *drive.Stage, w http.ResponseWriter, r *http.Request) {
	phase := stage.Upcoming()
	var input types.RunAgentInput
	if err := json.NewDecoder(r.Body).Decode(&input); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	out := sse.NewSSEWriter().WithLogger(slog.New(slog.DiscardHandler))
	send := func(e events.Event) error { return out.WriteEvent(r.Context(), w, e) }
	if send(events.NewRunStartedEvent(input.ThreadID, input.RunID)) != nil {
		return
	}
	_ = stage.Emit(phase, r.Context().Done(), 1, func(i int) error {
		e := events.NewTextMessageContentEvent(drive.MessageID, drive.Delta(i))
		e.SetTimestamp(time.Now().UnixMicro())
		return send(e)
	})
}
