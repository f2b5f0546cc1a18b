package stored

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/aguiws/aguiws/adapter/store"
)

// What a record says beside the ids of its messages is read without them, however it is written.
func TestBriefIsTheRecordWithoutMessages(t *testing.T) {
	for _, text := range []string{
		`{"label":"l","execution":"x","digest":"d","messages":["a"],"parentRunId":"p","decisions":[{"messages":["m"]}]}`,
		`{"label":"l","execution":"x","digest":"d","messages":["a","]}","b,"],"sent":{"count":3}}`,
		`{"label":"l","execution":"x","digest":"d","messages":["a\"b"],"user":"u"}`,
		`{"label":"l\",\"messages\":[\"","execution":"x","digest":"d","messages":["a"]}`,
		`{"label":"{[","execution":"x","digest":"d","messages":["a"]}`,
		`{"label":"l","execution":"x","digest":"d","messages":[]}`,
		`{"label":"l","execution":"x","digest":"d","decisions":{"a":1,"messages":["m"]}}`,
		`{"label":"l","execution":"x","digest":"d","decisions":[1,"messages",["m"]],"messages":["a"]}`,
		`{"label":"l","execution":"x","digest":"d","messages":["a"`,
		`{"label":"l","execution":"x","digest":"d","messages":["a" , "b"]}`,
		`{"label":"l","messages":["a"],"messages":["b"],"user":"u"}`,
	} {
		state := &store.RunState{ID: "r", Record: json.RawMessage(text)}
		want, wrong := Record(state)
		got, err := Brief(state)
		want.Messages = nil
		if fmt.Sprint(err) != fmt.Sprint(wrong) || wrong == nil && !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, %v, not %+v, %v", text, got, err, want, wrong)
		}
		if string(state.Record) != text {
			t.Errorf("%s became %s", text, state.Record)
		}
	}
}

// A run that brought many messages costs what one does that brought few.
func TestBriefMakesNothingOfMessages(t *testing.T) {
	record := func(messages int) float64 {
		text, err := json.Marshal(store.RunRecord{Label: "l", Execution: "x", Digest: "d", Messages: strings.Split(strings.Repeat("id ", messages)+"id", " "), User: "u"})
		if err != nil {
			t.Fatal(err)
		}
		return testing.AllocsPerRun(5, func() { _, _ = Brief(&store.RunState{Record: text}) })
	}
	if few, many := record(1), record(1000); many > few {
		t.Errorf("%v objects for two messages, %v for 1,000", few, many)
	}
}
