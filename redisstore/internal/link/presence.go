package link

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/redis/go-redis/v9"
)

// Presence is the channels by which other nodes see whose runs this one takes.
// No message is ever sent on them: that they are subscribed to says it all, and ends with
// the process, however that ends.
type Presence struct {
	conn   *Connection
	asking sync.Mutex // held while something is sent; nothing is, while mu is held

	mu      sync.Mutex
	wanted  map[string]bool
	sub     *redis.PubSub   // nil between two subscriptions
	asked   map[string]bool // what sub has when the server has confirmed all
	pending int             // confirmations that have not come
	changed chan struct{}   // closed at the next change; nil when nobody waits
}

// NewPresence offers nothing yet.
func NewPresence(c *Connection) *Presence { return &Presence{conn: c} }

// change tells those who wait. The lock is held.
func (p *Presence) change() {
	if p.changed != nil {
		close(p.changed)
		p.changed = nil
	}
}

// upToDate reports whether the server has confirmed what is wanted; until then, what
// to wait for.
func (p *Presence) upToDate() (bool, <-chan struct{}) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.sub != nil && p.pending == 0 {
		return true, nil
	}
	if p.changed == nil {
		p.changed = make(chan struct{})
	}
	return false, p.changed
}

// lacks are the names of a set that another does not have.
func lacks(other, set map[string]bool) []string {
	var names []string
	for name := range set {
		if !other[name] {
			names = append(names, name)
		}
	}
	return names
}

// want makes the subscription one of these channels. A subscription that cannot be
// told ends, and the next one begins with them.
func (p *Presence) want(ctx context.Context, names map[string]bool) {
	p.asking.Lock()
	defer p.asking.Unlock()
	p.mu.Lock()
	p.wanted = names
	sub, fresh, stale := p.sub, lacks(p.asked, names), lacks(names, p.asked)
	if sub != nil {
		p.asked, p.pending = names, p.pending+len(fresh)+len(stale)
	}
	p.mu.Unlock()
	if sub == nil {
		return
	}
	var err error
	if len(fresh) > 0 {
		err = sub.Subscribe(ctx, fresh...)
	}
	if len(stale) > 0 && err == nil {
		err = sub.Unsubscribe(ctx, stale...)
	}
	if err != nil {
		_ = sub.Close()
	}
}

// names are the channels that a new subscription is to have.
func (p *Presence) names() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return lacks(nil, p.wanted)
}

// joined notes a subscription that has these channels; false when others are wanted
// by now.
func (p *Presence) joined(sub *redis.PubSub, names []string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(names) != len(p.wanted) || slices.ContainsFunc(names, func(name string) bool { return !p.wanted[name] }) {
		return false
	}
	p.sub, p.asked, p.pending = sub, p.wanted, 0
	p.change()
	return true
}

// confirmed notes that the server has done one thing that it was asked for.
func (p *Presence) confirmed() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.pending--
	p.change()
}

// parted notes that the subscription is over.
func (p *Presence) parted() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.sub, p.asked = nil, nil
}

// Offer implements store.Presence.
func (p *Presence) Offer(ctx context.Context, agents []string) error {
	ctx, cancel := context.WithTimeout(ctx, p.conn.Settings.Timeout)
	defer cancel()
	names := make(map[string]bool, len(agents))
	for _, agent := range agents {
		names[p.conn.Keys.Takes(agent)] = true
	}
	p.want(ctx, names)
	for {
		done, changed := p.upToDate()
		if done {
			return nil
		}
		select {
		case <-changed:
		case <-p.conn.Closing:
			return ErrClosed
		case <-ctx.Done():
			return Error("offer", ctx.Err())
		}
	}
}

// Takers implements store.Presence. In Cluster a subscription is known to the server
// that has it and to no other, so all are asked; one that does not answer leaves open
// whether a number that is 0 is more.
func (p *Presence) Takers(ctx context.Context, agents []string) ([]int, error) {
	if err := p.conn.Usable(); err != nil || len(agents) == 0 {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, p.conn.Settings.Timeout)
	defer cancel()
	names := make([]string, len(agents))
	for i, agent := range agents {
		names[i] = p.conn.Keys.Takes(agent)
	}
	var mu sync.Mutex
	takers := make([]int, len(agents))
	one := func(ctx context.Context, c redis.UniversalClient) error {
		found, err := c.PubSubNumSub(ctx, names...).Result()
		if err != nil {
			return Error("takers", err)
		}
		mu.Lock()
		defer mu.Unlock()
		for i, name := range names {
			takers[i] += int(found[name])
		}
		return nil
	}
	var err error
	if c, ok := p.conn.Client.(*redis.ClusterClient); ok {
		err = c.ForEachShard(ctx, func(ctx context.Context, c *redis.Client) error { return one(ctx, c) })
	} else {
		err = one(ctx, p.conn.Client)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for i, name := range names {
		if p.asked[name] && takers[i] > 0 {
			takers[i]-- // this node
		}
	}
	if err != nil && slices.Contains(takers, 0) {
		return nil, fmt.Errorf("redisstore: counting the nodes that take runs: %w", err)
	}
	return takers, nil
}
