package stored

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/aguiws/aguiws/adapter/store"
)

// pieces are messages as we store them, as others might have, and what is none.
var pieces = []string{
	`{"id":"%d","role":"user","content":"Grüße\n\u0001 \"x\""}`,
	`{"id":"%d","role":"assistant","content":"a","toolCalls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{\"a\":1"}},{"id":"c","type":"function","function":{"name":"f","arguments":""},"metadata":{"a":[1,2]}}]}`,
	`{"id":"%d","role":"tool","content":"b","toolCallId":"c","error":"no"}`,
	`{"id":"%d","role":"user","content":[{"type":"text","text":"t"},{"type":"image","source":{"type":"data","value":"AA==","mimeType":"image/png"},"id":"p","metadata":{"name":"x"}}]}`,
	`{"id":"%d","role":"activity","activityType":"plan","content":{"steps":[1.0,null]},"metadata":{"b":{},"a":1}}`,
	`{"id":"%d","role":"reasoning","content":"hm","encryptedValue":"e","subagentRunId":"s"}`,
	`{"id":"same","role":"system","content":"%d"}`,
	` { "content" : "x" , "role":"developer", "id":"\u0061%d", "name":null } `,
	`{"id":"%d","role":"later","content":"x","more":[ 1 ]}`,
	`{"id":"%d","role":"user","content":"x","zulu":1,"alpha":{"b":1, "a":2}}`,
}

var spoilt = []string{`{"id":"%d","role":"user","content":"x"`, `{"id":"%d","role":"user"}`, "{\"id\":\"%d\",\"role\":\"user\",\"content\":\"\xff\"}",
	`[%d]`, `%d`, `{"id":"%d","id":"","role":"user","content":""}`, `{"id":"%d","role":"user","content":"x","metadata":{"a":1,"a":2}}`, ``}

var logged = []string{
	`{"type":"RUN_STARTED","threadId":"t","runId":"r"}`,
	`{"type":"TEXT_MESSAGE_START","messageId":"new","role":"assistant"}`,
	`{"type":"STATE_DELTA","delta":[{"op":"add","path":"/a","value":1}]}`,
	`{"type":"MESSAGES_SNAPSHOT","messages":[{"id":"0","role":"user","content":"x"}]}`,
}

// What is told in stored bytes is what is told of the fold, and a client that was told so holds
// what the fold does.
func TestToldIsWhatIsFolded(t *testing.T) {
	for seed := range uint64(3000) {
		random := rand.New(rand.NewPCG(7, seed))
		view := &store.ThreadView{Thread: store.ThreadKey{Thread: "t"}, Snapshot: store.Snapshot{At: 9}, From: 9}
		for i := range random.IntN(9) {
			text := pieces[random.IntN(len(pieces))]
			if random.IntN(60) == 0 {
				text = spoilt[random.IntN(len(spoilt))]
			}
			view.Snapshot.Messages = append(view.Snapshot.Messages, json.RawMessage(strings.Replace(text, "%d", fmt.Sprint(i), 1)))
		}
		view.Snapshot.State = []json.RawMessage{nil, json.RawMessage(`{"a": 1}`), json.RawMessage(`null`), json.RawMessage(`{`)}[min(random.IntN(30), 3)%4]
		if random.IntN(3) == 0 {
			view.Snapshot.Older, view.Snapshot.Before = 5, "place"
		}
		if random.IntN(4) == 0 {
			for _, text := range logged[:1+random.IntN(len(logged))] {
				view.Log = append(view.Log, []byte(text))
			}
		} else if random.IntN(6) == 0 {
			view.Snapshot.Open = json.RawMessage(`[{"type":"RUN_STARTED","threadId":"t","runId":"r"},{"type":"STEP_STARTED","stepName":"s"}]`)
		}
		if random.IntN(2) == 0 {
			view.Snapshot.Text = slices.Concat([]byte(MessagesHead), joined(view.Snapshot.Messages), []byte(MessagesTail))
		}
		f, older, before, wrong := Window(view)
		got, err := Tell(view)
		if err != nil || wrong != nil {
			if fmt.Sprint(err) != fmt.Sprint(wrong) || !errors.Is(err, store.ErrCorrupted) {
				t.Fatalf("seed %d: %v, folded it is %v", seed, err, wrong)
			}
			continue
		}
		want, err := TellFold(f)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		want.Older, want.Before = older, before
		if string(got.Messages) != string(want.Messages) || string(got.State) != string(want.State) ||
			len(got.Openings)+len(want.Openings) > 0 && !reflect.DeepEqual(got.Openings, want.Openings) || got.Older != older || got.Before != before {
			t.Fatalf("seed %d: told\n%+v\nnot\n%+v", seed, got, want)
		}
		plain, err := TellSnapshot(view)
		if behind := view.Log != nil || view.Snapshot.Open != nil; err != nil || (plain == nil) != behind {
			t.Fatalf("seed %d: %v; what is behind the snapshot: %v, told without it: %v", seed, err, behind, plain)
		}
		if plain == nil {
			continue
		}
		again, err := plain.Fold()
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if told, err := TellFold(again); err != nil || string(told.Messages) != string(want.Messages) || string(told.State) != string(want.State) {
			t.Fatalf("seed %d: folded of what was told\n%+v, %v\nnot\n%+v", seed, told, err, want)
		}
	}
}

func joined(messages []json.RawMessage) []byte {
	texts := make([][]byte, len(messages))
	for i, m := range messages {
		texts[i] = m
	}
	return bytes.Join(texts, []byte(","))
}

// A text of the store is told as it is. One with a message that is written otherwise is not.
func TestTheStoresTextIsTold(t *testing.T) {
	for text, same := range map[string]bool{pieces[2]: true, pieces[4]: false, " " + pieces[2]: false} {
		messages := []json.RawMessage{json.RawMessage(pieces[0]), json.RawMessage(text)}
		view := &store.ThreadView{Snapshot: store.Snapshot{Messages: messages, Text: slices.Concat([]byte(MessagesHead), joined(messages), []byte(MessagesTail))}}
		told, err := TellSnapshot(view)
		if err != nil || (&told.Messages[0] == &view.Snapshot.Text[0]) != same {
			t.Errorf("%s: %s, %v", text, told.Messages, err)
		}
	}
}

// A message as we store it costs the told bytes and nothing else.
func TestTellingMakesNothingOfAMessage(t *testing.T) {
	view := &store.ThreadView{}
	for i := range 1000 {
		text := strings.Replace(pieces[i%3], "%d", fmt.Sprint(i), 1)
		view.Snapshot.Messages = append(view.Snapshot.Messages, json.RawMessage(strings.Replace(text, `,"metadata":{"a":[1,2]}`, "", 1)))
	}
	if n := testing.AllocsPerRun(5, func() {
		if told, err := TellSnapshot(view); told == nil || err != nil {
			t.Fatal(told, err)
		}
	}); n > 10 {
		t.Errorf("%v objects for 1,000 messages", n)
	}
}
