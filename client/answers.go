package client

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/aguiws/aguiws/protocol"
)

// AnswerChoice is an answer that needs no more words: a button.
type AnswerChoice struct {
	Label string
	// Payload is JSON, as Resolve takes it; "" is none.
	Payload string
	// Means is "yes" of the one yes, "no" of the one no, and "" of any other answer.
	Means string
}

// Answers are the ways to answer an interrupt. Any can be withdrawn as well, which is no
// answer.
type Answers struct {
	Choices []AnswerChoice
	// Otherwise is what else answers it. "any": any text and any other JSON. "object": any
	// JSON object. "schema": what its schema says, or edited arguments of a tool call.
	// "nothing": the choices are all there is.
	Otherwise string
}

// Of Answers.Otherwise.
const (
	AnyAnswer     = "any"
	ObjectAnswer  = "object"
	SchemaAnswer  = "schema"
	NoOtherAnswer = "nothing"
)

const (
	reasonPaused = "aguiws:paused"
	reasonLogin  = "aguiws:auth_required"

	mostListed = 20 // of the answers that an agent lists
	fewValues  = 8  // more are chosen from a list
	mostRead   = 100_000
)

// Choice is the one that means "yes" or "no"; nil: there is none.
func (a Answers) Choice(means string) *AnswerChoice {
	if i := slices.IndexFunc(a.Choices, func(c AnswerChoice) bool { return c.Means == means }); i >= 0 {
		return &a.Choices[i]
	}
	return nil
}

// AnswersTo are the ways to answer an interrupt, the same that the package @aguiws/client
// finds. Without a schema they are the answers of metadata.answers ([{label, payload}]), or
// else a yes, {"approved":true}, and a no, {"approved":false}.
func AnswersTo(i protocol.Interrupt) Answers {
	schema := object(json.RawMessage(i.ResponseSchema))
	listed := listedAnswers(i.Metadata["answers"])
	if len(saying(schema)) == 0 {
		schema = nil
		switch i.Reason {
		case protocol.ReasonToolCall:
			if len(listed) == 0 {
				return Answers{yesAndNo("Approve", "Decline"), SchemaAnswer}
			}
		case reasonPaused:
			return Answers{[]AnswerChoice{{Label: "Go on", Means: "yes"}}, NoOtherAnswer}
		case reasonLogin:
			return Answers{[]AnswerChoice{{Label: "Done"}}, NoOtherAnswer}
		}
	}
	if decided, ok := approval(schema, i.Reason); ok {
		return Answers{decided, SchemaAnswer}
	}
	if len(listed) > 0 {
		if schema == nil {
			return Answers{listed, AnyAnswer}
		}
		return Answers{listed, SchemaAnswer}
	}
	if schema == nil {
		return Answers{yesAndNo("Yes", "No"), AnyAnswer}
	}
	return bySchema(schema)
}

// QuestionText is the words of a question: its message or, where that is a JSON object, the
// member of it that asks. "": it has none.
func QuestionText(i protocol.Interrupt) string {
	text := strings.TrimSpace(i.Message)
	if text == "" || len(i.Message) > mostRead || text[0] != '{' && text[0] != '[' || !json.Valid([]byte(text)) {
		if text == "" {
			return ""
		}
		return i.Message
	}
	said := object(json.RawMessage(text))
	for _, name := range []string{"question", "message", "prompt", "title"} {
		if words, ok := textOf(said[name]); ok && strings.TrimSpace(words) != "" {
			return words
		}
	}
	return ""
}

func yesAndNo(yes, no string) []AnswerChoice {
	return []AnswerChoice{{yes, `{"approved":true}`, "yes"}, {no, `{"approved":false}`, "no"}}
}

// listedAnswers are what an agent lists as answers, without what is of another shape.
func listedAnswers(answers json.RawMessage) (listed []AnswerChoice) {
	for _, one := range list(answers) {
		entry := object(one)
		label, ok := textOf(entry["label"])
		payload, given := entry["payload"]
		if ok && given && strings.TrimSpace(label) != "" && len(listed) < mostListed {
			listed = append(listed, AnswerChoice{Label: label, Payload: string(payload)})
		}
	}
	return meant(listed)
}

// meant says of the choices what they mean, if one alone means it.
func meant(choices []AnswerChoice) []AnswerChoice {
	count := map[string]int{}
	for i, c := range choices {
		switch approved := string(object(json.RawMessage(c.Payload))["approved"]); {
		case approved == "true":
			c.Means = "yes"
		case approved == "false":
			c.Means = "no"
		default:
			switch strings.ToLower(strings.TrimSpace(c.Label)) {
			case "yes", "approve", "accept":
				c.Means = "yes"
			case "no", "decline", "reject", "deny":
				c.Means = "no"
			}
		}
		choices[i] = c
		count[c.Means]++
	}
	for i := range choices {
		if count[choices[i].Means] > 1 {
			choices[i].Means = ""
		}
	}
	return choices
}
