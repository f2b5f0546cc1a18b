package adapter

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"time"

	"github.com/aguiws/aguiws/adapter/internal/lifecycle"
	"github.com/aguiws/aguiws/protocol"
)

// ErrEventExpired is what Event.Wait returns if the event did not come in time.
var ErrEventExpired = errors.New("the event did not come in time")

// EventsPath is where servers take events: a token follows it.
const EventsPath = "/v1/events/"

// Event is something that another system will tell the run, which Wait waits for.
type Event struct {
	Name string
	// Token is what the other system shows. Whoever has it can send the event, and nobody
	// else. It tells nothing of the thread.
	Token string
	// URL takes the event as a POST. It is a path unless runner.Options.PublicURL is set.
	URL string

	run    *Run
	key    string
	schema protocol.Any
	waited bool
}

// EventKey is how an execution calls an event.
type EventKey struct{ Journal, Token, URL string }

var eventName = regexp.MustCompile(`^[A-Za-z0-9._-]{1,64}$`)

// Event makes an event that the run can wait for, and suspends nothing. The agent hands
// Event.URL to another system, in a Step, and then waits. A replay that makes events in the
// same order gets the same tokens. The name has 1 to 64 letters, digits, dots, dashes and
// underscores; two events of a run may have the same. What is sent must fit the JSON Schema;
// with none, any JSON is taken. Event is an error inside of a Step and of a branch of
// Parallel.
func (r *Run) Event(ctx context.Context, name string, schema json.RawMessage) (*Event, error) {
	if !eventName.MatchString(name) {
		return nil, fmt.Errorf("adapter: the event's name %.80q: must be 1 to 64 letters, digits, dots, dashes and underscores", name)
	}
	e := &Event{Name: name, run: r, schema: protocol.Any(schema)}
	if err := r.x.Askable(ctx, e.interrupt(time.Time{})); err != nil {
		return nil, fmt.Errorf("adapter: the event %q: %w", name, err)
	}
	key, err := r.x.Event(ctx, name)
	if err != nil {
		return nil, err
	}
	e.key, e.Token, e.URL = key.Journal, key.Token, key.URL
	return e, nil
}

// Wait suspends the run as Ask does until the event comes, and returns what was sent. It
// returns ErrSuspended, which the agent must return: nothing of the agent stays in memory.
// When the event has come, the agent is called again and the same Wait returns it. If it has
// not come by the time until, by the store's clock and to the millisecond, Wait is
// ErrEventExpired. The zero time waits for as long as runner.Options.MaxPark allows. If the
// wait is cancelled, Wait is ErrWaitCancelled.
//
// Clients see an interrupt of ReasonEvent, which they cannot resolve. An event that is sent
// before the run waits is refused as too early, and has to be sent again: an agent that hands
// out the URL waits soon. An event is waited for once.
//
// A replay must come to the same time: count it from Run.Now or from a step's result. Wait is
// called where Ask may be, outside of a Step and of a branch of Parallel.
func (e *Event) Wait(ctx context.Context, until time.Time) (json.RawMessage, error) {
	if e.waited {
		return nil, fmt.Errorf("adapter: the event %q was waited for: make another one", e.Name)
	}
	answer, err := e.run.x.AwaitEvent(ctx, e.key, e.interrupt(until))
	if err != nil {
		return nil, err
	}
	e.waited = true
	switch a := answersOf(answer).Of[0]; {
	case a.Expired():
		return nil, ErrEventExpired
	case a.entry.Status != protocol.ResumeResolved:
		return nil, ErrWaitCancelled
	case a.entry.Payload.IsZero():
		return json.RawMessage("null"), nil
	default:
		return json.RawMessage(a.entry.Payload), nil
	}
}

func (e *Event) interrupt(until time.Time) protocol.Interrupt {
	i := protocol.Interrupt{Reason: ReasonEvent, Message: fmt.Sprintf("The run waits for the event %s.", e.Name), ResponseSchema: e.schema}
	if !until.IsZero() {
		i.ExpiresAt = until.UTC().Truncate(time.Millisecond).Format(time.RFC3339Nano)
		i.Message = fmt.Sprintf("The run waits for the event %s until %s.", e.Name, i.ExpiresAt)
	}
	return OnExpiry(lifecycle.WithOwn(i, "event", e.Name), Expiry{Policy: ExpiryCancel})
}
