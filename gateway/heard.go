package gateway

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/aguiws/aguiws/protocol"
)

// Heard is what an agent's events tell of its framework. Frameworks are known by habits,
// and may lose each of them.
type Heard struct {
	Dialect Dialect // "": nothing hints at one
	Why     string  // it is taken for that, "because …"
	// Guess says that others may do so too.
	Guess   bool
	Outcome bool // it asked by the outcome of RUN_FINISHED
	Custom  bool // it asked by CUSTOM on_interrupt
}

// HeardIn is what events tell, as they came. A text that is no event tells nothing.
func HeardIn(events []json.RawMessage) (h Heard) {
	decoder := protocol.Decoder{Lenient: true}
	for _, text := range events {
		if e, err := decoder.Decode(text); err == nil {
			h.hear(e, text)
		}
	}
	return h
}

// langGraphMarks are members of LangGraph's own events, in JSON that is not within a text.
var langGraphMarks = [][]byte{[]byte(`"langgraph_node"`), []byte(`"ls_integration":"langgraph"`), []byte(`"ls_integration": "langgraph"`)}

func (h *Heard) hear(e protocol.Event, text []byte) {
	switch e := e.(type) {
	case *protocol.Custom:
		if e.Name == onInterrupt {
			h.Custom = true
			h.custom(e.Value)
		}
	case *protocol.Raw:
		for _, mark := range langGraphMarks {
			if h.open() && bytes.Contains(text, mark) {
				h.takes(DialectLangGraph, false, "its RAW events are LangGraph's")
			}
		}
	case *protocol.RunFinished:
		if e.Outcome != nil && e.Outcome.Type == protocol.OutcomeInterrupt {
			h.Outcome = true
			h.interrupts(e.Outcome.Interrupts)
		}
	}
	if h.open() && protocol.Common(e).Metadata["tanstack"] != nil {
		h.takes(DialectTanStack, false, "its events have metadata of TanStack")
	}
}

// open reports whether there is something to be found out.
func (h *Heard) open() bool { return h.Dialect == "" || h.Guess }

// takes believes the first sign, and a sure one before a guess.
func (h *Heard) takes(d Dialect, guess bool, why string) {
	if h.Dialect == "" || h.Guess && !guess {
		h.Dialect, h.Guess, h.Why = d, guess, why
	}
}

func (h *Heard) custom(value json.RawMessage) {
	has := func(name string) bool { return bytes.Contains(value, []byte(name)) }
	if has("mastra_suspend") || has("toolCallId") && (has("resumeSchema") || has(suspendPayload)) {
		h.takes(DialectMastra, false, "its CUSTOM on_interrupt is of a suspended tool")
		return
	}
	h.takes(DialectLangGraph, true, "it sends CUSTOM on_interrupt")
}

func (h *Heard) interrupts(asked []protocol.Interrupt) {
	for _, i := range asked {
		switch {
		case i.Metadata[string(DialectMastra)] != nil || strings.HasPrefix(i.Reason, "mastra:"):
			h.takes(DialectMastra, false, "its interrupts are Mastra's")
		case i.Metadata[string(DialectLangGraph)] != nil || strings.HasPrefix(i.Reason, "langgraph:"):
			h.takes(DialectLangGraph, false, "its interrupts are LangGraph's")
		}
	}
}

// hear has the relay speak the dialect that the agent is heard to speak.
func (r *relay) hear(e protocol.Event, text []byte) {
	r.heard.hear(e, text)
	if d := r.heard.Dialect; d != "" && d != r.dialect {
		r.dialect = d
		m := mannersOf[d]
		m.ownMetadata, m.separateDuties = r.manners.ownMetadata, r.manners.separateDuties
		r.manners = m
	}
}

// customInterrupt takes a CUSTOM on_interrupt for a question, if it is one in the dialect.
func (r *relay) customInterrupt(e *protocol.Custom) (taken bool, err error) {
	if r.manners.legacy == nil {
		r.repaired(RepairDialect)
		r.unclear("the agent sends CUSTOM on_interrupt, which is no question in the dialect that is configured: nobody is asked")
		return false, nil
	}
	if r.auto && r.heard.Guess {
		r.repaired(RepairDialect)
		r.unclear("the agent sends CUSTOM on_interrupt, and nothing tells whose that is: the gateway takes it for LangGraph's")
	}
	if len(r.asked) >= maxInterrupts {
		return true, r.tooManyInterrupts()
	}
	r.repaired(RepairCustomInterrupt)
	runID := r.theirs.run
	if runID == "" {
		runID = r.sent.run
	}
	r.asked = append(r.asked, r.manners.legacy(e, runID, len(r.asked)+1))
	return true, nil
}
