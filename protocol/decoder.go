package protocol

import "bytes"

// Decoder decodes the events of one stream, one after the other. What deltas that follow
// each other have in common it makes once. The zero value is ready. It belongs to one
// goroutine; what it returns is the caller's.
type Decoder struct {
	token []byte // the id of the last delta, as it is written
	id    string
	nulls bool
}

// Decode is the package's Decode.
func (d *Decoder) Decode(data []byte) (e Event, err error) {
	delta, ok := readLaid(data, d.token)
	if !ok {
		e, d.nulls, err = decodeGeneral(data)
		return e, err
	}
	if !bytes.Equal(delta.id, d.token) {
		d.token, d.id = append(d.token[:0], delta.id...), unquote(delta.id)
	}
	d.nulls = false
	return delta.event(d.id), nil
}

// Nulls reports whether the last event has members that are null where AG-UI leaves them
// out: they were read as absent, and Encode writes none.
func (d *Decoder) Nulls() bool { return d.nulls }
