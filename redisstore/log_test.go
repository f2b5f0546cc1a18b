package redisstore

import (
	"context"
	"testing"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/redistest"
)

// What cannot be read of one thread keeps nobody from the ends of the others.
func TestTailOfAThreadThatCannotBeRead(t *testing.T) {
	for name, damage := range map[string]func(*Store, context.Context, string) error{
		"a position that is no number": func(s *Store, ctx context.Context, base string) error {
			return s.conn.Client.HSet(ctx, base+"rec", "seq", "x").Err()
		},
		"a record of another type": func(s *Store, ctx context.Context, base string) error {
			s.conn.Client.Del(ctx, base+"rec")
			return s.conn.Client.Set(ctx, base+"rec", "x", 0).Err()
		},
		"a claim of something else": func(s *Store, ctx context.Context, base string) error {
			return s.conn.Client.HSet(ctx, base+"rec", "claim", "x").Err()
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := open(t, redistest.Start(t, redistest.Options{}).URL(), Options{Partitions: 1})
			ctx := context.Background()
			begin(t, s, inline(0, "r1"))
			bad := store.ThreadKey{Namespace: testKey.Namespace, Thread: "bad"}
			other := inline(0, "r2")
			other.Thread = bad
			begin(t, s, other)
			if err := damage(s, ctx, s.conn.Keys.Thread(bad).Base); err != nil {
				t.Fatal(err)
			}
			ends, err := s.Tail(ctx, []store.ThreadKey{bad, testKey})
			if err != nil || ends[0] != (store.Position{}) || ends[1].Seq != 1 {
				t.Errorf("%v, %v", ends, err)
			}
		})
	}
}
