package conformance

import (
	"context"
	"fmt"
	"time"

	"github.com/aguiws/aguiws/protocol"
	"github.com/aguiws/aguiws/protocol/order"
)

// Rules that are held in every case.
const (
	ruleShape     = "event-shape"
	ruleOrder     = "event-order"
	ruleEnd       = "run-has-one-end"
	ruleCounting  = "binding-positions"
	ruleFraming   = "binding-frames"
	rulePlain     = "plain-mode"
	ruleHandshake = "binding-handshake"
	ruleHTTP      = "http-sse"
	ruleAnswered  = "server-answers"
)

// exchange is one question to a server and the events that answer it: an input
// with its run, or following a thread.
type exchange struct {
	c     *client
	run   string // the run asked for, "" for following
	of    string // the run whose events these are, as the server calls it
	begun bool   // its events are under way

	order *order.Sequence // nil: whoever fills the exchange judges the order
	fold  bool            // the client takes in its events
	items *queue[item]

	// untilLive ends the following of a thread with what was missed.
	untilLive bool
}

// item is an event, or what else ends an exchange.
type item struct {
	kind     string // the event's type, or REJECTED
	value    any
	data     []byte
	position int64 // in the log; 0 is not counted
	came     time.Time
}

const rejected = "REJECTED"

// event takes in one event. It judges shape and order.
func (x *exchange) event(data []byte, position int64) protocol.Event {
	e := x.c.judge(data)
	x.put(e, data, position)
	return e
}

func (x *exchange) put(e protocol.Event, data []byte, position int64) {
	if e == nil {
		return
	}
	if x.order != nil {
		x.c.inOrder(x.order, e)
	}
	if x.fold {
		x.c.apply(e)
	}
	value, err := decode(data)
	if err != nil {
		return // judged already
	}
	x.items.put(item{string(e.Type()), value, data, position, time.Now()})
}

// reject ends an exchange that never became a run.
func (x *exchange) reject(details any) {
	x.items.put(item{kind: rejected, value: details})
	x.items.close()
}

// end ends the exchange. It says whether a run may end there; following may end
// without an event, and a run may not.
func (x *exchange) end() {
	if x.order != nil && (x.run != "" || len(x.items.sofar()) > 0) {
		if err := x.order.End(); err != nil {
			x.c.wrong(ruleEnd, "%s", plainly(err))
		}
	}
	x.items.close()
}

// drain waits for the end and returns all events.
func (x *exchange) drain(ctx context.Context) ([]item, error) {
	items, err := x.items.drained(ctx)
	if err != nil {
		return nil, fmt.Errorf("the stream did not end: %w", err)
	}
	return items, nil
}

// judge checks an event's shape, and reads it.
func (c *client) judge(data []byte) protocol.Event {
	inexact := protocol.ValidateEvent(data)
	e, err := protocol.Decode(data)
	if inexact == nil {
		inexact = err
	}
	if inexact != nil {
		c.wrong(ruleShape, "%s in %s", plainly(inexact), clip(data, 300))
	}
	if err != nil {
		return nil
	}
	return e
}

func (c *client) inOrder(sequence *order.Sequence, e protocol.Event) {
	if err := sequence.Check(e); err != nil {
		c.wrong(ruleOrder, "%s", plainly(err))
	}
}

func terminal(e protocol.Event) bool {
	switch e.(type) {
	case *protocol.RunFinished, *protocol.RunError:
		return true
	}
	return false
}
