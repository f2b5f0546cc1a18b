package server

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/aguiws/aguiws/server/internal/strictjson"
)

func FuzzParseFrame(f *testing.F) {
	for _, seed := range []string{
		input("t", "r"), `{"type":"ws.ping","id":"1"}`, `{"type":"ws.attach","threadId":"t","after":{"epoch":"e","seq":1}}`,
		`{}`, `[]`, `{"a":{"b":[1,"}\"",{}]},"type":"ws.cancel","threadId":"\u0041","runId":"r"}`, `{"id":"x","id":"y"}`,
		` {"threadId" : "t","runId":"r","messages":[{"id":"m","role":"user","content":"{:,}"}]} `,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if !utf8.Valid(data) {
			return
		}
		p := parseFrame(data)
		if p.fault == nil && p.input == nil && !strings.HasPrefix(p.kind, "ws.") {
			t.Errorf("%q has no fault, no input and no kind", data)
		}
		if p.fault != nil && p.input != nil {
			t.Errorf("%q has a fault and an effect", data)
		}
		if len(p.id) > maxID || len(p.threadID) > strictjson.MaxName || len(p.label) > strictjson.MaxName {
			t.Errorf("%q passes the bounds", data)
		}
		var m map[string]json.RawMessage
		if json.Unmarshal(data, &m) != nil || m == nil {
			if p.fault == nil || p.fault.code != codeMalformed {
				t.Errorf("%q is no object, but %+v", data, p.fault)
			}
		}
	})
}

// Deep nesting is refused wherever it is, and does not cost depth.
func TestNesting(t *testing.T) {
	deep := func(n int) []byte {
		return []byte(`{"threadId":"t","runId":"r","messages":[],"state":` + strings.Repeat("[", n) + strings.Repeat("]", n) + `}`)
	}
	if p := parseFrame(deep(strictjson.MaxDepth - 1)); p.fault != nil {
		t.Errorf("%+v", p.fault)
	}
	if p := parseFrame(deep(strictjson.MaxDepth)); p.fault == nil || p.fault.code != codeMalformed {
		t.Errorf("%+v", p.fault)
	}
	if p := parseFrame(deep(1 << 20)); p.fault == nil {
		t.Error("a million brackets pass")
	}
}

// Two members of one name inside an input are two readers' disagreement.
func TestDuplicateMembersInInput(t *testing.T) {
	p := parseFrame([]byte(`{"threadId":"t","runId":"r","messages":[],"resume":[{"interruptId":"i","status":"resolved","payload":{"approved":false,"approved":true}}]}`))
	if p.fault == nil || p.fault.code != codeInvalidInput || !strings.Contains(p.fault.message, "/resume/0/payload/approved") {
		t.Errorf("%+v", p.fault)
	}
}

func TestFaultIsBounded(t *testing.T) {
	f := faultf(codeInvalidInput, "%s", strings.Repeat("é", maxFaultBytes))
	if len(f.message) > maxFaultBytes+8 || !utf8.ValidString(f.message) {
		t.Errorf("%d bytes", len(f.message))
	}
}
