package frames

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/aguiws/aguiws/server/internal/refusal"
	"github.com/aguiws/aguiws/server/internal/strictjson"
)

func FuzzParseFrame(f *testing.F) {
	for _, seed := range []string{
		`{"threadId":"t","runId":"r","messages":[]}`, `{"type":"ws.ping","id":"1"}`, `{"type":"ws.attach","threadId":"t","after":{"epoch":"e","seq":1}}`,
		`{}`, `[]`, `{"a":{"b":[1,"}\"",{}]},"type":"ws.cancel","threadId":"\u0041","runId":"r"}`, `{"id":"x","id":"y"}`,
		` {"threadId" : "t","runId":"r","messages":[{"id":"m","role":"user","content":"{:,}"}]} `,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if !utf8.Valid(data) {
			return
		}
		p := Parse(data)
		if p.Fault == nil && p.Input == nil && !strings.HasPrefix(p.Kind, "ws.") {
			t.Errorf("%q has no fault, no input and no kind", data)
		}
		if p.Fault != nil && p.Input != nil {
			t.Errorf("%q has a fault and an effect", data)
		}
		if len(p.ID) > MaxID || len(p.ThreadID) > strictjson.MaxName || len(p.Label) > strictjson.MaxName {
			t.Errorf("%q passes the bounds", data)
		}
		var m map[string]json.RawMessage
		if json.Unmarshal(data, &m) != nil || m == nil {
			if p.Fault == nil || p.Fault.Code != refusal.CodeMalformed {
				t.Errorf("%q is no object, but %+v", data, p.Fault)
			}
		}
	})
}

// Deep nesting is refused wherever it is, and does not cost depth.
func TestNesting(t *testing.T) {
	deep := func(n int) []byte {
		return []byte(`{"threadId":"t","runId":"r","messages":[],"state":` + strings.Repeat("[", n) + strings.Repeat("]", n) + `}`)
	}
	if p := Parse(deep(strictjson.MaxDepth - 1)); p.Fault != nil {
		t.Errorf("%+v", p.Fault)
	}
	if p := Parse(deep(strictjson.MaxDepth)); p.Fault == nil || p.Fault.Code != refusal.CodeMalformed {
		t.Errorf("%+v", p.Fault)
	}
	if p := Parse(deep(1 << 20)); p.Fault == nil {
		t.Error("a million brackets pass")
	}
}

// Two members of one name inside an input are two readers' disagreement.
func TestDuplicateMembersInInput(t *testing.T) {
	p := Parse([]byte(`{"threadId":"t","runId":"r","messages":[],"resume":[{"interruptId":"i","status":"resolved","payload":{"approved":false,"approved":true}}]}`))
	if p.Fault == nil || p.Fault.Code != refusal.CodeInvalidInput || !strings.Contains(p.Fault.Message, "/resume/0/payload/approved") {
		t.Errorf("%+v", p.Fault)
	}
}

func TestFaultIsBounded(t *testing.T) {
	f := Faultf(refusal.CodeInvalidInput, "%s", strings.Repeat("é", maxFaultBytes))
	if len(f.Message) > maxFaultBytes+8 || !utf8.ValidString(f.Message) {
		t.Errorf("%d bytes", len(f.Message))
	}
}
