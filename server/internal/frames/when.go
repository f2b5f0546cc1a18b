package frames

import (
	"encoding/json"

	"github.com/aguiws/aguiws/adapter/admission"
	"github.com/aguiws/aguiws/protocol"
)

// WhenOf is what an input says in forwardedProps.aguiws.when. A value that is no word is
// handed on as it is, so that its sender is told.
func WhenOf(in *protocol.RunAgentInput) admission.When {
	if in == nil || in.ForwardedProps.IsZero() {
		return admission.WhenQueue
	}
	var props struct {
		Aguiws struct {
			When json.RawMessage `json:"when"`
		} `json:"aguiws"`
	}
	if json.Unmarshal(json.RawMessage(in.ForwardedProps), &props) != nil || props.Aguiws.When == nil {
		return admission.WhenQueue // of somebody else's making
	}
	var when string
	if json.Unmarshal(props.Aguiws.When, &when) != nil {
		return admission.When(props.Aguiws.When)
	}
	return admission.WhenNamed(when)
}
