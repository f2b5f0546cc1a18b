package chat

import (
	"encoding/json"
	"maps"
)

// Request asks for one answer.
type Request struct {
	Model    string    `json:"model"`
	Messages []Message `json:"messages"`
	Tools    []Tool    `json:"tools,omitempty"`
	// More are further members of the request, such as "temperature". They win over
	// the fields above.
	More map[string]any `json:"-"`
}

// MarshalJSON writes the request as one that is streamed and tells what it cost.
func (r Request) MarshalJSON() ([]byte, error) {
	object := map[string]any{
		"model": r.Model, "messages": r.Messages,
		"stream": true, "stream_options": map[string]any{"include_usage": true},
	}
	if len(r.Tools) > 0 {
		object["tools"] = r.Tools
	}
	maps.Copy(object, r.More)
	return json.Marshal(object)
}

// Message is one of the conversation.
type Message struct {
	Role string `json:"role"`
	// Content is a string or a []Part. An assistant's message that only calls tools has
	// none: nil.
	Content    any    `json:"content,omitempty"`
	ToolCalls  []Call `json:"tool_calls,omitempty"`
	ToolCallID string `json:"tool_call_id,omitempty"` // of a tool's message
}

// Part is a piece of a user's message. Type says which of the other fields it has.
type Part struct {
	Type  string `json:"type"` // text, image_url, input_audio or file
	Text  string `json:"text,omitzero"`
	Image *Image `json:"image_url,omitempty"`
	Audio *Audio `json:"input_audio,omitempty"`
	File  *File  `json:"file,omitempty"`
}

// Text returns a part of text.
func Text(text string) Part { return Part{Type: "text", Text: text} }

// Image is an image by its address, which may be a data URL.
type Image struct {
	URL string `json:"url"`
}

// Audio is a sound: its bytes in base64, and "wav" or "mp3".
type Audio struct {
	Data   string `json:"data"`
	Format string `json:"format"`
}

// File is a file: a data URL with a name, or the id under which the endpoint keeps it.
type File struct {
	Data string `json:"file_data,omitempty"`
	Name string `json:"filename,omitempty"`
	ID   string `json:"file_id,omitempty"`
}

// Call is a tool call that the assistant has made.
type Call struct {
	ID       string   `json:"id"`
	Type     string   `json:"type"` // function
	Function Function `json:"function"`
}

// Function is the name of a called function, and its arguments as JSON.
type Function struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

// Tool is a function that the model may call.
type Tool struct {
	Type     string     `json:"type"` // function
	Function Definition `json:"function"`
}

// Definition describes a function. Parameters is a JSON Schema of an object; nil: none.
type Definition struct {
	Name        string         `json:"name"`
	Description string         `json:"description,omitempty"`
	Parameters  map[string]any `json:"parameters,omitempty"`
}
