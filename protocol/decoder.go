package protocol

import (
	"bytes"

	"github.com/aguiws/aguiws/protocol/internal/wire"
	"github.com/aguiws/aguiws/protocol/surrogate"
)

// Decoder decodes the events of one stream, one after the other. It makes once what deltas
// that follow each other have in common. The zero value is ready. It belongs to one
// goroutine; what it returns is the caller's.
type Decoder struct {
	// Lenient also reads what agents send that AG-UI does not allow and that leaves no
	// doubt. It takes null for any member that may be absent, a run's beginning and end
	// without ids, which are then empty, and characters that are cut in halves. A delta may
	// begin or end with such a half: see surrogate.Half. The input that a run's beginning repeats is
	// left out.
	Lenient bool

	token  []byte // the id of the last delta, as it is written
	id     string
	nulls  bool
	mended []byte
}

// Decode is the package's Decode.
func (d *Decoder) Decode(data []byte) (Event, error) {
	d.mended = nil
	delta, ok := readLaid(data, d.token)
	if !ok {
		return d.general(data)
	}
	if !bytes.Equal(delta.id, d.token) {
		d.token, d.id = append(d.token[:0], delta.id...), wire.Unquote(delta.id)
	}
	d.nulls = false
	return delta.event(d.id), nil
}

func (d *Decoder) general(data []byte) (e Event, err error) {
	text := data
	if d.Lenient {
		text = surrogate.Mend(data)
	}
	e, d.nulls, err = decodeGeneral(text, d.Lenient)
	if len(data) == 0 || &text[0] == &data[0] || err != nil {
		return e, err
	}
	d.mended = text
	if delta := EffectOf(e).Delta; delta != nil {
		r := wire.Reader{Data: data}
		r.Space()
		if token := r.Find("delta"); token != nil {
			*delta = surrogate.Unquote(token)
		}
	}
	return e, nil
}

// Nulls reports whether the last event has members that are null where AG-UI leaves them
// out: they were read as absent, and Encode writes none.
func (d *Decoder) Nulls() bool { return d.nulls }

// Mended is the text of the last event if it had halves of characters, with U+FFFD in the
// place of each; nil: it had none. The halves with which a delta begins or ends are in the
// event's delta, not in this text.
func (d *Decoder) Mended() []byte { return d.mended }
