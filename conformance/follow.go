package conformance

import (
	"bytes"
	"context"
	"fmt"

	agui "github.com/aguiws/aguiws/client"
)

// sweep follows the client's thread, which is at rest, from each of its positions,
// each time on a page of its own: it must get the events after that position, the
// bytes that the client got, and no other.
func (t *trial) sweep(ctx context.Context, c *client) error {
	if c.current != nil {
		if _, err := c.current.drain(ctx); err != nil {
			return failf("%v", err)
		}
	}
	at := c.standing()
	if at == nil {
		return failf("client %s was never told a position", c.name)
	}
	logged := map[int64][]byte{}
	for _, x := range c.asked {
		for _, got := range x.items.sofar() {
			if got.position > 0 {
				logged[got.position] = got.data
			}
		}
	}
	for from := int64(0); from <= at.Seq; from++ {
		page := newClient(fmt.Sprintf("%s%d", c.name, from), t.target.Over, t.trace)
		page.at = &agui.Position{Epoch: at.Epoch, Seq: from}
		if err := t.sweepFrom(ctx, page, at, from, logged); err != nil {
			return fmt.Errorf("from position %d: %w", from, err)
		}
	}
	return nil
}

func (t *trial) sweepFrom(ctx context.Context, page *client, at *agui.Position, from int64, logged map[int64][]byte) error {
	if err := t.connect(page, dialing{Subprotocols: []string{subprotocol}}); err != nil {
		return err
	}
	defer page.conn.close()
	x := &exchange{c: page, items: newQueue[item](), untilLive: true}
	page.quiet = true // its fold has no beginning
	if err := page.conn.follow(t.vars["thread"].(string), &agui.Position{Epoch: at.Epoch, Seq: from}, x); err != nil {
		return err
	}
	items, err := x.drain(ctx)
	if err != nil {
		return failf("%v", err)
	}
	if int64(len(items)) != at.Seq-from {
		return failf("%d events came, and there are %d", len(items), at.Seq-from)
	}
	for i, got := range items {
		want := logged[from+int64(i)+1]
		if got.position != from+int64(i)+1 {
			return failf("the event %d came at position %d", from+int64(i)+1, got.position)
		}
		if want != nil && !bytes.Equal(got.data, want) {
			return failf("the event %d was %s, and is now %s", got.position, clip(want, 300), clip(got.data, 300))
		}
	}
	return nil
}

// hop follows a run that another page has asked for, loses the connection after
// every event, waits until the other has got more, and goes on from where it was. It
// must get every event once.
func (t *trial) hop(ctx context.Context, c, other *client) error {
	if other.current == nil {
		return fmt.Errorf("client %s has asked for nothing", other.name)
	}
	if err := t.send(ctx, c, "follow"); err != nil {
		return err
	}
	for hops := 0; ; hops++ {
		got, there, err := c.current.items.take(ctx)
		switch {
		case err != nil:
			return failf("after %d hops: %v", hops, err)
		case there && got.kind == rejected:
			return failf("after %d hops client %s is refused: %s", hops, c.name, brief(got.value))
		case there && hops < maxHops:
			if err := t.send(ctx, c, "drop"); err != nil {
				return err
			}
			if c.resting() {
				return nil
			}
			if err := other.current.items.beyond(ctx, len(other.current.items.sofar())); err != nil {
				return failf("client %s: %v", other.name, err)
			}
			how := "continue"
			if c.standing() == nil {
				how = "follow" // so far it was only restated
			}
			if err := t.send(ctx, c, how); err != nil {
				return err
			}
		case !there:
			if hops == 0 {
				return fmt.Errorf("the run was over before it was followed")
			}
			return nil
		}
	}
}

// maxHops and maxSwarm bound how often a case connects for one run.
const (
	maxHops  = 60
	maxSwarm = 40
)

// swarm opens a page of its own after every event of the run that the client has
// asked for: each is told where the run stands and follows it to its end, and all
// hold the same in the end.
func (t *trial) swarm(ctx context.Context, c *client) error {
	var pages []*client
	for {
		_, there, err := c.current.items.take(ctx)
		if err != nil {
			return failf("%v", err)
		}
		if !there {
			break
		}
		if len(pages) == maxSwarm {
			continue
		}
		page := t.client(fmt.Sprintf("%s%d", c.name, len(pages)))
		if err := t.send(ctx, page, "follow"); err != nil {
			return err
		}
		pages = append(pages, page)
	}
	if len(pages) == 0 {
		return failf("the run had no event at which a page could come in")
	}
	names := []string{c.name}
	for _, page := range pages {
		names = append(names, page.name)
	}
	return t.agree(ctx, names)
}

// resting reports whether the page holds the end of a run.
func (c *client) resting() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, run, active := c.fold.Run()
	return run != "" && !active
}
