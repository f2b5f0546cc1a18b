package redisstore

import (
	"context"
	"testing"
	"time"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/redisstore/redistest"
)

// What callers may choose freely costs a bounded room, and the thread stays
// readable whatever they choose.
func TestTimesFarAheadStayReadable(t *testing.T) {
	s := open(t, redistest.Start(t, redistest.Options{}).URL(), Options{Partitions: 1})
	ctx := context.Background()
	begin(t, s, inline(0, "r0"))
	for i, at := range []time.Time{time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC), time.Date(200000, 1, 1, 0, 0, 0, 0, time.UTC)} {
		b := queued(view(t, s, adapter.ReadQuery{}).Version, []string{"r1", "r2"}[i])
		b.Available = at
		begin(t, s, b)
		d, err := s.Dispatch(ctx, testKey, b.RunID)
		if err != nil || d == nil || d.State != adapter.DispatchQueued || d.Available.Year() < 3000 {
			t.Fatalf("%v: %+v, %v", at, d, err)
		}
	}
	if v := view(t, s, adapter.ReadQuery{}); len(v.Queue) != 2 {
		t.Errorf("queue %+v", v.Queue)
	}
}
