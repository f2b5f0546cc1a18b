package gateway

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"

	"github.com/aguiws/aguiws/protocol"
)

// maxInterrupts bounds what a run asks at once: somebody has to read it.
const maxInterrupts = 100

func (r *relay) tooManyInterrupts() *failure {
	return failed(CodeTooLarge, "event %d of the agent: more than %d questions at once", r.index, maxInterrupts)
}

// askable makes interrupts that Ask takes of those that an agent raised. Their ids stay as
// they are: they go back with the answers.
func (r *relay) askable(raised []protocol.Interrupt) ([]protocol.Interrupt, error) {
	var asked []protocol.Interrupt
	before := map[string][]protocol.Interrupt{}
	for n, i := range raised {
		if slices.ContainsFunc(before[i.ID], func(b protocol.Interrupt) bool { return reflect.DeepEqual(b, i) }) {
			r.repaired(RepairInterruptAgain)
			continue
		}
		before[i.ID] = append(before[i.ID], i)
		i, err := r.mended(i)
		if f, is := errors.AsType[*failure](err); is {
			return nil, f
		}
		if err != nil {
			return nil, r.violation("interrupt %d cannot be asked", n).because(err)
		}
		asked = append(asked, i)
	}
	return asked, nil
}

// askedAbout relays the calls that are held back and that the run ends with questions about.
func (r *relay) askedAbout(e *protocol.RunFinished) error {
	asked := r.asked
	if e.Outcome != nil {
		asked = append(slices.Clone(asked), e.Outcome.Interrupts...)
	}
	for _, i := range asked {
		if err := r.takenUp(i.ToolCallID); err != nil {
			return err
		}
	}
	return nil
}

// mended takes out of an interrupt what nobody could answer by, and names its reason.
func (r *relay) mended(i protocol.Interrupt) (protocol.Interrupt, error) {
	i = r.judged(i)
	if i.ToolCallID != "" {
		own := i.ToolCallID
		if r.names.lost[own] {
			return i, r.violation("it asks about the tool call %.80q, and a snapshot has put an older call of that id in the place of the one that was announced: leave none out of snapshots", own)
		}
		if i.ToolCallID = r.names.latest(kindCall, own); r.to.Answered(i.ToolCallID) && !r.names.goesOn(i.ToolCallID) {
			return i, r.violation("it asks about the tool call %.80q, which has its result since an earlier turn: announce the call that is meant", own)
		}
	}
	i, offers := r.offered(i)
	if i.Message == "" {
		if i.Message = r.described(i, offers != nil); i.Message != "" {
			r.repaired(RepairMessage)
		}
	} else if more := r.beside(i, offers != nil); more != "" {
		i.Message += "\n" + more
		r.repaired(RepairMessage)
	}
	if i.CheckReason() != nil {
		i.Reason = r.reason(i.Reason)
		r.repaired(RepairReason)
	}
	if _, told, _ := protocol.ReadTime(i.ExpiresAt); told != i.ExpiresAt {
		i.ExpiresAt = told // "" for what is no time
		r.repaired(RepairExpiry)
	}
	if no := r.refusal(i, offers); no != nil {
		if r.refusals == nil {
			r.refusals = map[string]json.RawMessage{}
		}
		r.refusals[i.ID] = no
	}
	err := r.to.Askable(r.ctx, i)
	if err == nil {
		return i, nil
	}
	if !i.ResponseSchema.IsZero() {
		without := i
		without.ResponseSchema = nil
		if without.CheckReason() != nil {
			without.Reason = r.reason(i.Reason)
		}
		if r.to.Askable(r.ctx, without) == nil {
			r.repaired(RepairSchema)
			return without, nil
		}
	}
	return i, err
}

// reason puts a reason into the dialect's namespace.
func (r *relay) reason(own string) string {
	if own == "" {
		own = "interrupt"
	}
	return fmt.Sprintf("%s:%s", r.dialect, own)
}
