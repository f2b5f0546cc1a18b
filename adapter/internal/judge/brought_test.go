package judge

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
)

func withIDs(ids ...string) protocol.Messages {
	var messages protocol.Messages
	for _, id := range ids {
		messages = append(messages, protocol.Message{ID: id, Role: protocol.RoleUser, Content: protocol.Text(id)})
	}
	return messages
}

func holding(ids ...string) *store.ThreadView {
	var held []string
	for _, id := range ids {
		held = append(held, fmt.Sprintf(`{"id":%q,"role":"user","content":%[1]q}`, id))
	}
	return thread(held...)
}

func TestBroughtNamesWhatTheThreadDoesNotHold(t *testing.T) {
	for name, c := range map[string]struct {
		held, sent, named []string
		all               bool // Messages has them all
	}{
		"only new":     {nil, []string{"a", "b"}, []string{"a", "b"}, true},
		"the history":  {[]string{"a", "b"}, []string{"a", "b", "c"}, []string{"c"}, false},
		"nothing new":  {[]string{"a"}, []string{"a"}, nil, false},
		"no messages":  {[]string{"a"}, nil, nil, true},
		"some of them": {[]string{"a", "b"}, []string{"b", "c"}, []string{"c"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			j, err := Read(t.Context(), shown{holding(c.held...)}, nil, nil, key, &protocol.RunAgentInput{Messages: withIDs(c.sent...)})
			if err != nil {
				t.Fatal(err)
			}
			var r store.RunRecord
			j.Brought(&r)
			if !slices.Equal(r.Messages, c.named) || (r.Sent == nil) != c.all {
				t.Errorf("named %q, and of all %+v", r.Messages, r.Sent)
			}
		})
	}
}

// What a run's input was sent with makes no later input a new one, though the thread
// holds it no more.
func TestARepeatIsKnownByWhatTheRecordDoesNotName(t *testing.T) {
	for name, c := range map[string]struct {
		sent []string
		is   bool
	}{
		"the same":                    {sent: []string{"gone", "kept", "new"}, is: true},
		"the same, and the answer":    {sent: []string{"gone", "kept", "new", "answer"}, is: true},
		"and one that nobody knows":   {sent: []string{"gone", "kept", "new", "other"}},
		"another order":               {sent: []string{"kept", "gone", "new"}},
		"without what is gone":        {sent: []string{"kept", "new"}, is: true},
		"another in front of the new": {sent: []string{"kept", "other", "new"}},
	} {
		t.Run(name, func(t *testing.T) {
			input := &protocol.RunAgentInput{RunID: "r", Messages: withIDs("gone", "kept", "new")}
			before, err := Read(t.Context(), shown{holding("gone", "kept")}, nil, nil, key, input)
			if err != nil {
				t.Fatal(err)
			}
			digest, err := InputDigest(key, input)
			if err != nil {
				t.Fatal(err)
			}
			record := store.RunRecord{Label: "r", Digest: digest}
			before.Brought(&record)
			view := holding("kept", "new", "answer")
			text, err := json.Marshal(record)
			if err != nil {
				t.Fatal(err)
			}
			view.Labelled = []store.RunState{{ID: "r0", Record: text, Status: store.RunEnded}}
			again := &protocol.RunAgentInput{RunID: "r", Messages: withIDs(c.sent...)}
			j, err := Read(t.Context(), shown{view}, nil, nil, key, again)
			if err != nil {
				t.Fatal(err)
			}
			v, err := j.Judge(t.Context(), BusyQueue, digest)
			if err != nil {
				t.Fatal(err)
			}
			if (v.Repeats != nil) != c.is {
				t.Errorf("repeats %+v", v.Repeats)
			}
		})
	}
}
