package admit

import "github.com/aguiws/aguiws/protocol"

// broughtBy is what the journal keeps of the input of an answer; nil: nothing.
func broughtBy(in *protocol.RunAgentInput) *protocol.RunAgentInput {
	props := in.ForwardedProps
	if isEmptyObject(props) {
		props = nil
	}
	if len(in.Tools) == 0 && len(in.Context) == 0 && props.IsZero() {
		return nil
	}
	return &protocol.RunAgentInput{Messages: protocol.Messages{}, Tools: in.Tools, Context: in.Context, ForwardedProps: props}
}
