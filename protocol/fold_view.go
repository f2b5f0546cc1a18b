package protocol

import (
	"slices"
	"sync"
)

// foldView is the messages of a fold as a slice, immutable. Those that go on from it
// share its array.
type foldView struct {
	chunks []*foldChunk // as of which
	list   Messages
	end    *viewEnd
}

// viewEnd is how much of an array is taken by the longest of the slices that share it.
type viewEnd struct {
	mu sync.Mutex
	at int
}

// of is the view of a frozen order. What v has of it is not written again.
func (v *foldView) of(o *foldOrder) *foldView {
	if v == nil {
		v = &foldView{}
	}
	if slices.Equal(v.chunks, o.chunks) {
		return v
	}
	next := &foldView{chunks: slices.Clone(o.chunks), end: v.end}
	same := sameHead(v.chunks, o.chunks)
	if same < len(v.list) || !v.claim(o.n) {
		next.list, next.end = make(Messages, 0, o.n+o.n/8), &viewEnd{at: o.n}
		same = 0
	} else {
		next.list = v.list
	}
	next.list = next.list[:o.n]
	at := 0
	for _, c := range o.chunks {
		for i := max(0, same-at); i < len(c.list); i++ {
			next.list[at+i] = c.list[i].Message
		}
		at += len(c.list)
	}
	return next
}

// claim takes the array up to n; false: there is none, another has that, or it ends.
func (v *foldView) claim(n int) bool {
	if v.end == nil || cap(v.list) < n {
		return false
	}
	v.end.mu.Lock()
	defer v.end.mu.Unlock()
	if v.end.at != len(v.list) {
		return false
	}
	v.end.at = n
	return true
}

// sameHead is how many messages two orders have in common from the first on.
func sameHead(a, b []*foldChunk) (n int) {
	for i := range min(len(a), len(b)) {
		if a[i] == b[i] {
			n += len(a[i].list)
			continue
		}
		for j := range min(len(a[i].list), len(b[i].list)) {
			if a[i].list[j] != b[i].list[j] {
				break
			}
			n++
		}
		break
	}
	return n
}
