package protocol

import (
	"encoding/json"
	"strings"
)

type contentKind uint8

const (
	contentText contentKind = 1 << iota
	contentParts
	contentObject
)

func (k contentKind) String() string {
	return map[contentKind]string{contentText: "a string", contentParts: "an array", contentObject: "an object"}[k]
}

// Content is a string, a list of parts, or the object of an activity. The zero
// value is the empty string. It is not changed after it was made, so that
// copies may share it.
type Content struct {
	kind   contentKind // 0 reads as contentText
	text   string
	parts  []Part
	object json.RawMessage
}

// Text returns content that is a string.
func Text(s string) *Content { return &Content{kind: contentText, text: s} }

// PartsOf returns content that is a list of parts, which may be empty.
func PartsOf(parts ...Part) *Content { return &Content{kind: contentParts, parts: parts} }

// ObjectOf returns the content of an activity. The bytes must be a JSON object.
func ObjectOf(object json.RawMessage) *Content {
	return &Content{kind: contentObject, object: object}
}

// String returns the text: the string itself, or that of all text parts, one
// after the other. It is empty for an object and for nil.
func (c *Content) String() string {
	if c == nil {
		return ""
	}
	if c.kind != contentParts {
		return c.text
	}
	var b strings.Builder
	for _, p := range c.parts {
		b.WriteString(p.Text)
	}
	return b.String()
}

// IsText reports whether the content is a string.
func (c *Content) IsText() bool { return c != nil && c.kind <= contentText }

// Parts returns the parts and whether the content is a list. The slice must not
// be changed.
func (c *Content) Parts() ([]Part, bool) {
	if c == nil || c.kind != contentParts {
		return nil, false
	}
	return c.parts, true
}

// Object returns the object of an activity, nil for other content. The bytes
// must not be changed.
func (c *Content) Object() json.RawMessage {
	if c == nil || c.kind != contentObject {
		return nil
	}
	return c.object
}

// PartType discriminates the parts of a content.
type PartType string

// The kinds of parts.
const (
	PartText     PartType = "text"
	PartImage    PartType = "image"
	PartAudio    PartType = "audio"
	PartVideo    PartType = "video"
	PartDocument PartType = "document"
)

// Part is one piece of a content: text, or a medium with its source.
type Part struct {
	Type     PartType                   `json:"type"`
	Text     string                     `json:"text,omitzero"`
	Source   *Source                    `json:"source,omitzero"`
	ID       string                     `json:"id,omitzero"`
	Metadata Any                        `json:"metadata,omitzero"` // need not be an object here
	Extra    map[string]json.RawMessage `json:"-"`
}

// SourceType discriminates the sources of a medium.
type SourceType string

// The kinds of sources.
const (
	SourceData SourceType = "data" // base64
	SourceURL  SourceType = "url"
	SourceFile SourceType = "file" // a provider's handle, opaque: never fetched
)

// Source is where a medium is.
type Source struct {
	Type     SourceType                 `json:"type"`
	Value    string                     `json:"value"`
	Provider string                     `json:"provider,omitzero"` // for SourceFile only
	MimeType string                     `json:"mimeType,omitzero"` // required for SourceData
	Extra    map[string]json.RawMessage `json:"-"`
}
