package strictjson

import (
	"bytes"
	"encoding/json"
	"testing"
)

// What is taken is read as another reader would read it.
func FuzzMembers(f *testing.F) {
	for _, seed := range []string{
		`{"threadId":"t","runId":"r","messages":[]}`, `{"type":"ws.attach","threadId":"t","after":{"epoch":"e","seq":1}}`,
		`{}`, `[]`, `{"a":{"b":[1,"}\"",{}]},"type":"ws.cancel","threadId":"\u0041","runId":"r"}`, `{"id":"x","id":"y"}`,
		` {"threadId" : "t","runId":"r","messages":[{"id":"m","role":"user","content":"{:,}"}]} `,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var m map[string]json.RawMessage
		if json.Unmarshal(data, &m) != nil || m == nil {
			if _, bad := Members(data); bad == nil || bad.Twice {
				t.Errorf("%q is no object, but %v", data, bad)
			}
			return
		}
		members, bad := Members(data)
		if bad != nil {
			return
		}
		if len(members) != len(m) {
			t.Fatalf("%q: %d members, want %d", data, len(members), len(m))
		}
		for name, value := range m {
			if !bytes.Equal(members[name], value) {
				t.Errorf("%q: %q is %s, want %s", data, name, members[name], value)
			}
		}
	})
}
