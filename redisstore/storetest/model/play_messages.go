package model

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/storetest/stage"
)

// place is where a window or a page began: a cursor, the message there, and which cuts there
// had been in the order when it was made.
type place struct {
	cursor, id string
	cuts       int
}

// placesKept is how many places of a thread are asked for later on.
const placesKept = 6

// messageIDs are those of a thread's messages. In a few threads they are so long that no
// store keeps many together.
func (p *player) messageIDs() []string {
	ids := []string{"m1", "m2", "m3", "m\"4", "m5", "m6", "m7", "m8"}
	if p.one(8) {
		for i := range ids {
			ids[i] += strings.Repeat("x", 2700)
		}
	}
	return ids
}

// snapshot changes messages and state: in a tidy thread as a fold does, of which each message
// has its place in the order, and each place a message.
func (p *player) snapshot(g *game) *store.SnapshotUpdate {
	u := &store.SnapshotUpdate{Upsert: map[string]json.RawMessage{}}
	if p.one(2) {
		u.State = stage.Raw(fmt.Sprintf(`{"n":%d}`, p.next()))
	}
	if p.one(3) {
		u.Frozen = stage.Raw(fmt.Sprintf(`{"f":%d}`, p.next()))
	}
	all := slices.Clone(g.ids)
	p.r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	order := g.snapshot.order
	switch p.r.IntN(4) {
	case 0:
		u.Order = all[:p.r.IntN(len(all)+1)]
		order = u.Order
	case 1, 2: // as one does that is rewound, or that goes on
		u.Drop = max(p.r.IntN(len(order)+4)-2, 0)
		order = slices.Clone(order[:max(len(order)-u.Drop, 0)])
		u.Append = slices.DeleteFunc(all[:p.r.IntN(len(all)+1)], func(id string) bool { return slices.Contains(order, id) })
		order = append(order, u.Append...)
	}
	u.Producers = p.producers(append(u.Order, u.Append...))
	if !g.tidy {
		for range p.r.IntN(3) {
			u.Upsert[pick(p, g.ids...)] = stage.Raw(fmt.Sprintf(`{"m":%d}`, p.next()))
		}
		for range p.r.IntN(2) {
			if id := pick(p, g.ids...); u.Upsert[id] == nil {
				u.Remove = append(u.Remove, id)
			}
		}
		return u
	}
	for _, id := range order {
		if g.snapshot.messages[id] == "" || p.one(4) {
			u.Upsert[id] = stage.Raw(fmt.Sprintf(`{"m":%d}`, p.next()))
		}
	}
	for _, id := range slices.Sorted(maps.Keys(g.snapshot.messages)) {
		if !slices.Contains(order, id) {
			u.Remove = append(u.Remove, id)
		}
	}
	return u
}

// producers are those of some of the ids.
func (p *player) producers(ids []string) map[string]store.Producer {
	by := map[string]store.Producer{}
	for _, id := range ids {
		if !p.one(3) {
			by[id] = store.Producer{RunID: pick(p, "one", "two:3"), Step: pick(p, "", "plan", "2 1")}
		}
	}
	return by
}

// produced notes who produced ids that were put behind all others.
func (s *snapshot) produced(ids []string, by map[string]store.Producer) {
	now := map[string]store.Producer{}
	for _, id := range s.order {
		if p, known := s.by[id]; known {
			now[id] = p
		}
	}
	for _, id := range ids {
		delete(now, id)
		if p, known := by[id]; known {
			now[id] = p
		}
	}
	s.by = now
}

// archive is what a run takes out of the thread: mostly its last messages.
func (p *player) archive(g *game) map[string]json.RawMessage {
	ids := []string{pick(p, g.ids...)}
	if order := g.snapshot.order; len(order) > 0 && !p.one(3) {
		ids = order[p.r.IntN(len(order)):]
	}
	archived := map[string]json.RawMessage{}
	for _, id := range ids {
		archived[id] = stage.Raw(`{}`)
	}
	return archived
}

