package main

import (
	"encoding/json"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/aguiws/aguiws/conformance/bench/drive"
	"github.com/aguiws/aguiws/protocol"
)

// serveUpstream is the agent of serve as another server has it: it answers a POST with the
// events of a run, each written by itself.
func serveUpstream(l net.Listener) error {
	stage := drive.NewStage()
	s := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var in protocol.RunAgentInput
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		phase := stage.Upcoming()
		w.Header().Set("Content-Type", "text/event-stream")
		flush := http.NewResponseController(w).Flush
		tell := func(e protocol.Event) error {
			text, err := protocol.Encode(e)
			if err != nil {
				return err
			}
			if _, err := w.Write(append(append([]byte("data: "), text...), "\n\n"...)); err != nil {
				return err
			}
			return flush()
		}
		err := tell(&protocol.RunStarted{ThreadID: in.ThreadID, RunID: in.RunID, ProtocolVersion: protocol.Version11})
		if err == nil && said(&in) == "emit" {
			err = tell(&protocol.TextMessageStart{MessageID: drive.MessageID})
			if err == nil {
				err = stage.Emit(phase, r.Context().Done(), 1, func(i int) error {
					return tell(&protocol.TextMessageContent{Base: protocol.Base{Timestamp: time.Now().UnixMicro()}, MessageID: drive.MessageID, Delta: drive.Delta(i)})
				})
			}
			if err == nil {
				err = tell(&protocol.TextMessageEnd{MessageID: drive.MessageID})
			}
		}
		if err == nil {
			_ = tell(&protocol.RunFinished{ThreadID: in.ThreadID, RunID: in.RunID})
		}
	})}
	go s.Serve(l)
	defer s.Close()
	return stage.Serve(l.Addr().String(), os.Stdin, os.Stdout)
}
