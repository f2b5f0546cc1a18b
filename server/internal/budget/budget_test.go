package budget

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

const mib = 1 << 20

func newTest() *Budget {
	return New(Options{Total: 256 * mib, User: 32 * mib, Address: 64 * mib, Patience: 8 * time.Second})
}

// at is a context in which nothing waits.
func at() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}

// takes takes without waiting.
func takes(a *Account, bytes int64) bool { return a.Take(at(), bytes) == nil }

func (b *Budget) empty(t *testing.T) {
	t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.held != 0 || b.waiting != 0 || b.order.Len() != 0 || len(b.users) != 0 || len(b.addrs) != 0 {
		t.Errorf("left over: %d bytes, %d waiting, %d lines, %d users, %d addresses", b.held, b.waiting, b.order.Len(), len(b.users), len(b.addrs))
	}
	for k := range b.kinds {
		if b.kinds[k].held != 0 || b.kinds[k].first != nil {
			t.Errorf("%s: %d bytes are left over", Kind(k), b.kinds[k].held)
		}
	}
}

func TestShares(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newTest()
		eve, again, bob := b.Open(Frames, "eve", "1"), b.Open(Bodies, "eve", "2"), b.Open(Frames, "bob", "1")
		if !takes(eve, 31*mib) || takes(again, 2*mib) || !takes(again, mib) {
			t.Error("a user's share is not 32 MiB on all connections")
		}
		var full *Full
		third := b.Open(Frames, "eve", "3")
		if err := third.Take(t.Context(), mib); !errors.As(err, &full) || full.Reason != User || !full.Own() {
			t.Errorf("got %v", err)
		}
		if !takes(bob, 32*mib) {
			t.Error("what one user holds is missed by another")
		}
		carl := b.Open(Frames, "carl", "1")
		if err := carl.Take(t.Context(), 2*mib); !errors.As(err, &full) || full.Reason != Address {
			t.Errorf("got %v", err)
		}
		if !takes(carl, Small) {
			t.Error("a small amount is refused by what others of the address hold")
		}
		for i := range 4 {
			other := b.Open(Frames, fmt.Sprint("user ", i), fmt.Sprint("there ", i))
			defer other.Close()
			if got, want := takes(other, 32*mib), i < 2; got != want {
				t.Errorf("another 32 MiB of frames: %v", got)
			}
			if i == 3 {
				if err := other.Take(t.Context(), mib); !errors.As(err, &full) || full.Reason != ByKind || full.Own() {
					t.Errorf("got %v", err)
				}
			}
			if !takes(other, Small) && i > 1 {
				t.Error("a small amount is refused")
			}
		}
		for _, a := range []*Account{eve, again, bob, third, carl} {
			a.Close()
		}
	})
}

// Whatever many users hold, somebody who holds little finds room for a small amount at
// once.
func TestSmallAmountsFindRoom(t *testing.T) {
	b := newTest()
	var all []*Account
	for i := range 40 {
		for k := range kinds {
			a := b.Open(k, fmt.Sprint(i), "")
			all = append(all, a)
			for takes(a, 4*mib) {
			}
			for takes(a, Small) {
			}
		}
	}
	for range 100 { // of nobody
		a := b.Open(Frames, "", "")
		all = append(all, a)
		for takes(a, mib) {
		}
	}
	victim := b.Open(Frames, "victim", "10.0.0.1")
	for range 100 {
		if !takes(victim, Small) {
			t.Fatal("a small amount is refused")
		}
		victim.Give(Small)
	}
	if b.Held() > 256*mib {
		t.Errorf("%d bytes are held", b.Held())
	}
	victim.Close()
	for _, a := range all {
		a.Close()
	}
	b.empty(t)
}

// Those who wait take turns, whoever waits with how many; of one user the first comes
// first.
func TestTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := New(Options{Total: 256 * mib, User: -1, Address: -1, Patience: time.Hour})
		holder := b.Open(Frames, "holder", "")
		if !takes(holder, 128*mib) {
			t.Fatal("no room")
		}
		var mu sync.Mutex
		var order []string
		var group sync.WaitGroup
		ask := func(user string, n int) {
			group.Go(func() {
				a := b.Open(Frames, user, "")
				defer a.Close()
				if err := a.Take(t.Context(), 64*mib+1); err != nil { // one at a time
					t.Error(err)
				}
				mu.Lock()
				order = append(order, fmt.Sprint(user, n))
				mu.Unlock()
			})
			synctest.Wait()
		}
		for n := range 3 {
			ask("eve", n)
		}
		ask("ann", 0)
		ask("bob", 0)
		holder.Close()
		group.Wait()
		if got, want := fmt.Sprint(order), "[eve0 ann0 bob0 eve1 eve2]"; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
		b.empty(t)
	})
}

// A large amount that waits holds up nobody else, and one of the same user no small one.
func TestLargeHoldsUpNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newTest()
		full := b.Open(Frames, "", "")
		if !takes(full, 120*mib) {
			t.Fatal("no room")
		}
		waits := make(chan error)
		go func() {
			a := b.Open(Frames, "eve", "")
			defer a.Close()
			waits <- a.Take(t.Context(), 30*mib)
		}()
		synctest.Wait()
		ann, eve := b.Open(Frames, "ann", ""), b.Open(Frames, "eve", "")
		if !takes(ann, 4*mib) {
			t.Error("another user waits behind a large amount")
		}
		if !takes(eve, Small) {
			t.Error("a small amount waits behind a large one")
		}
		began := time.Now()
		var why *Full
		if err := <-waits; !errors.As(err, &why) || why.Reason != ByKind || time.Since(began) != 8*time.Second {
			t.Errorf("got %v after %s", err, time.Since(began))
		}
		for _, a := range []*Account{full, ann, eve} {
			a.Close()
		}
		b.empty(t)
	})
}

