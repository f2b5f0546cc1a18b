package protocol

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/aguiws/aguiws/protocol/problem"
)

var laidMessageTexts = []string{
	`{"id":"a","role":"user","content":"hello"}`,
	`{"content":"","role":"assistant","id":""}`,
	` { "role" : "system" ,"content":"Grüße, 世界" , "id":"a\"b" } `,
	`{"id":"\u00e9\ud83d\ude00","role":"developer","content":"a\\\n\t\/\u0000\ud800"}`,
	`{"id":"a","role":"reasoning","content":"}{][,"}`,
}

var otherMessageTexts = []string{
	`{}`, `[]`, `0`, `null`, `"a"`,
	`{"id":"a","role":"user"}`,
	`{"id":"a","role":"assistant"}`,
	`{"role":"user","content":"a"}`,
	`{"id":"a","content":"a"}`,
	`{"id":"a","id":"b","role":"user","content":"a"}`,
	`{"id":"a","role":"user","role":"system","content":"a"}`,
	`{"id":"a","role":"user","content":"a","content":"b"}`,
	`{"i\u0064":"b","id":"a","role":"user","content":"a"}`,
	`{"i\u0064":"b","role":"user","content":"a"}`,
	`{"id":"a","r\u006fle":"user","content":"a"}`,
	`{"id":"a","role":"us\u0065r","content":"a"}`,
	`{"id":"a","Role":"user","content":"a"}`,
	`{"id":"a","role":"user","content":"a","name":"n"}`,
	`{"id":"a","role":"user","content":"a","metadata":{"b":{"c":[1,2]}}}`,
	`{"id":"a","role":"user","content":"a","unknown":"kept"}`,
	`{"id":"a","role":"user","content":null}`,
	`{"id":null,"role":"user","content":"a"}`,
	`{"id":7,"role":"user","content":"a"}`,
	`{"id":"a","role":"user","content":[{"type":"text","text":"t"}]}`,
	`{"id":"a","role":"user","content":{"a":1}}`,
	`{"id":"a","role":"tool","content":"a","toolCallId":"c"}`,
	`{"id":"a","role":"tool","content":"a"}`,
	`{"id":"a","role":"activity","content":"a"}`,
	`{"id":"a","role":"later","content":"a"}`,
	`{"id":"a","role":"","content":"a"}`,
	`{"id":"a","role":"assistant","toolCalls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{}"}}]}`,
}

// messageAsGeneral holds what is read by hand to what the general reader makes of the same
// message.
func messageAsGeneral(t *testing.T, text string) (laid bool) {
	t.Helper()
	r, bad := newReader([]byte(text), false)
	if bad != nil {
		return false
	}
	r.absent = true
	general, began := r, r.Pos
	var got, want Message
	laid = r.laidMessage(&got)
	general.value(shapeOf(reflect.TypeFor[Message]()), reflect.ValueOf(&want).Elem())
	switch err := general.Err(); {
	case !laid:
		if r.Pos != began || !reflect.DeepEqual(got, Message{}) {
			t.Errorf("%s is not read by hand, and %+v is left of it, at %d", text, got, r.Pos)
		}
	case err != nil:
		t.Errorf("%s is read by hand, and %v", text, err)
	case !reflect.DeepEqual(got, want) || r.Pos != general.Pos:
		t.Errorf("%s\nis %+v until %d\nnot %+v until %d", text, got, r.Pos, want, general.Pos)
	}
	return laid
}

func TestLaidMessageIsGeneral(t *testing.T) {
	for _, text := range laidMessageTexts {
		if !messageAsGeneral(t, text) {
			t.Errorf("%s is not read by hand", text)
		}
	}
	for _, text := range otherMessageTexts {
		if messageAsGeneral(t, text) {
			t.Errorf("%s is read by hand", text)
		}
	}
}

func FuzzLaidMessageIsGeneral(f *testing.F) {
	for _, text := range append(laidMessageTexts, otherMessageTexts...) {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) { messageAsGeneral(t, text) })
}

// In a history the messages that are read by hand and the others stand as they were sent,
// what is wrong is named by its place, and names that come twice are not passed over.
func TestHistoriesAreReadInOrder(t *testing.T) {
	texts := append(append([]string{}, laidMessageTexts...), otherMessageTexts...)
	for _, other := range texts {
		input := fmt.Sprintf(`{"threadId":"t","runId":"r","messages":[%s , %s,%s]}`, laidMessageTexts[0], other, laidMessageTexts[1])
		in, err := DecodeInput([]byte(input))
		var want Message
		var wrong error
		if r, bad := newReader([]byte(other), false); bad == nil {
			r.absent = true
			r.value(shapeOf(reflect.TypeFor[Message]()), reflect.ValueOf(&want).Elem())
			wrong = r.Err()
		}
		if (err == nil) != (wrong == nil) {
			t.Errorf("%s: %v, alone it is %v", other, err, wrong)
			continue
		}
		if err != nil {
			for _, p := range problem.Of(err) {
				if !strings.HasPrefix(p.Pointer, "/messages/1") {
					t.Errorf("%s: %v", other, p)
				}
			}
			continue
		}
		if len(in.Messages) != 3 || in.Messages[0].ID != "a" || !reflect.DeepEqual(in.Messages[1], want) || in.Messages[2].Role != RoleAssistant {
			t.Errorf("%s: the history is %+v", other, in.Messages)
		}
	}
}
