package protocol

import (
	"reflect"

	"github.com/aguiws/aguiws/protocol/internal/wire"
	"github.com/aguiws/aguiws/protocol/problem"
)

// Document is one JSON value whose text has been checked, so that what reads it
// reads it once. The zero value is not one.
type Document struct{ text []byte }

// NewDocument checks that text is a JSON value in UTF-8. The error is a
// *problem.Error. The text must not change while the document is in use.
func NewDocument(text []byte) (Document, error) {
	if bad := wire.Check(text); bad != nil {
		return Document{}, bad
	}
	return Document{text}, nil
}

// DecodeInput is the package's DecodeInput.
func (d Document) DecodeInput() (*RunAgentInput, error) {
	r := d.reader()
	r.absent = true
	in := new(RunAgentInput)
	r.value(shapeOf(reflect.TypeFor[RunAgentInput]()), reflect.ValueOf(in).Elem())
	if err := r.Err(); err != nil {
		return nil, err
	}
	if err := in.upgradeBinary(); err != nil {
		return nil, err
	}
	return in, nil
}

func (d Document) reader() reader {
	r := reader{Reader: wire.Reader{Data: d.text, Words: words()}}
	r.Space()
	return r
}

// reader reads a document along shapes. It fills in a value if it is given one.
type reader struct {
	wire.Reader
	absent bool // null reads as absent wherever a member may be
	nulls  bool // one was
}

// newReader checks data. The reader is of use without an error only.
func newReader(data []byte, strict bool) (reader, *problem.Error) {
	bad := wire.Check(data)
	r := Document{data}.reader()
	r.Strict = strict
	return r, bad
}
