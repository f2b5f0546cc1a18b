package admit

import (
	"fmt"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/admission"
	"github.com/aguiws/aguiws/adapter/internal/judge"
	"github.com/aguiws/aguiws/protocol"
)

// checkWhen refuses what contradicts an input's When.
func checkWhen(in *Request) *protocol.RunError {
	why := ""
	switch {
	case in.When == admission.WhenQueue:
	case in.When != admission.WhenStep:
		why = fmt.Sprintf("when is %q: must be %q or \"queue\", or left out", in.When, admission.WhenStep)
	case len(in.Run.Resume) > 0:
		why = "what joins a run answers nothing: send resume in an input of its own"
	case in.StopsAll:
		why = "what joins a run does not stop it: leave out either"
	case !in.Dispatch.Available.IsZero():
		why = "what joins a run does so at its next step, and not at a time: leave out either"
	default:
	}
	if why == "" {
		return nil
	}
	return judge.Refuse(adapter.CodeInvalidInput, why, nil)
}
