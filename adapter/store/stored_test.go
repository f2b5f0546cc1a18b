package store

import (
	"encoding/json"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/aguiws/aguiws/protocol"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// What lies in databases under these names must be read for ever.
func TestStoredShapes(t *testing.T) {
	failed := "no"
	message := protocol.Messages{{ID: "m", Role: protocol.RoleUser, Content: protocol.Text("hi")}}
	entry := []protocol.ResumeEntry{{InterruptID: "i", Status: protocol.ResumeResolved, Payload: protocol.Any(`1`)}}
	for _, test := range []struct {
		shape any
		text  string
	}{
		{RunRecord{Label: "r", Execution: "x", Agent: "a", Digest: "d", Messages: []string{"m"}},
			`{"label":"r","execution":"x","agent":"a","digest":"d","messages":["m"]}`},
		{RunRecord{Sent: &SentMessages{Count: 2, Digest: "i"}}, `{"label":"","execution":"","digest":"","sent":{"n":2,"ids":"i"}}`},
		{RunRecord{}, `{"label":"","execution":"","digest":""}`},
		{QueuedInput{Input: json.RawMessage(`{}`), Agent: "a", Fresh: message},
			`{"input":{},"agent":"a","fresh":[{"id":"m","role":"user","content":"hi"}]}`},
		{Answer{Key: "k", RunID: "r", Label: "l", At: 7}, `{"key":"k","run":"r","label":"l","at":7}`},
		{Frozen{Label: "r", Now: time.Unix(1, 0).UTC(), At: 3, Begun: 2},
			`{"input":null,"label":"r","now":"1970-01-01T00:00:01Z","at":3,"begun":2}`},
		{Frozen{Of: &Conversation{At: 3, Count: 2}},
			`{"input":null,"of":{"at":3,"n":2},"label":"","now":"0001-01-01T00:00:00Z","at":0,"begun":0}`},
		{FrozenParts{Execution: "x", Parts: []FrozenPart{{Count: 2}, {From: 3, Count: 1}, {Messages: message}}},
			`{"execution":"x","parts":[{"n":2},{"from":3,"n":1},{"messages":[{"id":"m","role":"user","content":"hi"}]}]}`},
		{Suspension{Execution: "x", RunID: "r", Label: "l", Items: []SuspendedInterrupt{
			{ID: "i", Interrupt: json.RawMessage(`{}`), ExpiresAt: 9, OnExpiry: "fail", Due: 11, Call: &protocol.ToolFunction{Name: "f", Arguments: "{}"}},
			{ID: "j", Interrupt: json.RawMessage(`{}`)},
		}}, `{"execution":"x","run":"r","label":"l","items":[` +
			`{"id":"i","interrupt":{},"expiresAt":9,"onExpiry":"fail","due":11,"call":{"name":"f","arguments":"{}"}},{"id":"j","interrupt":{}}]}`},
		{JournalEntry{
			Kind: EntryAsk, Scope: "!", Key: "k#1", Position: 4, Result: json.RawMessage(`1`), Failed: &failed, Idempotent: true, Branches: 2,
			Digest: "d", Calls: []SuspendedCall{{ID: "c", Name: "f", Args: json.RawMessage(`{}`), Mode: "m"}}, IDs: []string{"i"},
			Steps: []StepRef{{Scope: "s", Key: "k"}, {Key: "k"}}, Entries: entry, Messages: message, Label: "r", Final: true, Failure: "f",
			Renamed: map[string]string{"a": "b"},
		}, `{"kind":"ask","scope":"!","key":"k#1","position":4,"result":1,"failed":"no","idempotent":true,"branches":2,` +
			`"digest":"d","calls":[{"id":"c","name":"f","args":{},"mode":"m"}],"ids":["i"],"steps":[{"scope":"s","key":"k"},{"key":"k"}],` +
			`"entries":[{"interruptId":"i","status":"resolved","payload":1}],"messages":[{"id":"m","role":"user","content":"hi"}],"run":"r",` +
			`"final":true,"failure":"f","renamed":{"a":"b"}}`},
		{JournalEntry{Kind: EntryStep}, `{"kind":"step","position":0}`},
	} {
		text, err := json.Marshal(test.shape)
		if err != nil || string(text) != test.text {
			t.Errorf("%T is stored as\n%s, not as\n%s (%v)", test.shape, text, test.text, err)
		}
	}
}
