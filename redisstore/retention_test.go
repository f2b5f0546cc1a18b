package redisstore

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/internal/keyspace"
	"github.com/aguiws/aguiws/redisstore/redistest"
)

// resting is a store with threads at rest, t0 to t19, that are all past their time,
// and a command that says nothing of how it went.
func resting(t *testing.T, o Options) (s *Store, do func(command ...any)) {
	t.Helper()
	clock := time.UnixMilli(1_700_000_000_000)
	o.ThreadTTL, o.Clock = time.Hour, func() time.Time { return clock }
	s = open(t, redistest.Start(t, redistest.Options{}).URL(), o)
	for n := range 20 {
		b := inline(0, "r1")
		b.Thread.Thread = fmt.Sprint("t", n)
		claim := begin(t, s, b)
		commit(t, s, store.Batch{Claim: claim, Number: 2, Expect: 1, Events: [][]byte{[]byte("end")}, End: &store.End{Kind: store.EndFinish}})
	}
	clock = clock.Add(2 * time.Hour)
	return s, func(command ...any) {
		t.Helper()
		if err := s.conn.Client.Do(context.Background(), command...).Err(); err != nil {
			t.Fatal(err)
		}
	}
}

// retired is a pass: the threads that are left after it, and what it complained of.
func retired(t *testing.T, s *Store) (left []string, complaints string) {
	t.Helper()
	ctx := context.Background()
	for calls := 0; ; calls++ {
		more, err := s.Retire(ctx)
		if err != nil {
			complaints += err.Error() + "\n"
		}
		if !more {
			break
		}
		if calls > 100 {
			t.Fatal("a pass does not end")
		}
	}
	for n := range 20 {
		key := store.ThreadKey{Namespace: testKey.Namespace, Thread: fmt.Sprint("t", n)}
		v, err := s.Read(ctx, key, store.ReadQuery{})
		if err != nil {
			left = append(left, err.Error())
		} else if v.Seq > 0 {
			left = append(left, key.Thread)
		}
	}
	return left, complaints
}

func keyOf(s *Store, thread string) keyspace.Thread {
	return s.conn.Keys.Thread(store.ThreadKey{Namespace: testKey.Namespace, Thread: thread})
}

// A run that cannot be read keeps nothing, its own thread included.
func TestAThreadWithADamagedRunIsErased(t *testing.T) {
	s, do := resting(t, Options{Partitions: 1})
	do("HSET", keyOf(s, "t7").Base+"runs", "m:damaged", "garbage")
	if left, complaints := retired(t, s); left != nil || complaints != "" {
		t.Errorf("left are %q: %s", left, complaints)
	}
	if keys := s.conn.Client.Keys(context.Background(), keyOf(s, "t7").Base+"*").Val(); len(keys) != 1 { // its record
		t.Errorf("of the damaged thread there are %q", keys)
	}
}

// A thread that no script gets past is told of, left as it is, and holds up nobody.
func TestADamagedThreadHoldsUpNoOther(t *testing.T) {
	s, do := resting(t, Options{Partitions: 1})
	for _, key := range []string{keyOf(s, "t3").Base + "runs", keyOf(s, "t9").Base + "runs"} {
		do("DEL", key)
		do("SET", key, "garbage")
	}
	do("ZADD", keyOf(s, "t0").Part.Lists, 0, "large")
	for range 2 {
		left, complaints := retired(t, s)
		if len(left) != 2 || strings.Count(complaints, "WRONGTYPE") < 2 || !strings.Contains(complaints, `"t3"`) || !strings.Contains(complaints, "no member") {
			t.Errorf("left are %q: %s", left, complaints)
		}
	}
	if n := s.conn.Client.Exists(context.Background(), keyOf(s, "t3").Rec(), keyOf(s, "t3").Log()).Val(); n != 2 { // it was looked at before anything was written
		t.Errorf("of the damaged thread's keys %d are left", n)
	}
}

// A partition that does not answer holds up none behind it.
func TestADamagedPartitionHoldsUpNoOther(t *testing.T) {
	s, do := resting(t, Options{Partitions: 4})
	first := &s.conn.Keys.Parts[0]
	do("DEL", first.Lists)
	do("SET", first.Lists, "garbage")
	left, complaints := retired(t, s)
	if len(left) == 0 || len(left) > 15 || !strings.Contains(complaints, "WRONGTYPE") {
		t.Errorf("left are %q: %s", left, complaints)
	}
	for _, thread := range left {
		if keyOf(s, thread).Part != first {
			t.Errorf("left is %s", thread)
		}
	}
}

// Labels go with their runs, in a thread that is used for ever too.
func TestLabelsGoWithTheirRuns(t *testing.T) {
	clock := time.UnixMilli(1_700_000_000_000)
	s := open(t, redistest.Start(t, redistest.Options{}).URL(), Options{Keep: time.Hour, Clock: func() time.Time { return clock }})
	ctx := context.Background()
	for n := range 1000 {
		b := inline(view(t, s, store.ReadQuery{}).Version, fmt.Sprint("r", n))
		claim := begin(t, s, b)
		commit(t, s, store.Batch{Claim: claim, Number: 2, Expect: int64(2*n + 1), Events: [][]byte{[]byte("end")}, End: &store.End{Kind: store.EndFinish}})
		clock = clock.Add(30 * time.Second)
		if n%100 == 99 {
			for more := true; more; {
				var err error
				if more, err = s.Retire(ctx); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	fields, err := s.conn.Client.HKeys(ctx, s.conn.Keys.Thread(testKey).Runs()).Result()
	labels := len(slices.DeleteFunc(fields, func(f string) bool { return !strings.HasPrefix(f, "l:") }))
	if err != nil || labels < 100 || labels > 300 {
		t.Errorf("%d labels are kept of runs of an hour, which are 120: %v", labels, err)
	}
	if v := view(t, s, store.ReadQuery{Label: "r999"}); len(v.Labelled) != 1 {
		t.Errorf("the latest label finds %+v", v.Labelled)
	}
}
