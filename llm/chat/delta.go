package chat

import (
	"encoding/json"
	"strings"
)

// Delta is what comes behind what came before it. Reasoning stands under one of two
// names, which no specification has: vLLM and DeepSeek use the first, Ollama and
// OpenRouter the second. Mistral's is among the parts of the content.
type Delta struct {
	Content          Said            `json:"content"`
	Refusal          Piece           `json:"refusal"`
	ReasoningContent json.RawMessage `json:"reasoning_content"`
	Reasoning        json.RawMessage `json:"reasoning"`
	ToolCalls        []CallDelta     `json:"tool_calls"`
	FunctionCall     *FunctionDelta  `json:"function_call"` // what there was before tool_calls
}

// Calls are the pieces of tool calls.
func (d *Delta) Calls() []CallDelta {
	if d.FunctionCall == nil {
		return d.ToolCalls
	}
	return append(d.ToolCalls, CallDelta{Function: *d.FunctionCall, old: true})
}

// CallDelta is a piece of a tool call. Assembly tells of which call.
type CallDelta struct {
	Index    *int64        `json:"index"`
	ID       string        `json:"id"`
	Function FunctionDelta `json:"function"`
	old      bool          // of a function_call
}

// FunctionDelta is the name of a called function, and a piece of its arguments.
type FunctionDelta struct {
	Name      string    `json:"name"`
	Arguments Arguments `json:"arguments"`
}

// Arguments are a piece of the text of a JSON object. An endpoint may give the object
// itself instead.
type Arguments string

func (a *Arguments) UnmarshalJSON(text []byte) error {
	switch text[0] {
	case 'n':
		*a = ""
		return nil
	case '"':
		return (*Piece)(a).UnmarshalJSON(text)
	}
	*a = Arguments(text)
	return nil
}

// Said is the text of a content, and what was thought beside it. The content is a string,
// or a list of parts.
type Said struct{ Text, Thought string }

func (s *Said) UnmarshalJSON(text []byte) error {
	*s = Said{}
	if text[0] != '[' {
		return (*Piece)(&s.Text).UnmarshalJSON(text)
	}
	var parts []struct {
		Text     Piece           `json:"text"`
		Thinking json.RawMessage `json:"thinking"`
	}
	if err := json.Unmarshal(text, &parts); err != nil {
		return err
	}
	var said, thought strings.Builder
	for _, p := range parts {
		said.WriteString(string(p.Text))
		thought.WriteString(textOf(p.Thinking))
	}
	s.Text, s.Thought = said.String(), thought.String()
	return nil
}

// textOf is the text of a string or of a list of parts of text.
func textOf(content json.RawMessage) string {
	var text Piece
	var parts []struct {
		Text Piece `json:"text"`
	}
	if json.Unmarshal(content, &text) == nil {
		return string(text)
	}
	if json.Unmarshal(content, &parts) != nil {
		return ""
	}
	var b strings.Builder
	for _, p := range parts {
		b.WriteString(string(p.Text))
	}
	return b.String()
}
