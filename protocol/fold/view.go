package fold

import (
	"slices"
	"sync"

	"github.com/aguiws/aguiws/protocol"
)

// views are the messages of a fold, or of a clone of it, as slices that were handed
// out. A view that goes on from another shares its array.
type views struct {
	mu     sync.Mutex
	latest view
}

// view is the messages of a frozen order as a slice, which is not written again.
type view struct {
	chunks []*chunk
	list   protocol.Messages
}

// of is the messages of a frozen order. No slice that was handed out of the latest view's
// array is longer than that view, so there is room behind it.
func (v *views) of(o *order) protocol.Messages {
	v.mu.Lock()
	defer v.mu.Unlock()
	if slices.Equal(v.latest.chunks, o.chunks) {
		return v.latest.list
	}
	list, same := v.latest.list, sameHead(v.latest.chunks, o.chunks)
	if same == o.n {
		return list[:same] // as it was before
	}
	if same < len(list) || cap(list) < o.n {
		list, same = make(protocol.Messages, 0, o.n+o.n/8), 0
	}
	list = list[:o.n]
	at := 0
	for _, c := range o.chunks {
		for i := max(0, same-at); i < len(c.list); i++ {
			list[at+i] = c.list[i].Message
		}
		at += len(c.list)
	}
	v.latest = view{slices.Clone(o.chunks), list}
	return list
}

// sameHead is how many messages two orders have in common from the first on, of which a
// few may have been read twice.
func sameHead(a, b []*chunk) (n int) {
	twice := 64
	for i := range min(len(a), len(b)) {
		if a[i] == b[i] {
			n += len(a[i].list)
			continue
		}
		for j := range min(len(a[i].list), len(b[i].list)) {
			if x, y := a[i].list[j], b[i].list[j]; x != y {
				if twice--; twice < 0 || !sameMessage(&x.Message, &y.Message) {
					return n
				}
			}
			n++
		}
		if len(a[i].list) != len(b[i].list) {
			break
		}
	}
	return n
}
