package execution

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/internal/canonical"
	"github.com/aguiws/aguiws/adapter/internal/event"
	"github.com/aguiws/aguiws/adapter/internal/journal"
	"github.com/aguiws/aguiws/adapter/internal/responseschema"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
)

func (l *line) Ask(ctx context.Context, interrupts []protocol.Interrupt, calls []store.SuspendedCall, login *store.Login) (*store.JournalEntry, []store.SuspendedCall, error) {
	return l.ask(ctx, journal.AskKey, interrupts, calls, login, nil)
}

func (l *line) Sleep(ctx context.Context, until protocol.Interrupt) (*store.JournalEntry, error) {
	answer, _, err := l.ask(ctx, journal.SleepKey, []protocol.Interrupt{until}, nil, nil, nil)
	return answer, err
}

func (l *line) Event(ctx context.Context, name string) (adapter.EventKey, error) {
	x, s := l.x, l.s
	x.mu.Lock()
	defer x.mu.Unlock()
	if err := x.closed(); err != nil {
		return adapter.EventKey{}, err
	}
	if where := x.inside(ctx, s); where != "" {
		return adapter.EventKey{}, fmt.Errorf("adapter: Event inside %s: %w: make the event before", where, errInside)
	}
	of := event.Wait{Thread: x.Claim.Thread, Execution: x.id, Key: s.number(journal.EventKey + name)}
	token := of.Token(x.node.Store.Secret())
	if len(token) > event.MaxToken {
		return adapter.EventKey{}, fmt.Errorf("adapter: Event: the ids of the thread are too long: the token would have %d bytes, more than %d", len(token), event.MaxToken)
	}
	return adapter.EventKey{Journal: of.Key, Token: token, URL: x.node.Options.PublicURL + adapter.EventsPath + token}, nil
}

func (l *line) AwaitEvent(ctx context.Context, key string, until protocol.Interrupt) (*store.JournalEntry, error) {
	answer, _, err := l.ask(ctx, key, []protocol.Interrupt{until}, nil, nil, nil)
	return answer, err
}

// ask is numbered by kind, which is a key's name, or a wait's for an event that has a number.
func (l *line) ask(ctx context.Context, kind string, interrupts []protocol.Interrupt, calls []store.SuspendedCall, login *store.Login, child *store.Child) (*store.JournalEntry, []store.SuspendedCall, error) {
	answer, kept, err := l.askOnce(ctx, kind, interrupts, calls, login, child)
	if errors.Is(err, adapter.ErrSuspended) && l.x.blocking() && l.x.parked.scope == l.s {
		return l.wait(calls)
	}
	return answer, kept, err
}

func (l *line) askOnce(ctx context.Context, kind string, interrupts []protocol.Interrupt, calls []store.SuspendedCall, login *store.Login, child *store.Child) (*store.JournalEntry, []store.SuspendedCall, error) {
	x, s := l.x, l.s
	x.mu.Lock()
	defer x.mu.Unlock()
	if err := x.closed(); err != nil {
		return nil, nil, err
	}
	if x.leaving {
		return nil, nil, ErrHandBack
	}
	interrupts = slices.Clone(interrupts)
	if where := x.inside(ctx, s); where != "" {
		return nil, nil, fmt.Errorf("adapter: Ask inside %s: %w: gather the questions, then Ask once", where, errInside)
	}
	if len(interrupts) == 0 {
		return nil, nil, errors.New("adapter: Ask without an interrupt")
	}
	refs := make([]string, len(interrupts))
	for i := range interrupts {
		refs[i], interrupts[i].ID = interrupts[i].ID, ""
		if _, told, err := protocol.ReadTime(interrupts[i].ExpiresAt); err == nil {
			interrupts[i].ExpiresAt = told
		}
		if err := checkInterrupt(ctx, interrupts[i], &x.node.Schemas); err != nil {
			return nil, nil, fmt.Errorf("adapter: Ask: interrupt %d: %w", i, err)
		}
		if err := checkExpiry(ctx, x.node, interrupts[i]); err != nil {
			return nil, nil, fmt.Errorf("adapter: Ask: interrupt %d: %w", i, err)
		}
	}
	asked, err := canonical.Digest(struct {
		Interrupts []protocol.Interrupt
		Calls      []store.SuspendedCall
		Login      *store.Login `json:",omitempty"`
		Child      *store.Child `json:",omitempty"`
	}{interrupts, calls, login, child})
	if err != nil {
		return nil, nil, err
	}
	key := kind
	if !strings.HasPrefix(kind, journal.EventKey) {
		key = s.number(kind)
	}
	recorded := s.next()
	if recorded == nil {
		if err := x.shows(interrupts, calls); err != nil {
			return nil, nil, err
		}
		if x.blocking() {
			x.park(s)
		}
		err := x.suspend(&store.JournalEntry{Kind: store.EntryAsk, Scope: s.name, Key: key, Digest: asked, Calls: calls, Login: login, Child: child}, interrupts, refs, nil)
		if x.blocking() && !errors.Is(err, adapter.ErrSuspended) {
			x.Parking.Dismiss(x.id)
		}
		return nil, nil, err
	}
	if recorded.Kind != store.EntryAsk || recorded.Key != key {
		return nil, nil, x.seal(&adapter.DivergedError{Journaled: recorded.String(), Replayed: key})
	}
	if asked != recorded.Digest {
		return nil, nil, x.seal(&adapter.DivergedError{Replayed: key + " asks something else than what was answered"})
	}
	answer := x.journal.Answers[recorded]
	if answer == nil {
		return nil, nil, x.seal(&adapter.DivergedError{Journaled: recorded.String() + " without an answer", Replayed: key})
	}
	s.cursor++
	return answer, recorded.Calls, nil
}

// checkInterrupt refuses what clients could not answer.
func checkInterrupt(ctx context.Context, i protocol.Interrupt, schemas *responseschema.Set) error {
	if err := i.CheckReason(); err != nil {
		return err
	}
	if _, _, err := protocol.ReadTime(i.ExpiresAt); err != nil {
		return fmt.Errorf("expiresAt %.64q: %w", i.ExpiresAt, err)
	}
	if !i.ResponseSchema.IsZero() {
		if err := schemas.Compile(ctx, i.ResponseSchema); err != nil {
			return err
		}
	}
	return nil
}

func (l *line) Askable(ctx context.Context, i protocol.Interrupt) error {
	if err := checkInterrupt(ctx, i, &l.x.node.Schemas); err != nil {
		return err
	}
	return checkExpiry(ctx, l.x.node, i)
}

func (l *line) Fits(ctx context.Context, i protocol.Interrupt, payload json.RawMessage) bool {
	if i.ResponseSchema.IsZero() {
		return true
	}
	problems, err := l.x.node.Schemas.CheckWithin(ctx, new(responseschema.Budget), i.ResponseSchema, payload)
	return err == nil && len(problems) == 0
}
