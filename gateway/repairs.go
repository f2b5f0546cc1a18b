package gateway

import (
	"errors"

	"github.com/aguiws/aguiws/protocol"
)

// The repairs, by the names that logs and metrics have. Each is one that leaves no doubt
// what was meant.
const (
	RepairIDs               = "ids"                 // a run under other ids than it was sent with
	RepairRunStartedLate    = "run_started_late"    // events before RUN_STARTED
	RepairRunStartedMissing = "run_started_missing" // there was none
	RepairRunStartedAgain   = "run_started_again"   // there were two
	RepairLeftOpen          = "left_open"           // what the run had begun was open at its end
	RepairStartAgain        = "start_again"         // what is open was opened
	RepairEndAgain          = "end_again"           // what is not open was closed
	RepairCallAgain         = "call_again"          // a call was announced that the thread has
	RepairCallChanged       = "call_changed"        // so was one that it has otherwise: the first stays
	RepairResultAgain       = "result_again"        // a result came that the thread has
	RepairMessageID         = "message_id"          // the id of another message of the thread
	RepairDelta             = "delta"               // it fits nothing that is there
	RepairNull              = "null"                // null where AG-UI leaves a member out
	RepairAfterEnd          = "after_end"           // events behind the run's end
	RepairCustomInterrupt   = "custom_interrupt"    // CUSTOM on_interrupt
	RepairDialect           = "dialect"             // nothing tells whose CUSTOM on_interrupt it is, or it is none of the dialect's
	RepairInterruptAgain    = "interrupt_again"     // an interrupt that came twice
	RepairReason            = "interrupt_reason"    // one that has no namespace, or lacks what it needs
	RepairMessage           = "interrupt_message"   // one without a message, which its metadata has
	RepairSchema            = "interrupt_schema"    // one that is too large was left out
	RepairAnswers           = "interrupt_answers"   // answers that it offers and nobody could give were left out
	RepairExpiry            = "interrupt_expiry"    // one in another form is told in RFC 3339, and what is none left out
	RepairPolicy            = "interrupt_policy"    // what it says of its expiry, which is the server's to say
)

// Repairs are all there are.
var Repairs = []string{
	RepairIDs, RepairRunStartedLate, RepairRunStartedMissing, RepairRunStartedAgain, RepairLeftOpen, RepairStartAgain,
	RepairEndAgain, RepairCallAgain, RepairCallChanged, RepairResultAgain, RepairMessageID, RepairDelta, RepairNull, RepairAfterEnd,
	RepairCustomInterrupt, RepairDialect, RepairInterruptAgain, RepairReason, RepairMessage, RepairSchema, RepairAnswers, RepairExpiry,
	RepairPolicy,
}

// pass relays one explicit event; a text of nil is made of it.
func (r *relay) pass(e protocol.Event, text []byte, does protocol.Effect) error {
	if len(r.again) > 0 {
		if held, err := r.hold(e, text, does); held || err != nil {
			return err
		}
	}
	if does.Verb == protocol.Opens {
		if does.Family == protocol.FamilyToolCall && r.announces(e, text, does) {
			return nil
		}
		r.begins(does)
	}
	if result, ok := e.(*protocol.ToolCallResult); ok {
		if r.repeats(result) {
			return nil
		}
		if _, taken := r.to.Role(result.MessageID); taken {
			r.repaired(RepairMessageID)
			again := *result
			again.MessageID = r.to.NewID()
			e, text = &again, nil
			does = protocol.EffectOf(e)
		}
	}
	if len(r.renamed) > 0 {
		if other := r.rename(e); other != e {
			e, text = other, nil
			does = protocol.EffectOf(e)
		}
	}
	return r.relay(e, text, does)
}

// relay hands an event to the run, and makes of a refusal what it means.
func (r *relay) relay(e protocol.Event, text []byte, does protocol.Effect) error {
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
	var order *protocol.SequenceError
	if !errors.As(err, &order) {
		switch e.(type) {
		case *protocol.StateDelta, *protocol.ActivityDelta:
			// Clients leave it aside too.
			r.repaired(RepairDelta)
			return nil
		}
		return r.violation("%s cannot be told", e.Type()).because(err)
	}
	switch {
	case order.Rule == protocol.RuleOpen && does.Verb == protocol.Opens:
		r.repaired(RepairStartAgain)
		return nil
	case order.Rule == protocol.RuleNotOpen && does.Verb == protocol.Ends:
		r.repaired(RepairEndAgain)
		return nil
	}
	return r.violation("it breaks %s: %s", order.Rule, order.Message)
}

// begins finds a message another id whose own is that of another kind of message: deltas
// would be added to that.
func (r *relay) begins(does protocol.Effect) {
	role := protocol.RoleAssistant
	switch does.Family {
	case protocol.FamilyReasoning:
		role = protocol.RoleReasoning
	case protocol.FamilyText:
	default:
		return
	}
	id, own := *does.ID, itemID{does.Family, *does.ID}
	if r.mine[own] || r.renamed[id] != "" {
		return
	}
	held, taken := r.to.Role(id)
	foreign := taken && held != role
	if does.Family == protocol.FamilyText && foreign {
		foreign = held == protocol.RoleUser || held == protocol.RoleTool || held == protocol.RoleActivity
	}
	if !foreign {
		r.mine[own] = true
		return
	}
	r.repaired(RepairMessageID)
	r.renamed[id] = r.to.NewID()
}

// rename is the event with the ids that what it is about has here.
func (r *relay) rename(e protocol.Event) protocol.Event {
	var other protocol.Event // a copy of the event
	var id *string           // in the copy
	switch e := e.(type) {
	case *protocol.TextMessageStart:
		c := *e
		other, id = &c, &c.MessageID
	case *protocol.TextMessageContent:
		c := *e
		other, id = &c, &c.MessageID
	case *protocol.TextMessageEnd:
		c := *e
		other, id = &c, &c.MessageID
	case *protocol.ReasoningMessageStart:
		c := *e
		other, id = &c, &c.MessageID
	case *protocol.ReasoningMessageContent:
		c := *e
		other, id = &c, &c.MessageID
	case *protocol.ReasoningMessageEnd:
		c := *e
		other, id = &c, &c.MessageID
	case *protocol.ToolCallStart:
		if e.ParentMessageID == nil {
			return e
		}
		c, parent := *e, *e.ParentMessageID
		c.ParentMessageID = &parent
		other, id = &c, &parent
	default:
		return e
	}
	here, renamed := r.renamed[*id]
	if !renamed {
		return e
	}
	*id = here
	return other
}

// repeats reports whether a result is one that the thread has, under its id.
func (r *relay) repeats(e *protocol.ToolCallResult) bool {
	if role, _ := r.to.Role(e.MessageID); role != protocol.RoleTool {
		return false
	}
	held, ok := r.to.Message(e.MessageID)
	if !ok || held.ToolCallID != e.ToolCallID || held.Content == nil || !held.Content.IsText() ||
		!e.Content.IsText() || held.Content.String() != e.Content.String() {
		return false
	}
	r.repaired(RepairResultAgain)
	return true
}
