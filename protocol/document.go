package protocol

import (
	"encoding/json"
	"reflect"
	"unicode/utf8"
)

// Document is one JSON value whose text has been checked, so that what reads it
// reads it once. The zero value is not one.
type Document struct{ text []byte }

// NewDocument checks that text is a JSON value in UTF-8. The error is a
// *DecodeError. The text must not change while the document is in use.
func NewDocument(text []byte) (Document, error) {
	d, bad := newDocument(text)
	if bad != nil {
		return d, bad
	}
	return d, nil
}

func newDocument(text []byte) (Document, *DecodeError) {
	if !utf8.Valid(text) {
		return Document{}, problem("", "not valid UTF-8")
	}
	if !validJSON(text) {
		var v json.RawMessage
		err := json.Unmarshal(text, &v)
		return Document{}, problem("", "not a JSON document: %v", err)
	}
	return Document{text}, nil
}

// DecodeInput is the package's DecodeInput.
func (d Document) DecodeInput() (*RunAgentInput, error) {
	r := d.reader(false)
	r.absent = true
	in := new(RunAgentInput)
	r.value(shapeOf(reflect.TypeFor[RunAgentInput]()), reflect.ValueOf(in).Elem())
	if err := r.err(); err != nil {
		return nil, err
	}
	if err := in.upgradeBinary(); err != nil {
		return nil, err
	}
	return in, nil
}

func (d Document) reader(strict bool) *reader {
	r := &reader{data: d.text, strict: strict}
	r.space()
	return r
}
