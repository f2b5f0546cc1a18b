package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/aguiws/aguiws/conformance/bench/drive"
)

func (p plan) conversations() (rows []row, samples []sample) {
	latency := []string{p50, p99}
	replayed := append(latency, serverCPU)
	within := []string{p50, serverCPU, redisCPU, allocated, objects, commands, toRedis, fromRedis}
	samples = []sample{
		{name: "cycle", cases: []string{"cycle"}, take: cycle{clients: 100, each: p.of(20)}.take},
		{name: "trips", cases: []string{"begin", "answer", "attach", "echo 1", "echo 2"}, take: trips{n: p.of(200)}.take},
		{name: "replay 500", cases: []string{"replay 500", "range 500"}, take: replay{events: 500, times: p.of(100)}.take},
		{name: "replay 10,000", cases: []string{"replay 10,000", "range 10,000"}, take: replay{events: 10_000, times: p.of(20)}.take},
	}
	return []row{
		{"approval cycle, 100 clients", "cycle", "", append([]string{"cycles/s", others}, within...)},
		{"attach with one missed, against a bare socket with a PING", "attach", "echo 1", latency},
		{"input to RUN_STARTED, against a bare socket with two PINGs", "begin", "echo 2", latency},
		{"answer to RUN_STARTED, against a bare socket with two PINGs", "answer", "echo 2", latency},
		{"replay of 500, against a bare range read", "replay 500", "range 500", replayed},
		{"replay of 10,000, against a bare range read", "replay 10,000", "range 10,000", replayed},
	}, samples
}

// pair is a Redis and a server of ours on it.
type pair struct {
	redis *redisServer
	*process
}

func (b *bench) pair(ctx context.Context) (*pair, error) {
	redis, err := b.startRedis(ctx, "none")
	if err != nil {
		return nil, err
	}
	p, err := b.start(ctx, "aguiws", "--redis", redis.addr)
	if err != nil {
		redis.end()
		return nil, err
	}
	return &pair{redis, p}, nil
}

func (p *pair) end() {
	p.process.end()
	p.redis.end()
}

// talking is a socket at a server of its own. The caller calls end.
func (b *bench) talking(ctx context.Context) (p *pair, t *talk, end func(), err error) {
	if p, err = b.pair(ctx); err != nil {
		return nil, nil, nil, err
	}
	s, err := greeted(p.addr)
	if err != nil {
		p.end()
		return nil, nil, nil, err
	}
	return p, &talk{socket: s}, func() { _ = s.Close(); p.end() }, nil
}

// measured does something so many times, once before to warm up, and meters it. do returns
// how long what counts of it took.
func (p *pair) measured(ctx context.Context, b *bench, times int, do func() (float64, error)) (figures, error) {
	if _, err := do(); err != nil {
		return nil, err
	}
	m, err := b.meter(ctx, p.process, p.redis)
	if err != nil {
		return nil, err
	}
	took := make([]float64, times)
	for i := range took {
		if took[i], err = do(); err != nil {
			return nil, err
		}
	}
	f, err := m.each(times)
	if err == nil {
		f[p50] = quantile(took, .5)
	}
	return f, err
}

// timed is something of which all counts.
func timed(do func() error) func() (float64, error) {
	return func() (float64, error) {
		at := time.Now()
		err := do()
		return us(at), err
	}
}

// greeted opens a socket of the binding.
func greeted(addr string) (*socket, error) {
	s, err := dialSocket(addr, "/agui/ws", "agui.v1.json", 16<<10)
	if err != nil {
		return nil, err
	}
	_, err = s.until(`"ws.hello"`)
	return s, err
}

// talk sends texts and takes the times that they are answered in, until the first error.
type talk struct {
	*socket
	err error
}

func (t *talk) say(format string, args ...any) {
	if t.err == nil {
		t.err = t.send(format, args...)
	}
}

func (t *talk) hear(mark string) (text []byte) {
	if t.err == nil {
		text, t.err = t.until(mark)
	}
	return text
}

// asks sends a message of a user.
func (t *talk) asks(thread, label, text string) {
	t.say(`{"threadId":%q,"runId":%q,"messages":[{"id":"m-%s-%s","role":"user","content":%q}]}`, thread, label, thread, label, text)
}

const tool = `/tool send_email {"to":"ann@example.com","subject":"Invoice"}`

