package fold

import (
	"iter"
	"slices"
	"sort"

	"github.com/aguiws/aguiws/protocol"
)

// Place orders the messages of a fold: the place of a message is less than those of
// the messages behind it. It holds in the fold that has given it, and in its clones,
// until Restore.
type Place uint64

// Tests make these smaller.
var (
	// Places are far apart, so that messages can come between others.
	placeGap Place = 1 << 32
	// placeStep is how far behind another a message is put that comes between two.
	placeStep Place = 1 << 12
	// chunkSize is how many pointers to messages are copied for one that changes and
	// is shared.
	chunkSize = 256
)

// ownership marks what a fold may change in place; what has another is shared.
type ownership struct{ _ byte }

// lineage is whose places can be compared.
type lineage struct{ _ byte }

// order holds messages in order.
type order struct {
	owner   *ownership
	lineage *lineage
	chunks  []*chunk   // none is empty
	mine    *ownership // of chunks itself
	n       int
	bytes   int  // about how many the messages have
	changed bool // since it was frozen
	during  *underway
}

type chunk struct {
	owner *ownership
	list  []*message
}

func newOrder() order {
	o := new(ownership)
	return order{owner: o, mine: o, lineage: new(lineage)}
}

func (o *order) freeze() {
	if o.changed {
		o.owner, o.changed = new(ownership), false
	}
}

// ownChunks makes the list of chunks one that may be changed.
func (o *order) ownChunks() {
	o.changed = true
	if o.mine != o.owner {
		o.chunks, o.mine = append(make([]*chunk, 0, len(o.chunks)+1), o.chunks...), o.owner
	}
}

func (o *order) ownChunk(i int) *chunk {
	o.ownChunks()
	c := o.chunks[i]
	if c.owner != o.owner {
		c = &chunk{o.owner, append(make([]*message, 0, min(2*len(c.list), chunkSize)), c.list...)}
		o.chunks[i] = c
	}
	return c
}

// locate finds a message by its place.
func (o *order) locate(place Place) (chunk, at int) {
	chunk = len(o.chunks) - 1
	if o.chunks[chunk].list[0].place > place {
		chunk = sort.Search(len(o.chunks), func(i int) bool { return o.chunks[i].list[0].place > place }) - 1
	}
	list := o.chunks[chunk].list
	return chunk, sort.Search(len(list), func(i int) bool { return list[i].place >= place })
}

func (o *order) at(place Place) *message {
	chunk, at := o.locate(place)
	return o.chunks[chunk].list[at]
}

// writable is the message at a place, to be changed.
func (o *order) writable(place Place) *message {
	i, at := o.locate(place)
	m := o.chunks[i].list[at]
	if m.owner == o.owner {
		return m
	}
	own := *m
	own.owner, own.ToolCalls = o.owner, slices.Clone(m.ToolCalls)
	o.ownChunk(i).list[at] = &own
	return &own
}

// say replaces what a message says.
func (o *order) say(m *message, content *protocol.Content) {
	o.bytes += content.Weight() - m.Content.Weight()
	m.Content = content
}

func (o *order) append(m protocol.Message) *message {
	fm := &message{Message: m, place: placeGap, owner: o.owner, during: o.during}
	fm.ToolCalls = slices.Clone(m.ToolCalls)
	o.push(fm)
	return fm
}

// push appends a message, at a place behind all others.
func (o *order) push(m *message) {
	i := len(o.chunks) - 1
	if i >= 0 {
		last := o.chunks[i].list
		m.place = last[len(last)-1].place + placeGap
	}
	o.n, o.bytes = o.n+1, o.bytes+m.Message.Weight()
	if i < 0 || len(o.chunks[i].list) >= chunkSize {
		o.ownChunks()
		o.chunks = append(o.chunks, &chunk{o.owner, []*message{m}})
		return
	}
	c := o.ownChunk(i)
	c.list = append(c.list, m)
}

// insertAfter puts a message behind the one at a place, which is not the last. When
// there is no room between places, all get new ones.
func (o *order) insertAfter(m protocol.Message, place Place) (fm *message, renumbered bool) {
	next := o.after(place).place
	if next-place < 2 {
		place = o.renumber(place)
		fm, _ = o.insertAfter(m, place)
		return fm, true
	}
	fm = &message{Message: m, place: place + min(placeStep, (next-place)/2), owner: o.owner, during: o.during}
	fm.ToolCalls = slices.Clone(m.ToolCalls)
	i, at := o.locate(place)
	c := o.ownChunk(i)
	c.list = slices.Insert(c.list, at+1, fm)
	o.n, o.bytes = o.n+1, o.bytes+m.Weight()
	if len(c.list) > chunkSize {
		half := len(c.list) / 2
		behind := &chunk{o.owner, slices.Clone(c.list[half:])}
		clear(c.list[half:])
		c.list = c.list[:half]
		o.chunks = slices.Insert(o.chunks, i+1, behind)
	}
	return fm, false
}

// renumber gives all messages new places, and returns that of one.
func (o *order) renumber(place Place) (now Place) {
	fresh := newOrder()
	for m := range o.all() {
		copied := *m
		copied.owner, copied.place = fresh.owner, placeGap
		copied.ToolCalls = slices.Clone(m.ToolCalls)
		fresh.push(&copied)
		if m.place == place {
			now = copied.place
		}
	}
	fresh.during = o.during
	*o = fresh
	return now
}

func (o *order) all() iter.Seq[*message] {
	return func(yield func(*message) bool) {
		for _, c := range o.chunks {
			for _, m := range c.list {
				if !yield(m) {
					return
				}
			}
		}
	}
}

func (o *order) backward() iter.Seq[*message] {
	return func(yield func(*message) bool) {
		for _, c := range slices.Backward(o.chunks) {
			for _, m := range slices.Backward(c.list) {
				if !yield(m) {
					return
				}
			}
		}
	}
}

// from are the messages from a place on.
func (o *order) from(place Place) iter.Seq[*message] {
	return func(yield func(*message) bool) {
		i, at := o.locate(place)
		for ; i < len(o.chunks); i, at = i+1, 0 {
			for _, m := range o.chunks[i].list[at:] {
				if !yield(m) {
					return
				}
			}
		}
	}
}

// after is the message behind the one at a place, nil behind the last.
func (o *order) after(place Place) *message {
	i, at := o.locate(place)
	if at++; at < len(o.chunks[i].list) {
		return o.chunks[i].list[at]
	}
	if i++; i < len(o.chunks) {
		return o.chunks[i].list[0]
	}
	return nil
}

// rank is how many messages stand before a place.
func (o *order) rank(place Place) int {
	i, at := o.locate(place)
	for _, c := range o.chunks[:i] {
		at += len(c.list)
	}
	return at
}
