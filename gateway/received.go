package gateway

import (
	"bytes"
	"encoding/json"
	"errors"

	"github.com/aguiws/aguiws/protocol"
	"github.com/aguiws/aguiws/protocol/problem"
)

// received is one event of an answer.
type received struct {
	event protocol.Event
	text  []byte
	index int  // in the answer, from 1
	nulls bool // it has members that are null for nothing
	torn  bool // it has halves of characters
	late  bool // a RUN_ERROR behind the run's end
}

// decoding reads the events of one answer.
type decoding struct {
	decoder protocol.Decoder
	index   int
}

func newDecoding() decoding { return decoding{decoder: protocol.Decoder{Lenient: true}} }

// next reads the next event. The last one of a stream that broke off in it is cut.
func (d *decoding) next(text []byte, cut bool) (received, error) {
	d.index++
	e, err := d.decoder.Decode(text)
	if err == nil {
		if mended := d.decoder.Mended(); mended != nil {
			return received{event: e, text: mended, index: d.index, nulls: d.decoder.Nulls(), torn: true}, nil
		}
		return received{event: e, text: text, index: d.index, nulls: d.decoder.Nulls()}, nil
	}
	if cut && !json.Valid(text) {
		return received{}, failed(CodeTruncated, "the agent's answer ended in the midst of event %d", d.index)
	}
	if bad, ok := errors.AsType[*problem.Error](err); ok && len(bad.Problems) > 0 {
		return received{}, violation(d.index, "%s", inWords(bad.Problems[0]))
	}
	return received{}, violation(d.index, "it is no event of AG-UI").because(err)
}

// inWords is what is wrong with an event, and where in it.
func inWords(p problem.Problem) string {
	if p.Pointer == "" {
		return p.Message
	}
	return p.Message + ", at " + p.Pointer
}

var null = []byte("null")

// withoutNull is the text of an event in which null stands for nothing: made anew, because
// clients fail on it.
func (r *relay) withoutNull(e protocol.Event, text []byte) []byte {
	if _, unknown := e.(*protocol.Unknown); unknown {
		return text
	}
	without, err := protocol.Encode(e)
	if err != nil || bytes.Count(without, null) >= bytes.Count(text, null) {
		return text
	}
	r.repaired(RepairNull)
	return without
}
