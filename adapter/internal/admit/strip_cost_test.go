package admit

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/aguiws/aguiws/adapter/internal/node"
	"github.com/aguiws/aguiws/protocol"
)

// longInput is an input of so many messages, as a client sends it every time.
func longInput(t testing.TB, messages int) *protocol.RunAgentInput {
	t.Helper()
	var list []string
	for i := range messages {
		list = append(list, fmt.Sprintf(`{"id":"m%d","role":"user","content":"line %d\n%s"}`, i, i, strings.Repeat("some words of it ", 30)))
	}
	in, err := protocol.DecodeInput([]byte(`{"threadId":"t","runId":"r","state":{"rows":[1,2,3]},"messages":[` + strings.Join(list, ",") + `]}`))
	if err != nil {
		t.Fatal(err)
	}
	return in
}

func BenchmarkStrip(b *testing.B) {
	a, in := &Admission{}, longInput(b, 1000)
	b.ReportAllocs()
	for b.Loop() {
		a.strip(in)
	}
}

// TestStripCopiesNothing holds that an input that is whole is only looked at,
// however long it is.
func TestStripCopiesNothing(t *testing.T) {
	a, in := &Admission{}, longInput(t, 1000)
	if got := a.strip(in); got != in {
		t.Error("an input that is whole was copied")
	}
	if n := testing.AllocsPerRun(5, func() { a.strip(in) }); n > 10 {
		t.Errorf("looking at 1000 messages allocates %v times", n)
	}
}

func TestStripLeavesTheSendersInput(t *testing.T) {
	in, err := protocol.DecodeInput([]byte(`{"threadId":"t","runId":"r","x":1,"messages":[{"id":"1","role":"user","content":[{"type":"smell"},{"type":"text","text":"a"}],"y":1},{"id":"2","role":"wizard"},{"id":"3","role":"user","content":"b"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	before, err := json.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	a := &Admission{Node: &node.Node{Log: slog.New(slog.DiscardHandler)}}
	own, err := json.Marshal(a.strip(in))
	if err != nil {
		t.Fatal(err)
	}
	if err := protocol.Validate("RunAgentInput", own); err != nil {
		t.Errorf("%s: %v", own, err)
	}
	if after, err := json.Marshal(in); err != nil || string(after) != string(before) {
		t.Errorf("the sender's input is now %s, %v\nit was %s", after, err, before)
	}
}
