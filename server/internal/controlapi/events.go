package controlapi

import (
	"bytes"
	"encoding/json"
	"net/http"
	"time"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/admission"
	"github.com/aguiws/aguiws/protocol"
	"github.com/aguiws/aguiws/server/internal/refusal"
	"github.com/aguiws/aguiws/server/internal/strictjson"
)

// maxEventBytes is how large the body of an event may be.
const maxEventBytes = 1 << 20

type eventJSON json.RawMessage

type eventTakenJSON struct {
	Repeat bool `json:"repeat" jsonschema:"The same body had come before, and the server does nothing again."`
}

var errNoEvent = refusal.New(http.StatusNotFound, "event_not_found", "no run has such a token: use the URL that its agent has given, as it is")

func eventOperations() []operation {
	return []operation{
		{method: "POST", path: "/events/{token}", id: "sendEvent", summary: "Send the event that a run waits for",
			notes:   "The body is any JSON value that fits the schema of the event, and none is null. The first one ends the wait.",
			byToken: true, body: eventJSON{}, status: 200, answer: eventTakenJSON{}, serve: (*call).sendEvent},
	}
}

// enterByToken lets in whoever has a token. It is judged before anything else is read.
func (c *call) enterByToken(r *http.Request) *refusal.Refusal {
	var ok bool
	if c.event, ok = c.Runner.OpenEvent(r.PathValue("token")); !ok {
		return errNoEvent
	}
	c.caller = c.Gate.Stranger(r)
	return nil
}

func (c *call) sendEvent() (any, error) {
	body := bytes.TrimSpace(c.body)
	if len(body) == 0 {
		body = []byte("null")
	}
	if err := strictjson.Check(body); err != nil {
		return nil, badRequest("the body: " + err.Error())
	}
	if refused := c.Gate.MayInput(c.caller); refused != nil {
		return nil, problemOfInput(refused)
	}
	admitted, err := c.Runner.SendEvent(c.r.Context(), c.event, body)
	if err != nil {
		return nil, err
	}
	if admitted.Refusal != nil {
		return nil, problemOfEvent(admitted.Refusal)
	}
	return eventTakenJSON{admitted.Disposition == admission.Repeat}, nil
}

// eventStatus is how a refusal of an event reads over HTTP. What is not here may be taken in
// a moment.
var eventStatus = map[string]int{
	adapter.CodeInvalidInput:      http.StatusBadRequest,
	adapter.CodePayloadInvalid:    http.StatusUnprocessableEntity,
	adapter.CodePayloadTooComplex: http.StatusUnprocessableEntity,
	adapter.CodeEventEarly:        http.StatusTooEarly,
	adapter.CodeEventOver:         http.StatusGone,
	adapter.CodeEventConflict:     http.StatusConflict,
}

func problemOfEvent(e *protocol.RunError) *problem {
	status, ours := eventStatus[e.Code]
	if ours {
		p := problemOfInput(e)
		p.Status = status
		return p
	}
	return &problem{Refusal: refusal.New(http.StatusServiceUnavailable, e.Code, "the server cannot take the event now: send the same again").After(time.Second)}
}
