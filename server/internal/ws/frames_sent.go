package ws

import (
	"encoding/json"

	"github.com/aguiws/aguiws/adapter/admission"
	"github.com/aguiws/aguiws/adapter/follow"
)

// The control frames of the server, as docs/binding/frames.schema.json lists them.

type helloFrame struct {
	Type          string          `json:"type"`
	Binding       string          `json:"binding"`
	Profiles      []string        `json:"profiles"`
	HeartbeatMs   int64           `json:"heartbeatMs"`
	MaxFrameBytes int64           `json:"maxFrameBytes"`
	Durable       bool            `json:"durable"`
	Capabilities  json.RawMessage `json:"capabilities"`
}

type runFrame struct {
	Type        string                `json:"type"`
	ThreadID    string                `json:"threadId"`
	Label       string                `json:"runId"`
	Disposition admission.Disposition `json:"disposition"`
	Of          string                `json:"of,omitzero"`
	ID          string                `json:"id,omitzero"`
}

type streamFrame struct {
	Type      string `json:"type"`
	ThreadID  string `json:"threadId"`
	Epoch     string `json:"epoch"`
	Seq       int64  `json:"seq"`
	Uncounted int    `json:"uncounted,omitzero"`
}

type attachedFrame struct {
	Type        string               `json:"type"`
	ID          string               `json:"id,omitzero"`
	ThreadID    string               `json:"threadId"`
	Epoch       string               `json:"epoch"`
	Seq         int64                `json:"seq"`
	Recovered   bool                 `json:"recovered"`
	Reason      string               `json:"reason,omitzero"`
	ActiveLabel string               `json:"activeRunId,omitzero"`
	Interrupts  []json.RawMessage    `json:"interrupts"`
	Queued      []follow.QueuedInput `json:"queued"`
	Older       int64                `json:"older,omitzero"`
	Before      string               `json:"before,omitzero"`
}

type messagesFrame struct {
	Type     string            `json:"type"`
	ID       string            `json:"id,omitzero"`
	ThreadID string            `json:"threadId"`
	Messages []json.RawMessage `json:"messages"`
	Older    int64             `json:"older,omitzero"`
	Before   string            `json:"before,omitzero"`
}

type liveFrame struct {
	Type     string `json:"type"`
	ThreadID string `json:"threadId"`
	Seq      int64  `json:"seq"`
}

type cancelledFrame struct {
	Type     string `json:"type"`
	ID       string `json:"id,omitzero"`
	ThreadID string `json:"threadId"`
	Label    string `json:"runId"`
	Stopped  bool   `json:"stopped"`
}

type detachedFrame struct {
	Type     string `json:"type"`
	ID       string `json:"id,omitzero"`
	ThreadID string `json:"threadId"`
	Reason   string `json:"reason"`
}

type pongFrame struct {
	Type      string           `json:"type"`
	ID        string           `json:"id,omitzero"`
	Positions map[string]int64 `json:"positions"`
}

type errorFrame struct {
	Type         string `json:"type"`
	Code         string `json:"code"`
	Message      string `json:"message"`
	RetryAfterMs int64  `json:"retryAfterMs,omitzero"`
	ThreadID     string `json:"threadId,omitzero"`
	ID           string `json:"id,omitzero"`
}

type goawayFrame struct {
	Type         string `json:"type"`
	Reason       string `json:"reason"`
	RetryAfterMs int64  `json:"retryAfterMs"`
}

// storeFrame says that the store does not answer, or does again.
type storeFrame struct {
	Type      string `json:"type"`
	Available bool   `json:"available"`
}
