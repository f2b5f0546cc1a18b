package downgrade

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/aguiws/aguiws/protocol"
	"github.com/aguiws/aguiws/protocol/problem"
)

// TestBinaryParts reads the parts of clients before 1.0 as today's, and tells such
// clients what they sent.
func TestBinaryParts(t *testing.T) {
	const mark = `"aguiws":{"binary":{}}`
	for _, test := range []struct{ name, sent, kept, told string }{ // told: "" is sent
		{"image data", `{"type":"binary","mimeType":"image/png","data":"aGk="}`,
			`{"type":"image","source":{"type":"data","value":"aGk=","mimeType":"image/png"},"metadata":{` + mark + `}}`, ""},
		{"image url with a name", `{"type":"binary","filename":"a \"b\".png","mimeType":"image/png","url":"https://x/a.png"}`,
			`{"type":"image","source":{"type":"url","value":"https://x/a.png","mimeType":"image/png"},"metadata":{` + mark + `,"filename":"a \"b\".png"}}`, ""},
		{"audio", `{"type":"binary","data":"aGk=","mimeType":"audio/mpeg"}`,
			`{"type":"audio","source":{"type":"data","value":"aGk=","mimeType":"audio/mpeg"},"metadata":{` + mark + `}}`, ""},
		{"video", `{"type":"binary","mimeType":"Video/MP4","url":"u"}`,
			`{"type":"video","source":{"type":"url","value":"u","mimeType":"Video/MP4"},"metadata":{` + mark + `}}`, ""},
		{"document", `{"type":"binary","data":"aGk=","filename":"a.pdf","mimeType":"application/pdf"}`,
			`{"type":"document","source":{"type":"data","value":"aGk=","mimeType":"application/pdf"},"metadata":{` + mark + `,"filename":"a.pdf"}}`, ""},
		{"text is a document", `{"type":"binary","data":"aGk=","mimeType":"text/plain"}`,
			`{"type":"document","source":{"type":"data","value":"aGk=","mimeType":"text/plain"},"metadata":{` + mark + `}}`, ""},
		{"no family", `{"type":"binary","data":"aGk=","mimeType":""}`,
			`{"type":"document","source":{"type":"data","value":"aGk=","mimeType":""},"metadata":{` + mark + `}}`, ""},
		{"an id alone is a provider's handle", `{"type":"binary","id":"file-1","filename":"a.pdf","mimeType":"application/pdf"}`,
			`{"type":"document","source":{"type":"file","value":"file-1","mimeType":"application/pdf"},"metadata":{` + mark + `,"filename":"a.pdf"}}`, ""},
		{"an id beside data", `{"type":"binary","id":"file-1","data":"aGk=","mimeType":"image/png"}`,
			`{"type":"image","source":{"type":"data","value":"aGk=","mimeType":"image/png"},"id":"file-1","metadata":{` + mark + `}}`, ""},
		{"everything", `{"type":"binary","id":"file-1","data":"aGk=","filename":"a.png","mimeType":"image/png","url":"u"}`,
			`{"type":"image","source":{"type":"data","value":"aGk=","mimeType":"image/png"},"id":"file-1","metadata":{"aguiws":{"binary":{"url":"u"}},"filename":"a.png"}}`, ""},
		{"nulls and what is empty", `{"type":"binary","id":null,"url":null,"data":"aGk=","filename":"","mimeType":"image/png"}`,
			`{"type":"image","source":{"type":"data","value":"aGk=","mimeType":"image/png"},"metadata":{` + mark + `}}`,
			`{"type":"binary","data":"aGk=","mimeType":"image/png"}`},
		{"today's members", `{"type":"binary","mimeType":"image/png","data":"aGk=","text":"x","source":{"type":"url"},"metadata":{"a":1}}`,
			`{"type":"image","source":{"type":"data","value":"aGk=","mimeType":"image/png"},"metadata":{` + mark + `}}`,
			`{"type":"binary","data":"aGk=","mimeType":"image/png"}`},
		{"today's medium is left", `{"type":"image","source":{"type":"url","value":"u"},"metadata":"any"}`,
			`{"type":"image","source":{"type":"url","value":"u"},"metadata":"any"}`, ""},
		{"a text is left", `{"type":"text","text":"binary"}`, `{"type":"text","text":"binary"}`, ""},
		{"what both forms say is said once", `{"type":"image","source":{"type":"data","value":"aGk=","mimeType":"image/png"},"metadata":{"filename":"a"}},{"type":"binary","data":"aGk=","filename":"a","mimeType":"image/png"}`,
			`{"type":"image","source":{"type":"data","value":"aGk=","mimeType":"image/png"},"metadata":{"filename":"a"}}`,
			`{"type":"image","source":{"type":"data","value":"aGk=","mimeType":"image/png"},"metadata":{"filename":"a"}}`},
		{"a name that the other form lacks is not lost", `{"type":"image","source":{"type":"data","value":"aGk=","mimeType":"image/png"}},{"type":"binary","data":"aGk=","filename":"a","mimeType":"image/png"}`,
			`{"type":"image","source":{"type":"data","value":"aGk=","mimeType":"image/png"}},{"type":"image","source":{"type":"data","value":"aGk=","mimeType":"image/png"},"metadata":{` + mark + `,"filename":"a"}}`, ""},
		{"twice is twice", `{"type":"binary","data":"aGk=","mimeType":"image/png"},{"type":"binary","data":"aGk=","mimeType":"image/png"}`,
			strings.Join([]string{
				`{"type":"image","source":{"type":"data","value":"aGk=","mimeType":"image/png"},"metadata":{` + mark + `}}`,
				`{"type":"image","source":{"type":"data","value":"aGk=","mimeType":"image/png"},"metadata":{` + mark + `}}`,
			}, ","), ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			messages := func(parts string) string {
				return `[{"id":"m","role":"user","content":[{"type":"text","text":"look"},` + parts + `]}]`
			}
			in, err := protocol.DecodeInput([]byte(`{"threadId":"t","runId":"r","messages":` + messages(test.sent) + `}`))
			if err != nil {
				t.Fatal(err)
			}
			if removed := in.Strip(); removed != nil {
				t.Errorf("lost: %v", removed)
			}
			kept, err := json.Marshal(in)
			if err != nil {
				t.Fatal(err)
			}
			if want := `{"threadId":"t","runId":"r","messages":` + messages(test.kept) + `,"tools":[],"context":[]}`; string(kept) != want {
				t.Errorf("%s\nexpected %s", kept, want)
			}
			if err := protocol.Validate("RunAgentInput", kept); err != nil {
				t.Error(err)
			}
			if test.told == "" {
				test.told = test.sent
			}
			for name, e := range map[string]struct {
				event protocol.Event
				form  string
			}{
				"snapshot": {&protocol.MessagesSnapshot{Messages: in.Messages}, `{"type":"MESSAGES_SNAPSHOT","messages":%s}`},
				"echo": {&protocol.RunStarted{ThreadID: "t", RunID: "r", Input: in},
					`{"type":"RUN_STARTED","threadId":"t","runId":"r","input":{"threadId":"t","runId":"r","messages":%s,"tools":[],"context":[]}}`},
			} {
				for profile, want := range map[Profile]string{Profile0: test.told, Profile10: test.kept, ProfileCurrent: test.kept} {
					sent, losses := profile.Apply(e.event)
					got, err := protocol.Encode(sent)
					if err != nil || len(losses) > 0 {
						t.Fatal(err, losses)
					}
					if want := fmt.Sprintf(e.form, messages(want)); !sameJSON(t, got, []byte(want)) {
						t.Errorf("%s for profile %v: %s\nexpected %s", name, profile, got, want)
					}
				}
			}
		})
	}
}