// before are the messages that stand before a place in the order, no more than so many of the
// last ones, and how many there are before these.
func (m *model) before(at, limit int) (messages []json.RawMessage, older int) {
	older = max(at-limit, 0)
	for _, id := range m.snapshot.order[older:at] {
		if text, ok := m.snapshot.messages[id]; ok {
			messages = append(messages, stage.Raw(text))
		}
	}
	return messages, older
}

// windows reads the thread's last messages, and those before them, by places that are new
// and by old ones, and compares each with the whole thread of the model.
func (p *player) windows(g *game, node store.Store) {
	q := store.ReadQuery{Window: 1 + p.r.IntN(len(g.ids)+1), Follower: p.one(4)}
	if p.one(3) {
		q.After = &store.Position{Epoch: pick(p, g.epoch, "other"), Seq: int64(p.r.IntN(len(g.log) + 2))}
	}
	v, err := node.Read(p.ctx(), g.key, q)
	if err != nil {
		p.fail(g, err.Error())
		return
	}
	want := g.view(q, v)
	if !want.Recovered {
		var older int
		want.Snapshot.Messages, older = g.before(len(g.snapshot.order), q.Window)
		want.Snapshot.Older = g.counted(older, v.Snapshot.Older, g.cuts)
		want.Snapshot.Before = v.Snapshot.Before
		p.keep(g, v.Snapshot.Before, older)
	}
	if difference := alike(v, want); difference != "" {
		p.fail(g, fmt.Sprintf("a window of %d reads %s", q.Window, difference))
		return
	}
	if !want.Recovered && (v.Snapshot.Before == "") != (v.Snapshot.Older == 0) {
		p.fail(g, fmt.Sprintf("%d messages stand before a window, at the place %q", v.Snapshot.Older, v.Snapshot.Before))
		return
	}
	if len(g.places) == 0 || p.over {
		return
	}
	from := g.places[p.r.IntN(len(g.places))]
	for from.cursor != "" && !p.over {
		from = p.messagesBefore(g, node, from)
	}
}

// counted is how many messages a store says that stand before a place, of which so many do.
// In a thread that is not tidy, or when messages were taken out since the place was made, it
// need only know whether there are any.
func (g *game) counted(older int, said int64, cuts int) int64 {
	if (!g.tidy || cuts != g.cuts) && older > 0 && said > 0 {
		return said
	}
	return int64(older)
}

// messagesBefore asks for the messages before a place, and returns where they begin.
func (p *player) messagesBefore(g *game, node store.Store, from place) place {
	at := slices.Index(g.snapshot.order, from.id)
	limit := 1 + p.r.IntN(4)
	p.played["page"]++
	page, err := node.Messages(p.ctx(), g.key, store.MessageQuery{Before: from.cursor, Limit: limit})
	switch {
	case at < 0 && errors.Is(err, store.ErrBadCursor):
		p.played["page gone"]++
		return place{}
	case at < 0 || err != nil:
		p.fail(g, fmt.Sprintf("the messages before %.9q are asked for, which stands at %d of the order: %v", from.id, at, err))
		return place{}
	}
	var want store.MessagePage
	var older int
	want.Messages, older = g.before(at, limit)
	want.Older, want.Before = g.counted(older, page.Older, from.cuts), page.Before
	if page.Producers != nil { // else the place was looked for, and nothing is said of them
		p.played["producers"]++
		want.Producers = map[string]store.Producer{}
		for _, id := range g.snapshot.order[older:at] {
			if by, known := g.snapshot.by[id]; known {
				want.Producers[id] = by
			}
		}
	}
	if difference := alike(page, want); difference != "" || (page.Before == "") != (page.Older == 0) {
		p.fail(g, fmt.Sprintf("the %d messages before %.9q are %s", limit, from.id, difference))
		return place{}
	}
	if older == 0 {
		return place{}
	}
	return place{page.Before, g.snapshot.order[older], from.cuts}
}

// keep holds on to a place, behind so many messages, for later.
func (p *player) keep(g *game, cursor string, older int) {
	if older == 0 || cursor == "" {
		return
	}
	if g.places = append(g.places, place{cursor, g.snapshot.order[older], g.cuts}); len(g.places) > placesKept {
		g.places = slices.Delete(g.places, 0, 1)
	}
}
