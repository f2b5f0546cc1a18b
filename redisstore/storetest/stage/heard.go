package stage

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/aguiws/aguiws/adapter/store"
)

// Heard collects a node's deliveries.
type Heard struct {
	Mu  sync.Mutex
	All []store.Delivery
}

func Listen(s store.Store) *Heard {
	h := &Heard{}
	s.Listen(func(d store.Delivery) {
		h.Mu.Lock()
		defer h.Mu.Unlock()
		d.Events = slices.Clone(d.Events)
		h.All = append(h.All, d)
	})
	return h
}

// Logged is what was delivered of a thread, as "position:event", by position.
func (h *Heard) Logged(key store.ThreadKey) string {
	h.Mu.Lock()
	defer h.Mu.Unlock()
	var lines []string
	at := map[string]int64{}
	for _, d := range h.All {
		if d.Kind != store.DeliverEvents || d.Thread != key {
			continue
		}
		for i, e := range d.Events {
			line := fmt.Sprintf("%d:%s", d.First+int64(i), e)
			lines = append(lines, line)
			at[line] = d.First + int64(i)
		}
	}
	slices.SortFunc(lines, func(a, b string) int { return int(at[a] - at[b]) })
	return strings.Join(slices.Compact(lines), " ")
}

func (h *Heard) Count(kind store.DeliveryKind, key store.ThreadKey, token string) (n int) {
	h.Mu.Lock()
	defer h.Mu.Unlock()
	for _, d := range h.All {
		if d.Kind == kind && d.Thread == key && d.Token == token {
			n++
		}
	}
	return n
}

// Cancelled are the events of the inputs that were cancelled in the queue.
func (h *Heard) Cancelled(key store.ThreadKey) (all []string) {
	h.Mu.Lock()
	defer h.Mu.Unlock()
	for _, d := range h.All {
		if d.Kind == store.DeliverCancelled && d.Thread == key {
			all = append(all, Text(d.Events))
		}
	}
	return all
}

// End is where the thread's log ends for who was told no more than was delivered.
func (h *Heard) End(key store.ThreadKey) (end store.Position) {
	h.Mu.Lock()
	defer h.Mu.Unlock()
	for _, d := range h.All {
		if d.Kind != store.DeliverEvents || d.Thread != key {
			continue
		}
		if last := d.First + int64(len(d.Events)) - 1; d.Epoch != end.Epoch || last > end.Seq {
			end = store.Position{Epoch: d.Epoch, Seq: last}
		}
	}
	return end
}
