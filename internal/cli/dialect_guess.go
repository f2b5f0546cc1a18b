package cli

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/aguiws/aguiws/gateway"
	"github.com/aguiws/aguiws/protocol"
)

// heard is what a stream of events tells of who has made it.
type heard struct {
	dialect gateway.Dialect // "": nothing hints at one
	why     string
	outcome bool // it asked by the outcome of RUN_FINISHED
	custom  bool // it asked by CUSTOM on_interrupt
}

// hear guesses. What frameworks are known by are habits, and each may lose them.
func hear(events []json.RawMessage) (h heard) {
	guess := func(d gateway.Dialect, why string) {
		if h.dialect == "" {
			h.dialect, h.why = d, why
		}
	}
	for _, text := range events {
		var e struct {
			Type     protocol.EventType
			Name     string
			Value    json.RawMessage
			Metadata map[string]json.RawMessage
			Outcome  struct {
				Type       string
				Interrupts []struct{ ID string }
			}
		}
		if json.Unmarshal(text, &e) != nil {
			continue
		}
		switch {
		case e.Type == protocol.TypeCustom && e.Name == "on_interrupt":
			h.custom = true
			if bytes.Contains(e.Value, []byte("toolCallId")) && bytes.Contains(e.Value, []byte("resumeSchema")) {
				guess(gateway.DialectMastra, "its CUSTOM on_interrupt is of a suspended tool")
			} else {
				guess(gateway.DialectLangGraph, "it sends CUSTOM on_interrupt")
			}
		case e.Type == protocol.TypeRaw && bytes.Contains(text, []byte("langgraph")):
			guess(gateway.DialectLangGraph, "its RAW events are LangGraph's")
		case e.Type == protocol.TypeRunFinished && e.Outcome.Type == "interrupt":
			h.outcome = true
			for _, i := range e.Outcome.Interrupts {
				if strings.Contains(i.ID, "::") {
					guess(gateway.DialectMastra, "its interrupts are named RUN::CALL")
				}
			}
		}
		if e.Metadata["tanstack"] != nil {
			guess(gateway.DialectTanStack, "its events have metadata of TanStack")
		}
	}
	return h
}
