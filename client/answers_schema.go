package client

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"github.com/aguiws/aguiws/protocol"
)

type members map[string]json.RawMessage

// object reads a JSON object; nil: it is none.
func object(text json.RawMessage) members {
	var m members
	if json.Unmarshal(text, &m) != nil {
		return nil
	}
	return m
}

func list(text json.RawMessage) []json.RawMessage {
	var l []json.RawMessage
	if json.Unmarshal(text, &l) != nil {
		return nil
	}
	return l
}

func textOf(text json.RawMessage) (string, bool) {
	var s *string
	if json.Unmarshal(text, &s) != nil || s == nil {
		return "", false
	}
	return *s, true
}

// saying are the keywords of a schema that say something of an answer.
func saying(schema members) (keywords []string) {
	for keyword := range schema {
		switch keyword {
		case "$schema", "$id", "$comment", "title", "description", "examples", "default":
		default:
			keywords = append(keywords, keyword)
		}
	}
	return keywords
}

// wanted are the names that a schema requires beside one.
func wanted(schema members, beside string) (names []string) {
	for _, one := range list(schema["required"]) {
		if name, ok := textOf(one); !ok || name != beside || beside == "" {
			names = append(names, name)
		}
	}
	return names
}

// approval is the yes and the no of a schema that asks for a decision, and none of one that
// wants more with it; not ok: it asks for something else.
func approval(schema members, reason string) (choices []AnswerChoice, ok bool) {
	words := func(properties members) []AnswerChoice {
		if _, edited := properties["editedArgs"]; edited || reason == protocol.ReasonToolCall {
			return yesAndNo("Approve", "Decline")
		}
		return yesAndNo("Yes", "No")
	}
	if yes, no := either(schema, "true"), either(schema, "false"); yes != nil && no != nil && len(wanted(yes, "approved"))+len(wanted(no, "approved")) == 0 {
		return words(object(yes["properties"])), true
	}
	properties := object(schema["properties"])
	if kind, _ := textOf(object(properties["approved"])["type"]); kind != "boolean" || composed(schema) {
		return nil, false
	}
	if len(wanted(schema, "approved")) > 0 {
		return nil, true
	}
	return words(properties), true
}

// either is the one of two schemas that has approved say the word.
func either(schema members, word string) members {
	two := list(firstOf(schema["oneOf"], schema["anyOf"]))
	if len(two) != 2 {
		return nil
	}
	for _, one := range two {
		choice := object(one)
		if said := object(object(choice["properties"])["approved"])["const"]; string(bytes.TrimSpace(said)) == word {
			return choice
		}
	}
	return nil
}

func firstOf(one, other json.RawMessage) json.RawMessage {
	if one != nil {
		return one
	}
	return other
}

func composed(schema members) bool {
	return slices.ContainsFunc([]string{"$ref", "oneOf", "anyOf", "allOf", "not", "if"}, func(keyword string) bool {
		_, has := schema[keyword]
		return has
	})
}

func bySchema(schema members) Answers {
	if values := valuesOf(schema); values != nil {
		return Answers{meant(values), NoOtherAnswer}
	}
	other := Answers{nil, SchemaAnswer}
	kind, _ := textOf(schema["type"])
	if kind != "object" || slices.ContainsFunc(saying(schema), func(keyword string) bool {
		return !slices.Contains([]string{"type", "properties", "required", "additionalProperties"}, keyword)
	}) {
		return other
	}
	properties, required := object(schema["properties"]), wanted(schema, "")
	if len(properties)+len(required) == 0 {
		switch string(schema["additionalProperties"]) {
		case "false":
			return Answers{[]AnswerChoice{{"Confirm", "{}", "yes"}}, NoOtherAnswer}
		case "", "true":
			return Answers{yesAndNo("Yes", "No"), ObjectAnswer}
		}
	}
	// A person who presses a button would pass over what else there is to say.
	if len(required) != 1 || len(properties) > 1 {
		return other
	}
	member := object(properties[required[0]])
	if kind, _ := textOf(member["type"]); kind == "boolean" {
		return other
	}
	values := meant(valuesOf(member))
	if values == nil {
		return other
	}
	for i := range values {
		payload, _ := json.Marshal(members{required[0]: json.RawMessage(values[i].Payload)}) // of JSON that was read
		values[i].Payload = string(payload)
	}
	return Answers{values, NoOtherAnswer}
}

// valuesOf are the few values that a schema allows, with labels; nil: it allows others.
func valuesOf(schema members) (choices []AnswerChoice) {
	keywords := slices.DeleteFunc(saying(schema), func(keyword string) bool { return keyword == "type" })
	if kind, _ := textOf(schema["type"]); len(keywords) == 0 && kind == "boolean" {
		return []AnswerChoice{{Label: "Yes", Payload: "true"}, {Label: "No", Payload: "false"}}
	}
	if len(keywords) != 1 {
		return nil
	}
	add := func(value json.RawMessage, title string) {
		if strings.TrimSpace(title) == "" {
			title = worded(value)
		}
		choices = append(choices, AnswerChoice{Label: title, Payload: string(value)})
	}
	for _, value := range list(schema["enum"]) {
		add(value, "")
	}
	for _, one := range list(firstOf(schema["oneOf"], schema["anyOf"])) {
		choice := object(one)
		value, has := choice["const"]
		if !has {
			return nil
		}
		title, _ := textOf(choice["title"])
		add(value, title)
	}
	if len(choices) > fewValues || slices.ContainsFunc(choices, func(c AnswerChoice) bool { return c.Payload[0] == '{' || c.Payload[0] == '[' }) {
		return nil
	}
	return choices
}

var plainWord = regexp.MustCompile(`^[a-z]+(_[a-z]+)*$`)

// worded is a value as a label: ask_again reads "Ask again", and what is no plain word stays
// as it is.
func worded(value json.RawMessage) string {
	text, ok := textOf(value)
	if !ok {
		return string(value)
	}
	if !plainWord.MatchString(text) {
		return text
	}
	return strings.ToUpper(text[:1]) + strings.ReplaceAll(text[1:], "_", " ")
}
