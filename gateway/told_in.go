package gateway

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/aguiws/aguiws/protocol"
)

// maxPlaces bounds how many members of an interrupt's metadata are looked into.
const maxPlaces = 20

// toldIn are the values in which an agent says what it asks, the likeliest first: what its
// framework's interrupt was given, and what stands beside the question.
func toldIn(d Dialect, i protocol.Interrupt) (values []json.RawMessage) {
	add := func(value json.RawMessage) {
		if value = bytes.TrimSpace(value); len(value) > 0 && (value[0] == '{' || value[0] == '[') {
			values = append(values, value)
		}
	}
	looked := 0
	in := func(name string) {
		about := objectOf(i.Metadata[name])
		for _, inner := range []string{keptValue, rawValue} {
			if value := about[inner]; value != nil {
				add(objectOf(value)[suspendPayload])
				add(value)
			}
		}
		add(about[suspendPayload])
		add(i.Metadata[name])
	}
	in(string(d))
	if len(i.Extra) > 0 {
		all, _ := json.Marshal(i.Extra) // of what was read
		add(all)
	}
	if len(i.Metadata) > 0 {
		all, _ := json.Marshal(i.Metadata) // of what was read
		add(all)
	}
	for _, name := range slices.Sorted(maps.Keys(i.Metadata)) {
		if name == string(d) || name == ownKey {
			continue
		}
		if looked++; looked > maxPlaces {
			break
		}
		in(name)
	}
	return values
}

// These are what frameworks call the value that an interrupt was given.
const (
	rawValue       = "raw"
	suspendPayload = "suspendPayload"
)

// questionWords are what agents call what they ask.
var questionWords = []string{"message", "question", "prompt", "title", "text", "description", "query", "instruction", "instructions"}

// optionWords are what agents call the answers that they list.
var optionWords = []string{"options", "choices"}

// words are what a value asks; "": nothing that is a question.
func words(value json.RawMessage) string { return stringOf(objectOf(value), questionWords...) }

// details are the members of a value beside what it asks and those that are told elsewhere,
// one a line.
func details(value json.RawMessage, asked string, offered bool, elsewhere []string) string {
	members := objectOf(value)
	var lines []string
	for _, name := range slices.Sorted(maps.Keys(members)) {
		var text string
		isText := json.Unmarshal(members[name], &text) == nil
		switch {
		case isText && (text == "" || text == asked && (name == "reason" || slices.Contains(questionWords, name))),
			offered && slices.Contains(optionWords, name), slices.Contains(elsewhere, name):
		case isText:
			lines = append(lines, name+": "+text)
		default:
			lines = append(lines, name+": "+string(members[name]))
		}
	}
	return strings.Join(lines, "\n")
}

// interruptWords are members of a value that become those of its interrupt.
var interruptWords = []string{"reason", "toolCallId", "tool_call_id", "responseSchema", "response_schema", "expiresAt", "expires_at"}
