package conformance

import (
	"context"
	"fmt"
	"time"
)

// apart wants the latest runs of two clients not to have been active at once: the
// later one begins when the earlier one is over. Their events come on connections of
// their own, so the end of the one may be read a little after the beginning of the
// other. Runs that were active at once are seen to have been so for long: a case must
// make them long enough.
func (t *trial) apart(ctx context.Context, names []string) error {
	if len(names) != 2 {
		return fmt.Errorf("apart A B")
	}
	var runs [2]span
	for i, name := range names {
		c := t.client(name)
		if c.current == nil {
			return fmt.Errorf("client %s has asked for nothing", name)
		}
		items, err := c.current.drain(ctx)
		if err != nil {
			return failf("client %s: %v", name, err)
		}
		if len(items) == 0 {
			return failf("client %s got no event", name)
		}
		runs[i] = span{items[0].came, items[len(items)-1].came}
	}
	first, second := runs[0], runs[1]
	if second.from.Before(first.from) {
		first, second = second, first
	}
	if middle := first.from.Add(first.to.Sub(first.from) / 2); second.from.Before(middle) {
		return failf("the one run lasted %v, and the other began %v after it had begun", first.to.Sub(first.from), second.from.Sub(first.from))
	}
	return nil
}

// span is when the events of a run came.
type span struct{ from, to time.Time }
