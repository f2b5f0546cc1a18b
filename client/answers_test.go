package client

import (
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/aguiws/aguiws/protocol"
)

// TestAnswers reads the table that holds the browser's package to the same ways.
func TestAnswers(t *testing.T) {
	text, err := os.ReadFile("testdata/answers.json")
	if err != nil {
		t.Fatal(err)
	}
	type choice struct {
		Label   string          `json:"label"`
		Payload json.RawMessage `json:"payload"`
		Means   string          `json:"means"`
	}
	var rows []struct {
		Name      string             `json:"name"`
		Interrupt protocol.Interrupt `json:"interrupt"`
		Text      string             `json:"text"`
		Choices   []choice           `json:"choices"`
		Otherwise string             `json:"otherwise"`
	}
	if err := json.Unmarshal(text, &rows); err != nil || len(rows) < 20 {
		t.Fatal(err, len(rows))
	}
	for _, row := range rows {
		t.Run(row.Name, func(t *testing.T) {
			got := AnswersTo(row.Interrupt)
			choices := []choice{}
			for _, c := range got.Choices {
				choices = append(choices, choice{c.Label, alike(t, json.RawMessage(c.Payload)), c.Means})
			}
			for i := range row.Choices {
				row.Choices[i].Payload = alike(t, row.Choices[i].Payload)
			}
			if !reflect.DeepEqual(choices, row.Choices) || got.Otherwise != row.Otherwise {
				t.Errorf("%s, and otherwise %s; want %s, and %s", choices, got.Otherwise, row.Choices, row.Otherwise)
			}
			if words := QuestionText(row.Interrupt); words != row.Text {
				t.Errorf("it says %q; want %q", words, row.Text)
			}
		})
	}
}

// alike is a value in a form that two texts of it share.
func alike(t *testing.T, text json.RawMessage) json.RawMessage {
	if len(text) == 0 {
		return json.RawMessage{}
	}
	var value any
	if err := json.Unmarshal(text, &value); err != nil {
		t.Fatal(err)
	}
	form, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return form
}

func TestTwentyAnswersAreOffered(t *testing.T) {
	var listed []string
	for i := range 30 {
		listed = append(listed, fmt.Sprintf(`{"label":"%d","payload":%d}`, i, i))
	}
	asked := protocol.Interrupt{ID: "i", Reason: "a:b", Metadata: protocol.Metadata{"answers": json.RawMessage("[" + strings.Join(listed, ",") + "]")}}
	choices := AnswersTo(asked).Choices
	if len(choices) != 20 || !slices.Equal(choices[19:], []AnswerChoice{{Label: "19", Payload: "19"}}) {
		t.Errorf("%+v", choices)
	}
}

func TestAnswersOfQuestionsThatCannotBeRead(t *testing.T) {
	for _, schema := range []string{`{"type":"object","properties":[],"required":7}`, `{"enum":{}}`, `{"oneOf":[1,2]}`, `{"properties":{"approved":true}}`, `{"type":["string"]}`} {
		if got := AnswersTo(protocol.Interrupt{Reason: "a:b", ResponseSchema: protocol.Any(schema)}); len(got.Choices) > 2 {
			t.Errorf("%s: %+v", schema, got)
		}
	}
}
