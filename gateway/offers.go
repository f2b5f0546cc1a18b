package gateway

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/aguiws/aguiws/protocol"
)

// answersKey is the member of an interrupt's metadata that offers answers: see offer.
const answersKey = "answers"

// The bounds of what is offered: somebody has to read it, and to find it.
const (
	maxOffers = 20
	maxLabel  = 200     // bytes
	maxOffer  = 4 << 10 // bytes of a payload
)

// offer is an answer that clients offer for a question: what somebody reads, and what the
// agent gets.
type offer struct {
	Label   string          `json:"label"`
	Payload json.RawMessage `json:"payload"`
}

// offered is an interrupt with the answers that clients are to offer, by its metadata: those
// that the agent has put there, or else those that it lists, or else the yes and the no of
// who asks.
func (r *relay) offered(i protocol.Interrupt) (protocol.Interrupt, []offer) {
	if own := i.Metadata[answersKey]; own != nil {
		if offers := r.own(i, own); offers != nil {
			return i, offers
		}
		r.repaired(RepairAnswers)
		i.Metadata = maps.Clone(i.Metadata)
		delete(i.Metadata, answersKey)
	}
	offers := r.listed(i)
	if offers == nil && i.ResponseSchema.IsZero() {
		if i.ResponseSchema = r.schemaOf(i); i.ResponseSchema.IsZero() {
			offers = r.yesAndNo()
		}
	}
	if offers == nil {
		return i, nil
	}
	text, err := json.Marshal(offers)
	if err != nil {
		return i, nil
	}
	if i.Metadata = maps.Clone(i.Metadata); i.Metadata == nil {
		i.Metadata = protocol.Metadata{}
	}
	i.Metadata[answersKey] = text
	return i, offers
}

// own reads what an agent offers itself; nil: nobody could answer by that.
func (r *relay) own(i protocol.Interrupt, text json.RawMessage) (offers []offer) {
	if json.Unmarshal(text, &offers) != nil || len(offers) == 0 || len(offers) > maxOffers {
		return nil
	}
	for _, o := range offers {
		if strings.TrimSpace(o.Label) == "" || len(o.Label) > maxLabel || len(o.Payload) == 0 || len(o.Payload) > maxOffer || !r.to.Fits(r.ctx, i, o.Payload) {
			return nil
		}
	}
	return offers
}

// listed are the options that an agent lists, in the shape that its schema has; nil: it
// lists none, or some that cannot be told.
func (r *relay) listed(i protocol.Interrupt) []offer {
	for _, value := range toldIn(r.dialect, i) {
		if reviewed := reviewOf(value); reviewed != nil {
			return r.fitting(i, reviewed.offers())
		}
		members := objectOf(value)
		for _, name := range optionWords {
			if offers := optionsOf(members[name]); offers != nil {
				return r.fitting(i, offers)
			}
		}
	}
	return nil
}

// schemaOf is what a review without a button is answered by; nil: a yes or a no may do.
func (r *relay) schemaOf(i protocol.Interrupt) protocol.Any {
	for _, value := range toldIn(r.dialect, i) {
		if reviewed := reviewOf(value); reviewed != nil {
			return reviewed.schema()
		}
	}
	return nil
}

// fitting are offers as the interrupt's schema has them: as they are, or as the one member
// that it requires; nil: it has them neither way.
func (r *relay) fitting(i protocol.Interrupt, offers []offer) []offer {
	fit := func() bool {
		return !slices.ContainsFunc(offers, func(o offer) bool { return !r.to.Fits(r.ctx, i, o.Payload) })
	}
	if len(offers) == 0 || fit() {
		return offers
	}
	var schema struct {
		Required []string `json:"required"`
	}
	if json.Unmarshal(i.ResponseSchema, &schema) != nil || len(schema.Required) != 1 {
		return nil
	}
	offers = slices.Clone(offers)
	for n, o := range offers {
		offers[n].Payload, _ = json.Marshal(map[string]json.RawMessage{schema.Required[0]: o.Payload}) // of JSON that was read
	}
	if !fit() {
		return nil
	}
	return offers
}

// optionsOf reads a list of options: texts, numbers, or objects with a label; nil: it is
// none, or too long to be offered.
func optionsOf(list json.RawMessage) []offer {
	var each []json.RawMessage
	if json.Unmarshal(list, &each) != nil || len(each) == 0 || len(each) > maxOffers {
		return nil
	}
	offers := make([]offer, len(each))
	for n, option := range each {
		o, ok := optionOf(bytes.TrimSpace(option))
		if !ok || len(o.Payload) > maxOffer {
			return nil
		}
		offers[n] = o
	}
	return offers
}

var (
	labelWords = []string{"label", "title", "text", "name", "description", "value", "id"}
	valueWords = []string{"value", "payload", "id", "key"}
)

func optionOf(option json.RawMessage) (offer, bool) {
	if len(option) == 0 {
		return offer{}, false
	}
	switch option[0] {
	case '"':
		var text string
		_ = json.Unmarshal(option, &text) // it is one
		return offer{label(text), option}, strings.TrimSpace(text) != ""
	case '{':
		members := objectOf(option)
		text := stringOf(members, labelWords...)
		o := offer{Label: label(text), Payload: option}
		if len(members) == 1 {
			o.Payload, _ = json.Marshal(text) // of a string
		}
		for _, name := range valueWords {
			if value := members[name]; value != nil {
				o.Payload = value
				break
			}
		}
		return o, strings.TrimSpace(text) != ""
	case '[', 'n':
		return offer{}, false
	}
	return offer{label(string(option)), option}, true
}

// label is a text that is short enough for one.
func label(text string) string {
	if len(text) <= maxLabel {
		return text
	}
	return strings.ToValidUTF8(text[:maxLabel], "") + "…"
}

// no is what clients send for a no where nobody has said what it is.
var defaultYes, defaultNo = json.RawMessage(`{"approved":true}`), json.RawMessage(`{"approved":false}`)

// yesAndNo are the upstream's, or its dialect's; nil: nobody has said what they are.
func (r *relay) yesAndNo() []offer {
	yes, no := first(r.yes, r.manners.yes), first(r.no, r.manners.no)
	if yes == nil && no == nil {
		return nil
	}
	return []offer{{"Yes", first(yes, defaultYes)}, {"No", first(no, defaultNo)}}
}

func first(list ...json.RawMessage) json.RawMessage {
	for _, value := range list {
		if value != nil {
			return value
		}
	}
	return nil
}

// noWords are the labels of options that carry nothing out.
var noWords = []string{"no", "n", "reject", "decline", "deny", "refuse", "cancel", "ignore", "abort", "stop", "false"}

// refusal is what an agent gets for a cancellation, because it would take that for an
// answer; nil: it knows what a cancellation is.
func (r *relay) refusal(i protocol.Interrupt, offers []offer) json.RawMessage {
	switch {
	case r.no != nil && r.to.Fits(r.ctx, i, r.no):
		return r.no
	case r.manners.no == nil:
		return nil
	}
	for _, o := range offers {
		if slices.Contains(noWords, strings.ToLower(strings.TrimSpace(o.Label))) {
			return o.Payload
		}
	}
	if i.ResponseSchema.IsZero() {
		return r.manners.no
	}
	return nil
}
