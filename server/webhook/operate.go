package webhook

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
)

// Status is how it goes with a target.
type Status struct {
	Name   string
	Host   string // where it is, without what may be secret
	Kinds  []store.NoticeKind
	Tenant string // "": all
	Agents []string
	// Gone is since when the target wants no more; zero: it does.
	Gone    time.Time
	Failure Failure // as this node has met it
	Counts  store.WebhookCounts
}

// ErrNoTarget is returned for a name that is none of a target.
var ErrNoTarget = errors.New("webhook: there is no such target")

// Targets returns the targets as they are configured, without asking the store.
func (s *Sender) Targets() (list []Status) {
	for _, l := range s.order {
		list = append(list, l.status())
	}
	return list
}

// Status returns how it goes with all targets. Some counts, beside an error that wraps
// store.ErrPartial.
func (s *Sender) Status(ctx context.Context) (list []Status, err error) {
	states, err := s.store.UseTargets(ctx, nil)
	if err != nil {
		return nil, err
	}
	for _, l := range s.order {
		status := l.status()
		if state := states[l.target.Name]; state.Gone == l.configuration {
			status.Gone = state.GoneAt
		}
		var counted error
		if status.Counts, counted = s.store.CountWebhooks(ctx, l.target.Name); counted != nil && !errors.Is(counted, store.ErrPartial) {
			return nil, counted
		}
		err = errors.Join(err, counted)
		list = append(list, status)
	}
	return list, err
}

func (l *line) status() Status {
	return Status{Name: l.target.Name, Host: l.target.Host(), Kinds: slices.Clone(l.target.Kinds), Tenant: l.target.Tenant, Agents: slices.Clone(l.target.Agents), Failure: l.streak.failing()}
}

// Dead pages through what was given up of a target: see store.Webhooks.
func (s *Sender) Dead(ctx context.Context, q store.DeadWebhookQuery) (store.DeadWebhookPage, error) {
	if s.lines[q.Target] == nil {
		return store.DeadWebhookPage{}, ErrNoTarget
	}
	return s.store.DeadWebhooks(ctx, q)
}

// Resend lets one that was given up be sent again, and reports whether it waits for that.
func (s *Sender) Resend(ctx context.Context, target, tenant, id string) (bool, error) {
	l := s.lines[target]
	if l == nil {
		return false, ErrNoTarget
	}
	ok, err := s.store.ResendWebhook(ctx, target, tenant, id)
	if ok {
		l.poke()
	}
	return ok, err
}

// Enable lets a target get webhooks again that has answered 410. Other nodes learn it
// within a minute.
func (s *Sender) Enable(ctx context.Context, target string) error {
	l := s.lines[target]
	if l == nil {
		return ErrNoTarget
	}
	if err := s.store.ReviveTarget(ctx, target); err != nil {
		return err
	}
	l.learn(false)
	return nil
}
