package redisstore

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/internal/keyspace"
	"github.com/aguiws/aguiws/redisstore/internal/link"
	"github.com/aguiws/aguiws/redisstore/lua"
)

// keepDead is for how long dead webhooks are kept.
const keepDead = 30 * 24 * time.Hour

// webhooks is what targets are owed. A group for each target says which of a partition's
// notices it has not looked at yet. Notices that the target wants are copied to what it is
// owed at once and acknowledged. The group therefore never has anything pending, and none
// of it has to be looked after there. Trimming the notices takes from no target what it is
// owed.
type webhooks struct {
	conn *link.Connection
	most int // webhooks of a target that a partition may have
}

// groupOf names a target's group.
func groupOf(target string) string { return "webhook:" + target }

// onAll runs a script on all partitions, and returns the answers of those that answer,
// by partition.
func (s *webhooks) onAll(ctx context.Context, make func(p *keyspace.Partition) link.Call) ([]*link.Reply, error) {
	var calls []link.Call
	for i := range s.conn.Keys.Parts {
		calls = append(calls, make(&s.conn.Keys.Parts[i]))
	}
	replies, errs := s.conn.RunAll(ctx, calls)
	for i, err := range errs {
		if err != nil {
			replies[i] = nil
		}
	}
	return replies, s.conn.Missing(errs)
}

// TakeWebhooks implements store.Webhooks. It asks those partitions for webhooks that have
// said that some are due.
func (s *webhooks) TakeWebhooks(ctx context.Context, t store.WebhookTake) (taken store.WebhooksTaken, err error) {
	replies, partial := s.onAll(ctx, func(p *keyspace.Partition) link.Call { return s.readCall(p, t) })
	if link.Most(partial) != nil {
		return taken, fmt.Errorf("redisstore: webhooks: %w", partial)
	}
	taken.Next = -1
	soon := func(d time.Duration) {
		if taken.Next < 0 || d < taken.Next {
			taken.Next = d
		}
	}
	var parts []*keyspace.Partition
	var calls []link.Call
	// One comes first at random, so that a small limit starves none.
	left, from := t.Limit, rand.IntN(len(replies))
	for i := range replies {
		at := (from + i) % len(replies)
		r := replies[at]
		if r == nil {
			continue
		}
		due, next, more := int(r.Int()), r.Int(), r.Bool()
		if r.Err != nil {
			return taken, r.Err
		}
		if more || due > left {
			soon(0)
		} else if due == 0 && next >= 0 {
			soon(time.Duration(next) * time.Millisecond)
		}
		if n := min(due, left); n > 0 {
			left -= n
			p := &s.conn.Keys.Parts[at]
			h := p.Target(t.Target)
			parts = append(parts, p)
			calls = append(calls, link.Call{Script: lua.HookTake, Keys: []string{h.Due, h.Items, h.Tries},
				Args: lua.Args{{"limit", n}, {"hold", t.Hold.Milliseconds()}}})
		}
	}
	if len(calls) == 0 {
		return taken, partial
	}
	replies, errs := s.conn.RunAll(ctx, calls)
	for i, r := range replies {
		if errs[i] == nil {
			taken.Webhooks = append(taken.Webhooks, s.readTaken(ctx, parts[i], t.Target, r)...)
			errs[i] = r.Err
		}
	}
	err = s.conn.Missing(errs)
	switch {
	case err == nil || link.Most(err) == nil && partial != nil:
		return taken, partial
	case link.Most(err) != nil && len(taken.Webhooks) > 0: // which are held
		return taken, fmt.Errorf("%w: %w", store.ErrPartial, err)
	}
	return taken, err
}

func (s *webhooks) readCall(p *keyspace.Partition, t store.WebhookTake) link.Call {
	h, from := p.Target(t.Target), "$"
	if t.FromStart {
		from = "0"
	}
	kinds := make([]string, len(t.Kinds))
	for i, k := range t.Kinds {
		kinds[i] = string(k)
	}
	return link.Call{Script: lua.HookRead, Keys: []string{p.Notices, h.Due, h.Items}, Args: lua.Args{
		{"group", groupOf(t.Target)}, {"from", from}, {"most", s.most}, {"kinds", between(kinds)}, {"agents", between(t.Agents)}, {"tenant", t.Tenant}}}
}

