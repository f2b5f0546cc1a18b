package gateway

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/aguiws/aguiws/protocol"
)

// review is what LangChain's middleware and agent inboxes ask: whether actions may be
// carried out, each in its place of one answer.
type review struct {
	actions []reviewed
	allowed []decision
	bare    bool // the answer is the list itself
	words   bool // an answer in words is taken: for a no, or as an inbox's response
}

type reviewed struct {
	Name        string          `json:"name"`
	Action      string          `json:"action"` // in an agent inbox
	Args        json.RawMessage `json:"args"`
	Arguments   json.RawMessage `json:"arguments"`
	Description string          `json:"description"`
}

// decision is one that needs no more words.
type decision struct{ label, kind string }

// reviewOf reads such a value; nil: it is none.
func reviewOf(value json.RawMessage) *review {
	if r := inboxOf(value); r != nil {
		return r
	}
	members := objectOf(value)
	var r review
	var configs []struct {
		Allowed   []string `json:"allowed_decisions"`
		AllowedJS []string `json:"allowedDecisions"`
	}
	if json.Unmarshal(first(members["action_requests"], members["actionRequests"]), &r.actions) != nil || len(r.actions) == 0 {
		return nil
	}
	_ = json.Unmarshal(first(members["review_configs"], members["reviewConfigs"]), &configs) // without any all is allowed
	for _, d := range []decision{{"Approve", "approve"}, {"Reject", "reject"}} {
		forbidden := false
		for _, c := range configs {
			forbidden = forbidden || !slices.Contains(append(c.Allowed, c.AllowedJS...), d.kind)
		}
		if !forbidden {
			r.allowed = append(r.allowed, d)
			r.words = r.words || d.kind == "reject"
		}
	}
	return &r
}

func inboxOf(value json.RawMessage) *review {
	var list []struct {
		Request *reviewed `json:"action_request"`
		Config  struct {
			Accept bool `json:"allow_accept"`
			Ignore bool `json:"allow_ignore"`
			Words  bool `json:"allow_respond"`
		} `json:"config"`
		Description string `json:"description"`
	}
	if json.Unmarshal(value, &list) != nil || len(list) == 0 {
		return nil
	}
	r := review{bare: true, words: true}
	accept, ignore := true, true
	for _, each := range list {
		if each.Request == nil {
			return nil
		}
		action := *each.Request
		action.Description = each.Description
		r.actions = append(r.actions, action)
		accept, ignore, r.words = accept && each.Config.Accept, ignore && each.Config.Ignore, r.words && each.Config.Words
	}
	if accept {
		r.allowed = append(r.allowed, decision{"Accept", "accept"})
	}
	if ignore {
		r.allowed = append(r.allowed, decision{"Ignore", "ignore"})
	}
	return &r
}

// told is what would be done, in words.
func (r *review) told() string {
	var lines []string
	for _, a := range r.actions {
		call := strings.TrimSpace(a.Name + a.Action + " " + string(first(a.Args, a.Arguments)))
		if a.described() {
			call = ""
		}
		for _, line := range []string{a.Description, call} {
			if line != "" {
				lines = append(lines, line)
			}
		}
	}
	return strings.Join(lines, "\n")
}

// described says whether the description has the name and the arguments, as that of LangChain's
// middleware in JavaScript does.
func (a *reviewed) described() bool {
	var indented bytes.Buffer
	args := first(a.Args, a.Arguments)
	if len(args) == 0 || json.Indent(&indented, args, "", "  ") != nil || !strings.Contains(a.Description, a.Name+a.Action) {
		return false
	}
	return strings.Contains(a.Description, indented.String()) || strings.Contains(a.Description, string(args))
}

// schema is what answers a review that has no button: nobody reads a yes or a no of it.
func (r *review) schema() protocol.Any {
	switch {
	case len(r.allowed) > 0 && len(r.actions) <= maxOffers:
		return nil
	case !r.bare:
		return protocol.Any(`{"type":"object","required":["decisions"]}`)
	case r.words:
		return protocol.Any(`{"type":["string","array"]}`)
	}
	return protocol.Any(`{"type":"array"}`)
}

// offers are one decision for all actions.
func (r *review) offers() (offers []offer) {
	if len(r.actions) > maxOffers {
		return nil
	}
	for _, d := range r.allowed {
		if payload := r.answer(map[string]string{"type": d.kind}); payload != nil {
			offers = append(offers, offer{d.label, payload})
		}
	}
	return offers
}

// answer is one decision for all actions, in the shape that the agent reads.
func (r *review) answer(d map[string]string) json.RawMessage {
	each := slices.Repeat([]map[string]string{d}, len(r.actions))
	var answer any = map[string]any{"decisions": each}
	if r.bare {
		answer = each
	}
	payload, err := json.Marshal(answer)
	if err != nil {
		return nil
	}
	return payload
}

// reviewedInWords is an answer as the agent reads it. A review that is answered by a text would
// fail on it, and end the run: the text is why somebody rejects the actions. A text that the
// agent offers itself, or has a schema for, is what it waits for.
func reviewedInWords(d Dialect, i protocol.Interrupt, payload json.RawMessage) json.RawMessage {
	var text string
	if len(payload) == 0 || payload[0] != '"' || json.Unmarshal(payload, &text) != nil {
		return payload
	}
	var offers []offer
	if own := i.Metadata[answersKey]; own != nil && json.Unmarshal(own, &offers) == nil {
		if slices.ContainsFunc(offers, func(o offer) bool { return bytes.Equal(o.Payload, payload) }) {
			return payload
		}
	}
	for _, value := range toldIn(d, i) {
		r := reviewOf(value)
		switch {
		case r == nil:
			continue
		case !r.words, len(r.actions) > maxOffers, !i.ResponseSchema.IsZero() && !bytes.Equal(i.ResponseSchema, r.schema()):
			return payload
		case r.bare:
			return r.answer(map[string]string{"type": "response", "args": text})
		}
		return r.answer(map[string]string{"type": "reject", "message": text})
	}
	return payload
}
