package judge

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/aguiws/aguiws/adapter/internal/canonical"
	"github.com/aguiws/aguiws/protocol"
)

// maxOffered is how many answers of a list are read, as in clients.
const maxOffered = 20

// offer is an answer that a question lists in its metadata.
type offer struct {
	Label   string          `json:"label"`
	Payload json.RawMessage `json:"payload"`
}

// offersIn reads such a list. One of another shape offers nothing.
func offersIn(metadata protocol.Metadata) (list []offer) {
	if json.Unmarshal(metadata["answers"], &list) != nil {
		return nil
	}
	return list[:min(len(list), maxOffered)]
}

var (
	yesWords = []string{"yes", "true", "approve", "accept"}
	noWords  = []string{"no", "false", "decline", "reject", "deny"}
)

// wordOf is a text or a truth as a word.
func wordOf(sent json.RawMessage) string {
	word := string(sent)
	var text string
	if json.Unmarshal(sent, &text) == nil {
		word = text
	}
	return strings.ToLower(strings.TrimSpace(word))
}

// meant is the payload of the offer that somebody without buttons means, who sends a payload,
// a label, or a yes or no. nil: none, or one of several.
func meant(offers []offer, sent json.RawMessage) protocol.Any {
	word := wordOf(sent)
	for _, means := range []func(offer) bool{
		func(o offer) bool { return same(o.Payload, sent) },
		func(o offer) bool { return strings.ToLower(strings.TrimSpace(o.Label)) == word },
		func(o offer) bool { return slices.Contains(yesWords, word) && o.says(true, yesWords) },
		func(o offer) bool { return slices.Contains(noWords, word) && o.says(false, noWords) },
	} {
		of := slices.DeleteFunc(slices.Clone(offers), func(o offer) bool { return !means(o) })
		if len(of) == 1 {
			return protocol.Any(of[0].Payload)
		}
	}
	return nil
}

// says reports whether the offer is a yes, or a no, in words or by its payload.
func (o offer) says(yes bool, words []string) bool {
	var payload struct {
		Approved *bool `json:"approved"`
	}
	if json.Unmarshal(o.Payload, &payload) == nil && payload.Approved != nil {
		return *payload.Approved == yes
	}
	return slices.Contains(words, strings.ToLower(strings.TrimSpace(o.Label)))
}

func same(a, b json.RawMessage) bool {
	one, err := canonical.JSON(a)
	if err != nil {
		return false
	}
	other, err := canonical.JSON(b)
	return err == nil && string(one) == string(other)
}
