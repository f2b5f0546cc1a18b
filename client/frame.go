package client

import (
	"encoding/json"

	"github.com/aguiws/aguiws/protocol"
)

// Position is where an event stands: Epoch names one life of a thread's log, Seq
// the event. The zero position is none.
type Position struct {
	Epoch string `json:"epoch"`
	Seq   int64  `json:"seq"`
}

// Frame is a text frame of the server: an event, or one of the binding's control
// frames. docs/binding says what each of those has; the rest is zero.
type Frame struct {
	// Data is the frame as it came. It must not be changed.
	Data []byte `json:"-"`
	Type string `json:"type"`

	ID       string `json:"id"`
	ThreadID string `json:"threadId"` // of an event too
	Label    string `json:"runId"`    // the name that a client gave a run

	// Position is that of ws.stream, ws.attached and ws.live, and where an event
	// stands; an uncounted one stands where those before it do.
	Position
	// Uncounted is how many events come behind a ws.stream that are in no log. In an
	// event it is how many of them are still due, itself among them: 1 is the last
	// one of its group, 0 is an event that counts.
	Uncounted int `json:"uncounted"`

	Recovered   bool                 `json:"recovered"`
	Reason      string               `json:"reason"`
	ActiveLabel string               `json:"activeRunId"`
	Interrupts  []protocol.Interrupt `json:"interrupts"`
	Queued      []QueuedInput        `json:"queued"`
	Disposition Disposition          `json:"disposition"`
	Of          string               `json:"of"`
	Stopped     bool                 `json:"stopped"`
	Available   bool                 `json:"available"`
	Positions   map[string]int64     `json:"positions"`
	// These are of ws.messages, and of ws.attached when a window has left messages out.
	Messages protocol.Messages `json:"messages"`
	Older    int64             `json:"older"`
	Before   string            `json:"before"`

	Code         string `json:"code"`
	Message      string `json:"message"`
	RetryAfterMS int64  `json:"retryAfterMs"`

	Hello
}

// Hello is how a server presents itself.
type Hello struct {
	Binding       string   `json:"binding"`
	Profiles      []string `json:"profiles"`      // what it does beyond the core of the binding
	HeartbeatMS   int64    `json:"heartbeatMs"`   // how often the server pings
	MaxFrameBytes int64    `json:"maxFrameBytes"` // the largest frame that it takes
	// Durable: what is suspended outlives the server's process.
	Durable      bool            `json:"durable"`
	Capabilities json.RawMessage `json:"capabilities"` // an AgentCapabilities
}

// QueuedInput is an input that waits for its turn.
type QueuedInput struct {
	Label    string            `json:"runId"`
	Messages protocol.Messages `json:"messages"`
}

// Disposition is what became of an input.
type Disposition string

// The dispositions.
const (
	Started  Disposition = "started"
	Queued   Disposition = "queued"
	Repeated Disposition = "repeat" // it was accepted before
	Refused  Disposition = "refused"
)

// IsEvent reports whether the frame is an event of AG-UI.
func (f *Frame) IsEvent() bool { return !isControl(f.Type) }

// ParseFrame reads a text frame of a server. An event's members are left to
// protocol.Decode. A frame that cannot be read is a *FrameError.
func ParseFrame(data []byte) (*Frame, error) {
	var kind struct {
		Type string `json:"type"`
	}
	if err := json.Unmarshal(data, &kind); err != nil {
		return nil, &FrameError{Data: data, err: err}
	}
	f := &Frame{Data: data, Type: kind.Type}
	if f.IsEvent() {
		return f, nil
	}
	if err := json.Unmarshal(data, f); err != nil {
		return nil, &FrameError{Data: data, err: err}
	}
	return f, nil
}
