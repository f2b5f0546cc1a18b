package gateway

import (
	"errors"
	"strings"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/protocol"
	"github.com/aguiws/aguiws/protocol/order"
	"github.com/aguiws/aguiws/protocol/surrogate"
)

// The repairs, by the names that logs and metrics have. Each is one that leaves no doubt
// what was meant.
const (
	RepairIDs               = "ids"                 // a run under other ids than it was sent with
	RepairRunStartedLate    = "run_started_late"    // events before RUN_STARTED
	RepairRunStartedMissing = "run_started_missing" // there was none
	RepairRunStartedAgain   = "run_started_again"   // there were two
	RepairVersion           = "protocol_version"    // it refuses inputs with a protocolVersion, and is asked without
	RepairReplay            = "replay"              // earlier runs before the one that was asked for
	RepairOutcome           = "outcome"             // an outcome that AG-UI does not have is a success
	RepairHalf              = "half_character"      // characters that were cut in halves
	RepairLeftOpen          = "left_open"           // what the run had begun was open at its end
	RepairStartAgain        = "start_again"         // what is open was opened
	RepairEndAgain          = "end_again"           // what is not open was closed
	RepairCallAgain         = "call_again"          // a call was announced that the thread has
	RepairCallChanged       = "call_changed"        // another call was announced under the id of one: it gets its own
	RepairResultAgain       = "result_again"        // a result came that the thread has
	RepairMessageID         = "message_id"          // a message whose id another has, or that has none: it gets its own
	RepairDelta             = "delta"               // it fits nothing that is there
	RepairNull              = "null"                // null where AG-UI leaves a member out
	RepairAfterEnd          = "after_end"           // events behind the run's end
	RepairCustomInterrupt   = "custom_interrupt"    // CUSTOM on_interrupt
	RepairDialect           = "dialect"             // nothing tells whose CUSTOM on_interrupt it is, or it is none of the dialect's
	RepairInterruptAgain    = "interrupt_again"     // an interrupt that came twice
	RepairReason            = "interrupt_reason"    // one that has no namespace, or lacks what it needs
	RepairMessage           = "interrupt_message"   // one whose message is missing, or leaves out what its metadata has
	RepairSchema            = "interrupt_schema"    // one that is too large was left out
	RepairAnswers           = "interrupt_answers"   // answers that it offers and nobody could give were left out
	RepairExpiry            = "interrupt_expiry"    // one in another form is told in RFC 3339, and what is none left out
	RepairPolicy            = "interrupt_policy"    // what it says in its metadata in the name of this server
)

// Repairs are all there are.
var Repairs = []string{
	RepairIDs, RepairRunStartedLate, RepairRunStartedMissing, RepairRunStartedAgain, RepairVersion, RepairReplay, RepairOutcome, RepairHalf, RepairLeftOpen, RepairStartAgain,
	RepairEndAgain, RepairCallAgain, RepairCallChanged, RepairResultAgain, RepairMessageID, RepairDelta, RepairNull, RepairAfterEnd,
	RepairCustomInterrupt, RepairDialect, RepairInterruptAgain, RepairReason, RepairMessage, RepairSchema, RepairAnswers, RepairExpiry,
	RepairPolicy,
}

// pass relays one explicit event; a text of nil is made of it.
func (r *relay) pass(e protocol.Event, text []byte, does protocol.Effect) error {
	switch {
	case does.Verb == protocol.Continues && (len(r.halves) > 0 || surrogate.Torn(*does.Delta)):
		if r.join(does) {
			text = nil
		}
	case does.Verb == protocol.Ends && len(r.halves) > 0:
		if key, ok := does.Item(); ok {
			if err := r.rest(key); err != nil {
				return err
			}
		}
	}
	if len(r.again) > 0 {
		if held, err := r.hold(e, text, does); held || err != nil {
			return err
		}
	}
	if _, restates := e.(*protocol.MessagesSnapshot); restates { // it is about what was said before
		if err := r.letAllGo(); err != nil {
			return err
		}
	}
	switch does.Family {
	case protocol.FamilyToolCall:
		if does.Verb == protocol.Opens && r.announces(e, text, does) {
			return nil
		}
	case protocol.FamilyText, protocol.FamilyReasoning:
		if does.Verb == protocol.Opens {
			if _, other := r.names.begin(kinds[does.Family], *does.ID); other {
				r.repaired(RepairMessageID)
			}
		}
	}
	if result, ok := e.(*protocol.ToolCallResult); ok {
		again, err := r.repeats(result)
		if again || err != nil {
			return err
		}
	}
	return r.relay(e, text, does)
}

// relay hands an event to the run under the ids that clients are told, and makes of a
// refusal what it means.
func (r *relay) relay(e protocol.Event, text []byte, does protocol.Effect) error {
	if here := r.here(e); here != e {
		e, text = here, nil
		does = protocol.EffectOf(e)
	}
	if !r.open.fits(does) {
		return failed(CodeTooLarge, "event %d of the agent: more than %d messages, calls and steps would be open at once, or %d KiB of their names", r.index, maxOpen, maxOpenBytes>>10)
	}
	err := r.to.Relay(e, text)
	if err == nil {
		r.open.track(does)
		return nil
	}
	// A run that takes nothing at all is over, whatever this event is.
	if over := r.to.Emit(); over != nil {
		return over
	}
	if errors.Is(err, adapter.ErrUntellable) {
		return failed(CodeTooLarge, "event %d of the agent, %s, cannot be told: %s", r.index, e.Type(), untold(err))
	}
	var broken *order.Error
	if !errors.As(err, &broken) {
		switch e.(type) {
		case *protocol.StateDelta, *protocol.ActivityDelta:
			// Clients leave it aside too.
			r.repaired(RepairDelta)
			return nil
		}
		return r.violation("%s cannot be told", e.Type()).because(err)
	}
	switch {
	case broken.Rule == order.RuleOpen && does.Verb == protocol.Opens:
		r.repaired(RepairStartAgain)
		return nil
	case broken.Rule == order.RuleNotOpen && does.Verb == protocol.Ends:
		r.repaired(RepairEndAgain)
		return nil
	}
	return r.violation("it breaks %s: %s", broken.Rule, broken.Message)
}

// untold is why an event cannot be told, in words for clients.
func untold(err error) string {
	return strings.TrimPrefix(err.Error(), "adapter: emit: "+adapter.ErrUntellable.Error()+": ")
}

// repeats reports whether a result is one that the thread has, under its id. Another
// result of a call that was announced again is that of a call of its own.
func (r *relay) repeats(e *protocol.ToolCallResult) (bool, error) {
	if r.hasResult(e) {
		r.repaired(RepairResultAgain)
		return true, nil
	}
	return false, r.takenUp(e.ToolCallID)
}

// takenUp settles which call is meant when something is said of one that is held back:
// the thread's has its end if it has a result.
func (r *relay) takenUp(own string) error {
	a := r.again[own]
	switch {
	case a == nil:
		return nil
	case r.to.Answered(a.here):
		return r.newCall(own)
	}
	return r.letGo(own)
}

func (r *relay) hasResult(e *protocol.ToolCallResult) bool {
	id := r.names.latest(kindTool, e.MessageID)
	if role, _ := r.to.Role(id); role != protocol.RoleTool {
		return false
	}
	held, ok := r.to.Message(id)
	return ok && held.ToolCallID == r.names.latest(kindCall, e.ToolCallID) && held.Content != nil && held.Content.IsText() &&
		e.Content.IsText() && held.Content.String() == e.Content.String()
}