// between writes a list with a comma before and behind each.
func between(list []string) string {
	if len(list) == 0 {
		return ""
	}
	return "," + strings.Join(list, ",") + ","
}

// readTaken reads what was taken. A webhook that cannot be read can be sent to nobody, and
// is dead.
func (s *webhooks) readTaken(ctx context.Context, p *keyspace.Partition, target string, r *link.Reply) (list []store.Webhook) {
	at, held := r.Time(), strconv.FormatInt(r.Int(), 10)
	for r.More() {
		id, fields, tries := r.Text(), r.Text(), r.Text()
		notice, err := itemNotice(s.conn.Keys, p, id, fields)
		tried, bad := readTries(tries)
		if bad != nil {
			s.conn.Settings.Logger.Error("the tries of a webhook cannot be read: the webhook counts as not tried yet", "target", target, "id", notice.ID, "error", bad)
			tried = store.WebhookTries{}
		}
		if err != nil {
			s.conn.Settings.Logger.Error("a webhook cannot be read and is given up", "target", target, "id", notice.ID, "error", err)
			tried = store.WebhookTries{Count: tried.Count + 1, First: cmp.Or(tried.First, at), Last: at, Error: link.Cut(err.Error(), reasonTold)}
			// A webhook for which this fails is taken again when its hold is over.
			if err := s.settle(ctx, p, target, id, store.WebhookResult{Hold: held, Kind: store.WebhookDead, Tries: tried}); err != nil {
				s.conn.Settings.Logger.Error("a webhook cannot be given up", "target", target, "id", notice.ID, "error", err)
			}
			continue
		}
		list = append(list, store.Webhook{Notice: notice, Hold: held, Taken: at, Tries: tried})
	}
	return list
}

// itemNotice reads a notice as a target is owed it: its fields, packed. It
// returns what it can read of a notice that cannot be read whole.
func itemNotice(k *keyspace.Space, p *keyspace.Partition, id, fields string) (store.Notice, error) {
	list, err := link.Unpack(fields)
	if err != nil {
		return store.Notice{ID: noticeID(p.Index, id)}, fmt.Errorf("%w: %w", store.ErrCorrupted, err)
	}
	v := map[string]string{}
	for i := 0; i+1 < len(list); i += 2 {
		v[list[i]] = list[i+1]
	}
	n, err := noticeOf(p.Index, id, v)
	if err == nil && n.Kind == "" {
		err = fmt.Errorf("%w: a notice tells nothing", store.ErrCorrupted)
	}
	if _, _, ok := noticeAt(k, noticeID(p.Index, id)); err == nil && !ok {
		err = fmt.Errorf("%w: %q is no id of a notice", store.ErrCorrupted, id)
	}
	return n, err
}

// writeTries keeps what a webhook's tries came to; "": there were none.
func writeTries(t store.WebhookTries) string {
	if t.Count == 0 {
		return ""
	}
	return string(link.Pack(nil, fmt.Sprint(t.Count), fmt.Sprint(t.First.UnixMilli()), fmt.Sprint(t.Last.UnixMilli()), t.Error))
}

func readTries(s string) (t store.WebhookTries, err error) {
	if s == "" {
		return t, nil
	}
	items, err := link.Unpack(s)
	if err != nil {
		return t, fmt.Errorf("%w: %w", store.ErrCorrupted, err)
	}
	r := &link.Reply{Name: "tries"}
	for _, item := range items {
		r.Items = append(r.Items, item)
	}
	t = store.WebhookTries{Count: int(r.Int()), First: r.Time(), Last: r.Time(), Error: r.Text()}
	return t, r.Err
}

// SettleWebhook implements store.Webhooks.
func (s *webhooks) SettleWebhook(ctx context.Context, target string, r store.WebhookResult) error {
	p, id, ok := noticeAt(s.conn.Keys, r.ID)
	if !ok {
		return fmt.Errorf("redisstore: webhooks: %q is no notice", r.ID)
	}
	return s.settle(ctx, p, target, id, r)
}

