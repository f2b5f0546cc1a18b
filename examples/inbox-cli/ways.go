package main

import (
	"encoding/json"
	"strconv"

	"github.com/aguiws/aguiws/client"
	"github.com/aguiws/aguiws/protocol"
)

// way is one way to answer a question: a key to press, and what it says.
type way struct {
	key, words string
	decision   decision
	// asks is what has to be typed for it; "": nothing. read makes a payload of that; not ok:
	// it is no JSON.
	asks string
	read func(text string) (payload string, ok bool)
}

func waysOf(q question) (ways []way) {
	id := q.Interrupt.ID
	cancel := way{key: "c", words: "cancel, without an answer", decision: decision{id: id, cancel: true}}
	if q.Stale {
		return []way{cancel}
	}
	answers := client.AnswersTo(q.Interrupt)
	for i, c := range answers.Choices {
		key := strconv.Itoa(i + 1)
		switch c.Means {
		case "yes":
			key = "a"
		case "no":
			key = "d"
		}
		ways = append(ways, way{key: key, words: c.Label, decision: decision{id: id, payload: c.Payload}})
	}
	typed := func(key, words, asks string, read func(string) (string, bool)) {
		ways = append(ways, way{key, words, decision{id: id}, asks, read})
	}
	edits := q.Interrupt.Reason == protocol.ReasonToolCall && answers.Otherwise == client.SchemaAnswer
	switch {
	case q.Call != nil && edits:
		typed("e", "edit the arguments, and approve", "JSON", func(text string) (string, bool) {
			return `{"approved":true,"editedArgs":` + text + `}`, json.Valid([]byte(text))
		})
	case answers.Otherwise == client.AnyAnswer:
		typed("t", "a text", "Text", func(text string) (string, bool) {
			payload, err := json.Marshal(text)
			return string(payload), err == nil
		})
	}
	if answers.Otherwise != client.NoOtherAnswer && !edits {
		typed("j", "JSON", "JSON", func(text string) (string, bool) { return text, json.Valid([]byte(text)) })
	}
	return append(ways, cancel)
}
