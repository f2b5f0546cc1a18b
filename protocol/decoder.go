package protocol

import "bytes"

// Decoder decodes the events of one stream, one after the other. What deltas that follow
// each other have in common it makes once, so that one costs little more than its text.
// The zero value is ready. It belongs to one goroutine; what it returns is the caller's.
type Decoder struct {
	token     []byte // the id of the last delta, as it is written
	id        string
	texts     []TextMessageContent // to be filled in
	reasoning []ReasoningMessageContent
	args      []ToolCallArgs
}

// Decode is the package's Decode.
func (d *Decoder) Decode(data []byte) (Event, error) {
	laid, ok := readLaid(data, d.token)
	if !ok {
		return decodeGeneral(data)
	}
	if !bytes.Equal(laid.id, d.token) {
		d.token, d.id = append(d.token[:0], laid.id...), unquote(laid.id)
	}
	b, delta := Base{Timestamp: laid.timestamp}, unquote(laid.delta)
	switch laid.name {
	case TypeReasoningMessageContent:
		e := one(&d.reasoning)
		e.Base, e.MessageID, e.Delta = b, d.id, delta
		return e, nil
	case TypeToolCallArgs:
		e := one(&d.args)
		e.Base, e.ToolCallID, e.Delta = b, d.id, delta
		return e, nil
	}
	e := one(&d.texts)
	e.Base, e.MessageID, e.Delta = b, d.id, delta
	return e, nil
}

// atOnce is how many events are made at once.
const atOnce = 16

// one takes a value off those that were made, and makes more when there is none.
func one[T any](made *[]T) *T {
	if len(*made) == 0 {
		*made = make([]T, atOnce)
	}
	v := &(*made)[0]
	*made = (*made)[1:]
	return v
}
