package judge

import (
	"strings"
	"testing"

	"github.com/aguiws/aguiws/adapter/internal/responseschema"
	"github.com/aguiws/aguiws/protocol"
)

// Who was cut off is told so, goes back nowhere by it, and is not taken for who sends
// less on purpose.
func TestBehind(t *testing.T) {
	const (
		u1      = `{"id":"u1","role":"user","content":"one"}`
		text    = `{"id":"a1","role":"assistant","content":"hello world"}`
		half    = `{"id":"a1","role":"assistant","content":"hello"}`
		opened  = `{"id":"a1","role":"assistant","content":""}`
		edited  = `{"id":"a1","role":"assistant","content":"help"}`
		u2      = `{"id":"u2","role":"user","content":"two"}`
		a2      = `{"id":"a2","role":"assistant","content":"bye"}`
		u3      = `{"id":"u3","role":"user","content":"three"}`
		call    = `{"id":"c1","role":"assistant","content":"so","toolCalls":[{"id":"k","type":"function","function":{"name":"pay","arguments":"{\"n\":1}"}}]}`
		begun   = `{"id":"c1","role":"assistant","content":"so","toolCalls":[{"id":"k","type":"function","function":{"name":"pay","arguments":"{\"n\""}}]}`
		bare    = `{"id":"c1","role":"assistant","content":"so"}`
		result  = `{"id":"r1","role":"tool","toolCallId":"k","content":"paid"}`
		both    = `{"id":"c1","role":"assistant","content":"so","toolCalls":[{"id":"k","type":"function","function":{"name":"pay","arguments":"{\"n\":1}"}},{"id":"l","type":"function","function":{"name":"pay","arguments":"{\"n\":2}"}}]}`
		second  = `{"id":"r2","role":"tool","toolCallId":"l","content":"paid too"}`
		renamed = `{"id":"x9","role":"tool","toolCallId":"k","content":"paid"}`
	)
	all := func(messages ...string) []string { return messages }
	for name, c := range map[string]struct {
		held, sent []string
		busy       bool
		behind     bool
		want       string
	}{
		"all there is":                       {held: all(u1, text), sent: all(u1, text, u2), want: "begins, u2"},
		"nothing known":                      {held: all(u1, text), sent: all(u2), want: "begins, u2"},
		"nothing":                            {held: all(u1, text), want: "begins"},
		"half of a message":                  {held: all(u1, text), sent: all(u1, half, u2), behind: true, want: "begins, u2"},
		"a message without its text":         {held: all(u1, text), sent: all(u1, opened, u2), behind: true, want: "begins, u2"},
		"another text":                       {held: all(u1, text), sent: all(u1, edited, u2), want: "begins, u2"},
		"half of an earlier message":         {held: all(u1, text, u2, a2), sent: all(u1, half, u2, a2, u3), behind: true, want: "begins, u3"},
		"half, and nothing behind it":        {held: all(u1, call, result, text), sent: all(u1, call, result, half, u3), behind: true, want: "begins, u3"},
		"half in the middle of a run":        {held: all(u1, text, call, result), sent: all(u1, half, u3), behind: true, want: "begins, u3"},
		"half of a call":                     {held: all(u1, call, result, a2), sent: all(u1, begun, u3), behind: true, want: "begins, u3"},
		"a message without its call":         {held: all(u1, call, result, a2), sent: all(u1, bare, u3), behind: true, want: "begins, u3"},
		"a call without its result":          {held: all(u1, call, result, a2), sent: all(u1, call, u3), behind: true, want: "begins, u3"},
		"the first of two results":           {held: all(u1, both, result, second, a2), sent: all(u1, both, result, u3), behind: true, want: "begins, u3"},
		"the first of two, under another id": {held: all(u1, both, result, second, a2), sent: all(u1, both, renamed, u3), behind: true, want: "begins, u3"},
		"gone back behind two results":       {held: all(u1, both, result, second, a2), sent: all(u1, both, result, second, u3), want: "begins, keeps 4, u3"},
		"a result under another id":          {held: all(u1, call, result), sent: all(u1, call, renamed, u3), want: "begins, u3"},
		"a call that waits for its result":   {held: all(u1, call), sent: all(u1, call, result), want: "begins, r1"},
		"no results at all":                  {held: all(u1, call, result, a2), sent: all(u1, call, a2, u3), want: "begins, u3"},
		"neither calls nor results":          {held: all(u1, call, result, a2), sent: all(u1, bare, a2, u3), want: "begins, u3"},
		"the last message":                   {held: all(u1, call, result, a2), sent: all(a2, u3), want: "begins, u3"},
		"behind a run, with what was":        {held: all(u1, text), sent: all(u1, text, u2), busy: true, behind: true, want: "queued"},
		"behind a run, with nothing":         {held: all(u1, text), sent: all(u2), busy: true, want: "queued"},
		"gone back before the last answer":   {held: all(u1, text, u2, a2), sent: all(u1, text, u2), want: "begins, keeps 3"},
		"gone back, with half of an old one": {held: all(u1, text, u2, a2), sent: all(u1, half, u2), want: "begins, keeps 3"},
	} {
		t.Run(name, func(t *testing.T) {
			input, err := protocol.DecodeInput([]byte(`{"threadId":"t","runId":"l","messages":[` + strings.Join(c.sent, ",") + `]}`))
			if err != nil {
				t.Fatal(err)
			}
			digest, err := InputDigest(key, input)
			if err != nil {
				t.Fatal(err)
			}
			view := thread(c.held...)
			if c.busy {
				view = active(view)
			}
			j, err := Read(t.Context(), shown{view}, nil, new(responseschema.Set), key, input)
			if err != nil {
				t.Fatal(err)
			}
			verdict, err := j.Judge(t.Context(), BusyQueue, digest)
			if err != nil {
				t.Fatal(err)
			}
			if got := told(verdict); got != c.want || verdict.Behind != c.behind {
				t.Errorf("behind: %v, %s\nwant %v, %s", verdict.Behind, got, c.behind, c.want)
			}
		})
	}
}