// approves answers the interrupt with which a run has ended.
func (t *talk) approves(thread, label string, finished []byte) {
	var e struct {
		Outcome struct {
			Interrupts []struct {
				ID string `json:"id"`
			} `json:"interrupts"`
		} `json:"outcome"`
	}
	if t.err == nil {
		t.err = json.Unmarshal(finished, &e)
	}
	if t.err == nil && len(e.Outcome.Interrupts) != 1 {
		t.err = fmt.Errorf("it asks nothing: %s", finished)
	}
	if t.err == nil {
		t.say(`{"threadId":%q,"runId":%q,"messages":[],"resume":[{"interruptId":%q,"status":"resolved","payload":{"approved":true}}]}`,
			thread, label, e.Outcome.Interrupts[0].ID)
	}
}

func (t *talk) leaves(thread string) {
	t.say(`{"type":"ws.detach","threadId":%q}`, thread)
	t.hear(`"ws.detached"`)
}

func us(since time.Time) float64 { return float64(time.Since(since).Nanoseconds()) / 1e3 }

func latencies(took []float64) figures {
	return figures{p50: quantile(took, .5), p99: quantile(took, .99)}
}

// cycle is a proposed call, its approval, and the end, by many clients at once, each on one
// new thread after the other.
type cycle struct{ clients, each int }

func (c cycle) take(ctx context.Context, b *bench) (map[string]figures, error) {
	p, err := b.pair(ctx)
	if err != nil {
		return nil, err
	}
	defer p.end()
	talks := make([]*talk, c.clients)
	for i := range talks {
		s, err := greeted(p.addr)
		if err != nil {
			return nil, err
		}
		defer s.Close()
		talks[i] = &talk{socket: s}
	}
	all := func(round string, each int) (took []float64, err error) {
		var mu sync.Mutex
		var group sync.WaitGroup
		for i, t := range talks {
			group.Go(func() {
				var mine []float64
				for k := range each {
					thread, began := fmt.Sprintf("cycle-%s-%d-%d", round, i, k), time.Now()
					t.asks(thread, "r1", tool)
					t.approves(thread, "r2", t.hear(`"RUN_FINISHED"`))
					t.hear(`"RUN_FINISHED"`)
					mine = append(mine, us(began))
					t.leaves(thread)
				}
				mu.Lock()
				defer mu.Unlock()
				took = append(took, mine...)
				if t.err != nil {
					err = t.err
				}
			})
		}
		group.Wait()
		return took, err
	}
	if _, err := all("first", 2); err != nil {
		return nil, err
	}
	m, err := b.meter(ctx, p.process, p.redis)
	if err != nil {
		return nil, err
	}
	began, busy, mine := time.Now(), machine(), drive.CPU()
	took, err := all("then", c.each)
	if err != nil {
		return nil, err
	}
	within, share, mine := us(began), machine().since(busy), drive.CPU()-mine
	f, err := m.each(len(took))
	if err != nil {
		return nil, err
	}
	f["cycles/s"] = float64(len(took)) / within * 1e6
	f[p50], f[p99] = quantile(took, .5), quantile(took, .99)
	f[others] = elsewhere(share, (f[serverCPU]+f[redisCPU])*float64(len(took))+float64(mine), within)
	return map[string]figures{"cycle": f}, nil
}

// trips are what one client waits for, and what a bare socket takes for as many round trips
// to the same Redis.
type trips struct{ n int }

func (c trips) take(ctx context.Context, b *bench) (map[string]figures, error) {
	p, t, end, err := b.talking(ctx)
	if err != nil {
		return nil, err
	}
	defer end()
	bare, err := b.start(ctx, "echo", "--redis", p.redis.addr)
	if err != nil {
		return nil, err
	}
	defer bare.end()
	e, err := dialSocket(bare.addr, "/", "", 4<<10)
	if err != nil {
		return nil, err
	}
	defer e.Close()
	echo := &talk{socket: e}
	var begin, answer, attach, one, two []float64
	for i := range c.n + 10 {
		if i == 10 { // what comes first warms up
			begin, answer, attach, one, two = nil, nil, nil, nil, nil
		}
		thread, at := fmt.Sprint("trip-", i), time.Now()
		t.asks(thread, "r1", tool)
		t.hear(`"RUN_STARTED"`)
		begin = append(begin, us(at))
		asked := t.hear(`"RUN_FINISHED"`)
		at = time.Now()
		t.approves(thread, "r2", asked)
		t.hear(`"RUN_STARTED"`)
		answer = append(answer, us(at))
		t.hear(`"RUN_FINISHED"`)
		t.leaves(thread)
		for trips, took := range map[string]*[]float64{"1": &one, "2": &two} {
			at = time.Now()
			echo.say("%s", trips)
			echo.hear(`"echo"`)
			*took = append(*took, us(at))
		}
		// A client that comes back and has missed the last event.
		if t.err == nil {
			var took float64
			if took, t.err = missedOne(p.addr, thread); t.err == nil {
				attach = append(attach, took)
			}
		}
		if t.err != nil || echo.err != nil {
			return nil, fmt.Errorf("%w %w", t.err, echo.err)
		}
	}
	return map[string]figures{"begin": latencies(begin), "answer": latencies(answer), "attach": latencies(attach),
		"echo 1": latencies(one), "echo 2": latencies(two)}, nil
}

