package fold

import "github.com/aguiws/aguiws/protocol"

// Changes are what makes the messages of an earlier fold those of a later one.
type Changes struct {
	Added   protocol.Messages // in the order in which they stand
	Changed protocol.Messages // which both have; it may name some that say the same
	Removed []string          // ids; one may have come back as one that was added
	// Moved: the order is not what is left of the earlier one with those that were added
	// behind it.
	Moved bool
}

// Since returns what has changed since a Clone of the fold, or of a fold that it was
// cloned from. It costs what has changed. A fold that is neither gets a right answer as
// well, at the cost of what both hold.
func (f *Fold) Since(earlier *Fold) Changes {
	f.log.freeze()
	earlier.log.freeze()
	if f.log.lineage != earlier.log.lineage {
		return changesByID(&earlier.log, &f.log)
	}
	var c Changes
	was, now := walker{chunks: earlier.log.chunks}, walker{chunks: f.log.chunks}
	for {
		for was.at == 0 && now.at == 0 && !was.over() && !now.over() && was.chunks[0] == now.chunks[0] {
			was.chunks, now.chunks = was.chunks[1:], now.chunks[1:]
		}
		a, b := was.here(), now.here()
		switch {
		case a == nil && b == nil:
			return c
		case b == nil || a != nil && a.place < b.place:
			c.Removed = append(c.Removed, a.ID)
			was.step()
		case a == nil || b.place < a.place:
			c.Added = append(c.Added, b.Message)
			c.Moved = c.Moved || a != nil
			now.step()
		case a.ID != b.ID:
			c.Removed, c.Added, c.Moved = append(c.Removed, a.ID), append(c.Added, b.Message), true
			was.step()
			now.step()
		default:
			if a != b {
				c.Changed = append(c.Changed, b.Message)
			}
			was.step()
			now.step()
		}
	}
}

// walker walks over chunks.
type walker struct {
	chunks []*chunk
	at     int
}

func (w *walker) over() bool { return len(w.chunks) == 0 }

func (w *walker) here() *message {
	if w.over() {
		return nil
	}
	return w.chunks[0].list[w.at]
}

func (w *walker) step() {
	if w.at++; w.at == len(w.chunks[0].list) {
		w.chunks, w.at = w.chunks[1:], 0
	}
}

// changesByID compares folds whose places cannot be compared.
func changesByID(was, now *log) (c Changes) {
	left := make(map[string][]*message, was.n)
	for m := range was.all() {
		left[m.ID] = append(left[m.ID], m)
	}
	last := Place(0)
	for m := range now.all() {
		held := left[m.ID]
		if len(held) == 0 {
			c.Added = append(c.Added, m.Message)
			continue
		}
		c.Moved = c.Moved || len(c.Added) > 0 || held[0].place < last
		last = held[0].place
		left[m.ID] = held[1:]
		if !sameMessage(&held[0].Message, &m.Message) {
			c.Changed = append(c.Changed, m.Message)
		}
	}
	for m := range was.all() {
		if held := left[m.ID]; len(held) > 0 && held[0] == m {
			c.Removed = append(c.Removed, m.ID)
			left[m.ID] = held[1:]
		}
	}
	return c
}
