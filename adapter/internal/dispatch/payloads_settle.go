package dispatch

import (
	"bytes"
	"context"

	"github.com/aguiws/aguiws/adapter/store"
)

// settlePayloads forgets payloads that have expired, and those that nothing refers to.
// True: there are more.
func (s *Sweeper) settlePayloads(ctx context.Context) bool {
	due, more, err := s.Store.DuePayloads(ctx)
	if err != nil && ctx.Err() == nil {
		s.Log.Warn("payloads that are due could not be read", "error", err)
	}
	of := map[store.ThreadKey][]store.DuePayload{}
	for _, p := range due {
		if !p.Live {
			of[p.Thread] = append(of[p.Thread], p)
		}
	}
	for key, list := range of {
		if err := s.settle(ctx, key, list); err != nil && ctx.Err() == nil {
			s.Log.Warn("the store could not say what refers to payloads; the server asks again later", "thread", key.Thread, "namespace", key.Namespace, "error", err)
		}
	}
	return more
}

// settle looks for what refers to payloads of a thread, once nothing is under way there:
// an agent may have in hand what it has not told yet.
func (s *Sweeper) settle(ctx context.Context, key store.ThreadKey, list []store.DuePayload) error {
	referred := map[string]bool{}
	look := func(text []byte) {
		for _, p := range list {
			if !referred[p.Digest] && bytes.Contains(text, []byte(p.Digest)) {
				referred[p.Digest] = true
			}
		}
	}
	// First: what is restored meanwhile is in the thread.
	if err := s.lookAtBranches(ctx, key, look); err != nil {
		return err
	}
	view, err := s.Store.Read(ctx, key, store.ReadQuery{})
	if err != nil {
		return err
	}
	if view.Active != nil || view.Suspension != nil || view.QueueLength > 0 {
		return nil
	}
	look(view.Snapshot.State)
	for _, m := range view.Snapshot.Messages {
		look(m)
	}
	for _, e := range view.Log {
		look(e)
	}
	for at := view.Base; at <= view.From && len(referred) < len(list); {
		page, err := s.Store.Range(ctx, key, view.Epoch, at, 256)
		if err != nil {
			return err
		}
		if page.Status != store.RangeOK || len(page.Events) == 0 {
			return nil // it has moved on: the payloads come due again
		}
		for _, e := range page.Events {
			look(e)
		}
		at += int64(len(page.Events))
	}
	for _, p := range list {
		if err := s.Store.SettlePayload(ctx, p, referred[p.Digest]); err != nil {
			return err
		}
	}
	return nil
}

// lookAtBranches shows what rewinds took out of a thread: it may be restored.
func (s *Sweeper) lookAtBranches(ctx context.Context, key store.ThreadKey, look func([]byte)) error {
	branches, err := s.Store.Branches(ctx, key)
	for _, b := range branches {
		messages, err := s.Store.BranchMessages(ctx, key, b.ID)
		if err != nil {
			return err
		}
		look(messages)
	}
	return err
}