// missedOne is behind for who does not know where the log ends.
func missedOne(addr, thread string) (float64, error) {
	epoch, seq, err := standing(addr, thread)
	if err != nil {
		return 0, err
	}
	return behind(addr, thread, epoch, seq)
}

// behind is how long an attach takes on a new socket until the log's last event has come,
// which is the only one that it has missed.
func behind(addr, thread, epoch string, seq int64) (float64, error) {
	_, took, err := attached(addr, thread, after(epoch, seq-1), `"RUN_FINISHED"`)
	return took, err
}

// after is the position with which a client comes back.
func after(epoch string, seq int64) string {
	return fmt.Sprintf(`,"after":{"epoch":%q,"seq":%d}`, epoch, seq)
}

// attached attaches on a new socket, and returns the first frame with the mark and how long
// that took.
func attached(addr, thread, after, mark string) (text []byte, took float64, err error) {
	s, err := greeted(addr)
	if err != nil {
		return nil, 0, err
	}
	defer s.Close()
	at := time.Now()
	if err = s.send(`{"type":"ws.attach","threadId":%q%s}`, thread, after); err == nil {
		text, err = s.until(mark)
	}
	return text, us(at), err
}

// standing is the end of a thread's log.
func standing(addr, thread string) (epoch string, seq int64, err error) {
	text, _, err := attached(addr, thread, "", `"ws.attached"`)
	if err != nil {
		return "", 0, err
	}
	var at struct {
		Epoch string `json:"epoch"`
		Seq   int64  `json:"seq"`
	}
	err = json.Unmarshal(text, &at)
	return at.Epoch, at.Seq, err
}

// replay is an attach so many events behind, and the read of as many as long ones from a
// list.
type replay struct{ events, times int }

func (c replay) take(ctx context.Context, b *bench) (map[string]figures, error) {
	p, t, end, err := b.talking(ctx)
	if err != nil {
		return nil, err
	}
	defer end()
	t.asks("long", "r1", fmt.Sprint("burst ", c.events))
	t.hear(`"RUN_FINISHED"`)
	if t.err != nil {
		return nil, t.err
	}
	epoch, seq, err := standing(p.addr, "long")
	if err != nil {
		return nil, err
	}
	events := make([]any, c.events)
	for i := range events {
		events[i] = drive.Append(nil, i)
	}
	if err := p.redis.RPush(ctx, "bare", events...).Err(); err != nil {
		return nil, err
	}
	var whole, bare []float64
	var m *meter
	for i := range c.times + 2 {
		if i == 2 { // the first ones warm up
			if m, err = b.meter(ctx, p.process, nil); err != nil {
				return nil, err
			}
		}
		s, err := greeted(p.addr)
		if err != nil {
			return nil, err
		}
		at := time.Now()
		err = s.send(`{"type":"ws.attach","threadId":"long"%s}`, after(epoch, seq-int64(c.events)))
		for left := c.events; err == nil && left > 0; {
			var text []byte
			if text, err = s.next(); !bytes.HasPrefix(text, []byte(`{"type":"ws.`)) {
				left--
			} else if bytes.Contains(text, []byte(`"recovered":false`)) {
				err = fmt.Errorf("it was restated: %s", text)
			}
		}
		whole = append(whole, us(at))
		_ = s.Close()
		if err != nil {
			return nil, err
		}
		at = time.Now()
		got, err := p.redis.LRange(ctx, "bare", 0, -1).Result()
		bare = append(bare, us(at))
		if err != nil || len(got) != c.events {
			return nil, fmt.Errorf("%d events, %w", len(got), err)
		}
	}
	used, err := m.each(c.times)
	if err != nil {
		return nil, err
	}
	ours := latencies(whole[2:])
	ours[serverCPU] = used[serverCPU]
	name := strings.Replace(fmt.Sprint(c.events), "10000", "10,000", 1)
	return map[string]figures{"replay " + name: ours, "range " + name: latencies(bare[2:])}, nil
}
