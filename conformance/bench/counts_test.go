package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/aguiws/aguiws/internal/suite"
)

// limits are what a piece of work may take from end to end, in counts: of a real
// redis-server, and of a server in a process of its own. Times are nobody's promise here.
//
// To tighten one, or to add one: go test ./conformance/bench -run TestCounts -v says what was
// counted. Leave a fifth of head room for how events happen to gather into batches, and half
// for objects, of which -race makes more. What one call of the store may cost is guarded in
// redisstore (TestRoundTrips, TestInboxPageCostsTheSame), and what one event costs inside
// the adapter and the server beside them.
var limits = []struct {
	work   string
	figure string
	most   float64
}{
	{"event", commands, 0.5}, // it is far less where batches form
	{"event", toRedis, 250},
	{"event", objects, 6},
	{"cycle", commands, 98},
	{"cycle", toRedis, 20_500},
	{"cycle", fromRedis, 2500},
	{"cycle", objects, 4500},
	{"cycle", allocated, 350_000},
	{"turn at 100", commands, 50},
	{"turn at 100", toRedis, 7000},
	{"turn at 100", fromRedis, 3000},
	{"turn at 100", objects, 1500},
	{"suspend at 100", commands, 55},
	{"suspend at 100", toRedis, 9500},
	{"suspend at 100", fromRedis, 3000},
	{"resume at 100", commands, 56},
	{"resume at 100", toRedis, 11_000},
	{"resume at 100", fromRedis, 2000},
	{"attach at 100", commands, 9},
	{"attach at 100", fromRedis, 25_000},
	{"attach at 100", objects, 1500},
	{"attach at 100", allocated, 265_000},
	{"attach, 20 behind at 100", commands, 10},
	{"attach, 20 behind at 100", toRedis, 1500},
	{"attach, 20 behind at 100", fromRedis, 5500},
	{"attach, one missed", commands, 10},
	{"attach, one missed", toRedis, 1700},
	{"attach, one missed", fromRedis, 1000},
	{"attach, one missed", objects, 600},
}

func TestCounts(t *testing.T) {
	suite.Full(t)
	needRedis(t)
	b := prepared(t)
	counted := countedOnce(t, b)
	// What a server does by the clock falls into some of them. What the work costs, it costs
	// each time.
	for again := 0; again < 4 && over(counted) != nil; again++ {
		for work, f := range countedOnce(t, b) {
			for figure, n := range f {
				counted[work][figure] = min(counted[work][figure], n)
			}
		}
	}
	for _, work := range slices.Sorted(maps.Keys(counted)) {
		f := counted[work]
		t.Logf("%-24s %5.1f commands, %.0f B to Redis, %.0f B from it; allocated %.0f B, %.1f objects",
			work, f[commands], f[toRedis], f[fromRedis], f[allocated], f[objects])
	}
	for _, broken := range over(counted) {
		t.Error(broken)
	}
}

func countedOnce(t *testing.T, b *bench) map[string]figures {
	counted := map[string]figures{}
	for _, take := range []func(context.Context, *bench) (map[string]figures, error){
		cycle{clients: 10, each: 3}.take, growth{messages: 100, times: 5}.take, oneEvent, oneMissed,
	} {
		cases, err := take(t.Context(), b)
		if err != nil {
			t.Fatal(err)
		}
		maps.Copy(counted, cases)
	}
	return counted
}

// over says which limits are not kept.
func over(counted map[string]figures) (broken []string) {
	for _, l := range limits {
		got, there := counted[l.work][l.figure]
		if !there || got > l.most {
			broken = append(broken, fmt.Sprintf("%s: %s: %.1f, and at most %v are promised", l.work, l.figure, got, l.most))
		}
	}
	return broken
}

// oneEvent is one of a streamed text.
func oneEvent(ctx context.Context, b *bench) (map[string]figures, error) {
	return metered(ctx, b, "event", 2000, func(t *talk, _ string) {
		t.asks("text", fmt.Sprint("r", t.sum), "burst 2000")
		t.hear(`"RUN_FINISHED"`)
	})
}

// oneMissed is an attach, on a new socket, one event behind.
func oneMissed(ctx context.Context, b *bench) (map[string]figures, error) {
	const times = 20
	begun, epoch, seq := false, "", int64(0)
	return metered(ctx, b, "attach, one missed", times, func(t *talk, addr string) {
		if !begun {
			begun = true
			t.asks("missed", "r1", "nothing")
			t.hear(`"RUN_FINISHED"`)
			if t.err == nil {
				epoch, seq, t.err = standing(addr, "missed")
			}
			return
		}
		for range times {
			if t.err == nil {
				_, t.err = behind(addr, "missed", epoch, seq)
			}
		}
	})
}

// metered does something once, and counts the least that it takes of some times: a server that
// has just been started has much to look after, for longer where the machine is busy.
func metered(ctx context.Context, b *bench, name string, n int, do func(t *talk, addr string)) (map[string]figures, error) {
	p, t, end, err := b.talking(ctx)
	if err != nil {
		return nil, err
	}
	defer end()
	do(t, p.addr)
	least := figures{}
	for again := range 4 {
		m, err := b.meter(ctx, p.process, p.redis)
		if err != nil {
			return nil, err
		}
		do(t, p.addr)
		f, err := m.each(n)
		if t.err != nil {
			err = t.err
		}
		if err != nil {
			return nil, err
		}
		for figure, took := range f {
			if again > 0 {
				took = min(took, least[figure])
			}
			least[figure] = took
		}
	}
	return map[string]figures{name: least}, nil
}
