package gateway

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/aguiws/aguiws/protocol"
)

// maxDescribed bounds a message that is made here, in bytes.
const maxDescribed = 4 << 10

// described is what an interrupt without a message is about, as far as its agent says it
// elsewhere: a human must not be asked about nothing. "" where it does not. offered says that
// the options that it lists are told as answers.
func (r *relay) described(i protocol.Interrupt, offered bool) string {
	text := strings.TrimSpace(r.about(i, offered))
	if text == "" && i.CheckReason() != nil && strings.ContainsAny(i.Reason, " ?") {
		text = i.Reason // words, and no name: as a reason they get a namespace
	}
	return bounded(text)
}

func bounded(text string) string {
	if len(text) > maxDescribed {
		return strings.ToValidUTF8(text[:maxDescribed], "") + "…"
	}
	return text
}

// beside is what a graph's interrupt() was given beside the member that is the interrupt's
// message, such as a draft: that is what somebody approves. "": nothing.
func (r *relay) beside(i protocol.Interrupt, offered bool) string {
	value := langGraphValue(i)
	if r.dialect != DialectLangGraph || i.Message != words(value) {
		return ""
	}
	if reviewed := reviewOf(value); reviewed != nil {
		return bounded(reviewed.told())
	}
	return bounded(details(value, i.Message, offered, interruptWords))
}

func (r *relay) about(i protocol.Interrupt, offered bool) string {
	if r.dialect == DialectMastra {
		about := objectOf(i.Metadata[string(r.dialect)])
		if value := about[keptValue]; value != nil && len(about) == 1 {
			about = objectOf(value) // of a CUSTOM event
		}
		// The text has what the tool says and what it is called with: the one need not be
		// the other.
		call := strings.TrimSpace(stringOf(about, "toolName") + " " + string(about["args"]))
		var text string
		if json.Unmarshal(about[suspendPayload], &text) == nil {
			return text + "\n" + call
		}
		said := cmp.Or(words(about[suspendPayload]), stringOf(objectOf(about[suspendPayload]), "reason"))
		told := details(about[suspendPayload], said, offered, nil)
		return strings.Join(slices.DeleteFunc([]string{said, told, call}, func(part string) bool { return part == "" }), "\n")
	}
	for _, value := range toldIn(r.dialect, i) {
		if reviewed := reviewOf(value); reviewed != nil {
			return reviewed.told()
		}
		if text := words(value); text != "" {
			if r.dialect != DialectLangGraph {
				return text
			}
			return text + "\n" + details(value, text, offered, interruptWords)
		}
	}
	if r.dialect == DialectLangGraph {
		return string(langGraphValue(i))
	}
	return ""
}

// langGraphValue is what a graph's interrupt() was given, if that has members.
func langGraphValue(i protocol.Interrupt) json.RawMessage {
	about := objectOf(i.Metadata[string(DialectLangGraph)])
	for _, name := range []string{keptValue, rawValue} {
		if value := bytes.TrimSpace(about[name]); len(value) > 2 && (value[0] == '{' || value[0] == '[') {
			return value
		}
	}
	return nil
}