// Accounts that each hold something and need more do not wait for each other for ever.
func TestOneGoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newTest()
		var group sync.WaitGroup
		for range 16 {
			group.Go(func() {
				a := b.Open(Frames, "ann", "")
				defer a.Close()
				for range 8 {
					if err := a.Take(t.Context(), mib); err != nil {
						t.Error(err)
						return
					}
					<-time.After(time.Millisecond) // for the others
				}
			})
		}
		group.Wait()
		b.empty(t)
	})
}

// What a connection holds, or others a little, does not keep it from one thing that is
// larger than a share.
func TestOneMayBeLarger(t *testing.T) {
	b := newTest()
	frame, reply, other := b.Open(Frames, "ann", "1"), b.Open(Replies, "ann", "1"), b.Open(Replies, "ann", "1")
	reply.Join(frame)
	if !takes(frame, 8*mib) || takes(other, 40*mib) || !takes(reply, 40*mib) {
		t.Error("what a frame holds keeps its answer from being made")
	}
	if takes(other, mib) {
		t.Error("others go on beyond the share, too")
	}
	frame.Close()
	if !takes(reply, mib) || takes(other, mib) {
		t.Error("it is no more the one that may go on")
	}
	reply.Close()
	little := b.Open(Bodies, "bob", "1")
	if !takes(other, 4*mib) || !takes(little, mib) || !takes(b.Open(Replies, "bob", "1"), 70*mib) {
		t.Error("what others hold, which is little, keeps one from something large")
	}
}

// What is small does not wait behind what is large of the same user.
func TestSmallPassesLarge(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newTest()
		holder := b.Open(Frames, "ann", "")
		if !takes(holder, 32*mib) {
			t.Fatal("no room")
		}
		large, little := b.Open(Replies, "ann", ""), b.Open(Frames, "ann", "")
		var order []string
		var group sync.WaitGroup
		for _, w := range []struct {
			name  string
			a     *Account
			bytes int64
		}{{"large", large, 30 * mib}, {"small", little, 1 << 10}} {
			group.Go(func() {
				if err := w.a.Take(t.Context(), w.bytes); err != nil {
					t.Error(err)
				}
				order = append(order, w.name)
				w.a.Close()
			})
			synctest.Wait()
		}
		holder.Give(mib)
		synctest.Wait()
		if len(order) != 1 || order[0] != "small" {
			t.Errorf("%v have room", order)
		}
		holder.Close()
		group.Wait()
		b.empty(t)
	})
}

func TestCancelledWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newTest()
		a, other := b.Open(Frames, "ann", ""), b.Open(Frames, "ann", "")
		if !takes(a, 32*mib) {
			t.Fatal("no room")
		}
		ctx, cancel := context.WithCancelCause(t.Context())
		why := errors.New("gone")
		got := make(chan error)
		go func() { got <- other.Take(ctx, mib) }()
		synctest.Wait()
		cancel(why)
		if err := <-got; err != why {
			t.Errorf("got %v", err)
		}
		if other.Held() != 0 || b.Usage().Waiting != 0 {
			t.Error("it waits still")
		}
		a.Close()
		a.Give(mib)
		if takes(a, 1) {
			t.Error("a closed account takes")
		}
		other.Close()
		b.empty(t)
	})
}

// What does not fit into a kind's share is let in as that much, alone.
func TestLargerThanAll(t *testing.T) {
	b := newTest()
	a := b.Open(Replies, "ann", "")
	if !takes(a, 1<<40) || a.Held() != 128*mib {
		t.Errorf("it holds %d", a.Held())
	}
	a.Close()
	b.empty(t)
}

// Whoever takes and gives, cancels or closes, nothing is lost and no bound is passed.
func TestRandomUse(t *testing.T) {
	b := New(Options{Total: 8 * mib, User: mib, Address: 2 * mib, Patience: time.Millisecond})
	var group sync.WaitGroup
	for i := range 32 {
		group.Go(func() {
			random := rand.New(rand.NewPCG(1, uint64(i)))
			for range 50 {
				a := b.Open(Kind(random.IntN(int(kinds))), []string{"", "a", "b", "c"}[random.IntN(4)], []string{"", "1", "2"}[random.IntN(3)])
				for range random.IntN(6) {
					ctx, cancel := context.WithTimeout(context.Background(), time.Duration(random.IntN(2000))*time.Microsecond)
					_ = a.Take(ctx, 1+random.Int64N(int64(1)<<random.IntN(22)))
					cancel()
					if held := b.Held(); held > 8*mib {
						t.Errorf("%d bytes are held", held)
					}
					a.Give(random.Int64N(mib))
				}
				a.Close()
			}
		})
	}
	group.Wait()
	b.empty(t)
}

func BenchmarkSmall(b *testing.B) {
	a := newTest().Open(Frames, "ann", "10.0.0.1")
	b.ReportAllocs()
	for b.Loop() {
		if err := a.Take(context.Background(), 1024); err != nil {
			b.Fatal(err)
		}
		a.Give(1024)
	}
}
