package follow

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/aguiws/aguiws/adapter/store"
)

// partReader is a store of which a part does not tell the ends of logs.
type partReader struct {
	Store
	silent map[string]bool // threads of that part
	asked  []string        // in the latest call
}

func (r *partReader) Tail(_ context.Context, keys []store.ThreadKey) (ends []store.Position, err error) {
	r.asked = nil
	for _, key := range keys {
		r.asked = append(r.asked, key.Thread)
		if r.silent[key.Thread] {
			ends, err = append(ends, store.Position{}), fmt.Errorf("%w: %w", store.ErrPartial, store.ErrOutcomeUnknown)
			continue
		}
		ends = append(ends, store.Position{Epoch: "e", Seq: 7})
	}
	slices.Sort(r.asked)
	return ends, err
}

func TestThreadsOfASilentPartAreVerifiedAgainAndTheOthersAreNot(t *testing.T) {
	st := &partReader{silent: map[string]bool{"b": true, "c": true, "d": true}}
	h := New(st, nil)
	followers := map[string]*Follower{}
	for _, thread := range []string{"a", "b", "c", "d"} {
		followers[thread] = &Follower{key: store.ThreadKey{Thread: thread}, notify: func() {}}
		h.join(followers[thread])
	}
	verify := func(asked, known string) {
		t.Helper()
		st.asked = nil
		_ = h.Verify(t.Context())
		if fmt.Sprint(st.asked) != asked {
			t.Errorf("asked for %v, not %s", st.asked, asked)
		}
		var ends []string
		for key, topic := range h.topics {
			if topic.last == 7 {
				ends = append(ends, key.Thread)
			}
		}
		slices.Sort(ends)
		if fmt.Sprint(ends) != known {
			t.Errorf("the ends of %v are known, not of %s", ends, known)
		}
	}
	h.Doubt()
	verify("[a b c d]", "[a]")
	verify("[b c d]", "[a]")
	delete(st.silent, "b")
	h.leave(followers["d"])
	verify("[b c]", "[a b]")
	delete(st.silent, "c")
	verify("[c]", "[a b c]")
	verify("[]", "[a b c]")
	st.silent["a"], st.silent["b"], st.silent["c"] = true, true, true
	h.Doubt()
	verify("[a b c]", "[a b c]")
	st.silent = nil
	verify("[a b c]", "[a b c]")
	verify("[]", "[a b c]")
}