func TestBinaryPartsThatAreNone(t *testing.T) {
	for _, test := range []struct{ part, pointer, message string }{
		{`{"type":"binary","data":"aGk="}`, "/messages/1/content/1", `"mimeType" is required`},
		{`{"type":"binary","mimeType":"image/png"}`, "/messages/1/content/1", "an id, a url or data"},
		{`{"type":"binary","mimeType":"image/png","id":"","url":"","data":""}`, "/messages/1/content/1", "an id, a url or data"},
		{`{"type":"binary","mimeType":7,"data":"aGk="}`, "/messages/1/content/1/mimeType", "expected a string"},
		{`{"type":"binary","mimeType":"image/png","data":{}}`, "/messages/1/content/1/data", "expected a string"},
		{`{"type":"binary","mimeType":"image/png","id":7}`, "/messages/1/content/1/id", "expected a string"},
	} {
		_, err := protocol.DecodeInput([]byte(`{"threadId":"t","runId":"r","messages":[{"id":"a","role":"user","content":"x"},{"id":"b","role":"user","content":[{"type":"text","text":"x"},` + test.part + `]}]}`))
		problems := problem.Of(err)
		if len(problems) != 1 || problems[0].Pointer != test.pointer || !strings.Contains(problems[0].Message, test.message) {
			t.Errorf("%s: %v", test.part, err)
		}
	}
	// However many there are.
	many := strings.Repeat(`{"type":"binary"},`, 1000)
	_, err := protocol.DecodeInput([]byte(`{"threadId":"t","runId":"r","messages":[{"id":"b","role":"user","content":[` + many[:len(many)-1] + `]}]}`))
	if n := len(problem.Of(err)); n != problem.Max {
		t.Errorf("%d problems", n)
	}
}

// TestBinaryMarkOfOthers reads metadata that only look like the mark as what they are.
func TestBinaryMarkOfOthers(t *testing.T) {
	for _, metadata := range []string{`"aguiws"`, `{"aguiws":7}`, `{"aguiws":{"binary":true}}`, `{"aguiws":{}}`, `[1]`, `{"filename":{}}`} {
		const form = `{"type":"MESSAGES_SNAPSHOT","messages":[{"id":"m","role":"user","content":[{"type":"image","source":{"type":"url","value":"u"},"metadata":%s}]}]}`
		text := fmt.Sprintf(form, metadata)
		e := events(t, text)[0]
		if sent, losses := Profile0.Apply(e); sent != e || losses != nil {
			t.Errorf("%s was changed: %v", metadata, losses)
		}
	}
}

func sameJSON(t *testing.T, a, b []byte) bool {
	t.Helper()
	var x, y any
	if err := errors.Join(json.Unmarshal(a, &x), json.Unmarshal(b, &y)); err != nil {
		t.Fatal(err)
	}
	return reflect.DeepEqual(x, y)
}