func (s *webhooks) settle(ctx context.Context, p *keyspace.Partition, target, id string, r store.WebhookResult) error {
	h := p.Target(target)
	_, err := s.conn.Run(ctx, link.Call{Script: lua.HookSettle, Keys: []string{h.Due, h.Items, h.Tries, h.Dead}, Args: lua.Args{
		{"id", id}, {"held", r.Hold}, {"result", int(r.Kind)}, {"delay", r.Delay.Milliseconds()}, {"said", writeTries(r.Tries)}, {"most", s.most}}})
	return err
}

// CountWebhooks implements store.Webhooks. Dead ones that are past their time go with it.
func (s *webhooks) CountWebhooks(ctx context.Context, target string) (c store.WebhookCounts, err error) {
	replies, err := s.onAll(ctx, func(p *keyspace.Partition) link.Call {
		h := p.Target(target)
		return link.Call{Script: lua.HookCounts, Keys: []string{h.Due, h.Items, h.Tries, h.Dead}, Args: lua.Args{{"keep", keepDead.Milliseconds()}}}
	})
	for _, r := range replies {
		if r != nil {
			c.Waiting, c.Failed, c.Dead = c.Waiting+int(r.Int()), c.Failed+int(r.Int()), c.Dead+int(r.Int())
			err = cmp.Or(err, r.Err)
		}
	}
	c.Most = s.most * len(s.conn.Keys.Parts)
	return c, err
}

// UseTargets implements store.Webhooks.
func (s *webhooks) UseTargets(ctx context.Context, names []string) (map[string]store.TargetState, error) {
	return s.targets(ctx, targetsChange{used: names})
}

// TargetGone implements store.Webhooks.
func (s *webhooks) TargetGone(ctx context.Context, name, configuration string) error {
	_, err := s.targets(ctx, targetsChange{gone: name, configuration: configuration})
	return err
}

// ReviveTarget implements store.Webhooks.
func (s *webhooks) ReviveTarget(ctx context.Context, name string) error {
	_, err := s.targets(ctx, targetsChange{revived: name})
	return err
}

// ForgetTarget implements store.Webhooks. Its state goes last, so that who finds it there
// knows that the rest is.
func (s *webhooks) ForgetTarget(ctx context.Context, name string, was store.TargetState) error {
	now, err := s.UseTargets(ctx, nil)
	if err != nil || !now[name].Used.Equal(was.Used) {
		return err
	}
	_, err = s.onAll(ctx, func(p *keyspace.Partition) link.Call {
		h := p.Target(name)
		return link.Call{Script: lua.HookForget, Keys: []string{p.Notices, h.Due, h.Items, h.Tries, h.Dead}, Args: lua.Args{{"group", groupOf(name)}}}
	})
	if err != nil {
		return err
	}
	_, err = s.targets(ctx, targetsChange{forgotten: name, was: was.Used.UnixMilli()})
	return err
}

// targetsChange is what is to be noted of targets.
type targetsChange struct {
	gone, configuration, revived, forgotten string
	was                                     int64
	used                                    []string
}

func (s *webhooks) targets(ctx context.Context, change targetsChange) (map[string]store.TargetState, error) {
	c := link.Call{Script: lua.Targets, Keys: []string{s.conn.Keys.Targets()}, Args: lua.Args{{"gone", change.gone}, {"configuration", change.configuration},
		{"revived", change.revived}, {"forgotten", change.forgotten}, {"used", change.was}}}
	for _, name := range change.used {
		c.Rest = append(c.Rest, name)
	}
	r, err := s.conn.Run(ctx, c)
	if err != nil {
		return nil, err
	}
	states, now := map[string]store.TargetState{}, r.Time()
	fields := r.List()
	for fields.More() {
		name, kind, _ := strings.Cut(fields.Text(), ":")
		state := states[name]
		switch kind {
		case "":
			state.Used = fields.Time()
			state.Idle = now.Sub(state.Used)
		case "gone":
			state.Gone = fields.Text()
		case "since":
			state.GoneAt = fields.Time()
		default:
			fields.Text()
		}
		states[name] = state
	}
	return states, errors.Join(r.Err, fields.Err)
}
