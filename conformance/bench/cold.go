package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
)

// How much a server that has never met a thread takes to tell it, against a bare socket that
// sends as many bytes which it has: what the wire bounds.

func (p plan) cold() (rows []row, samples []sample) {
	for _, size := range []int{1000, 10_000} {
		if size > 1000 && p.quick {
			continue
		}
		c := cold{messages: size, times: max(5, p.of(20))}
		samples = append(samples, sample{name: c.ours(), cases: []string{c.ours(), c.bare()}, take: c.take})
		rows = append(rows, row{fmt.Sprintf("cold attach at %d messages, against a bare send of its bytes", size), c.ours(), c.bare(), []string{p50, serverCPU, redisCPU}})
	}
	return rows, samples
}

// cold is a thread of so many messages of 400 bytes.
type cold struct{ messages, times int }

func (c cold) ours() string { return fmt.Sprint("cold attach at ", c.messages) }
func (c cold) bare() string { return fmt.Sprint("bare send at ", c.messages) }

func (c cold) take(ctx context.Context, b *bench) (map[string]figures, error) {
	p, t, end, err := b.talking(ctx)
	if err != nil {
		return nil, err
	}
	defer end()
	thread := func(i int) string { return fmt.Sprint("cold-", i) }
	for i := range c.times + 1 {
		c.fill(t, thread(i))
	}
	if t.err != nil {
		return nil, t.err
	}
	bare, err := b.start(ctx, "bare")
	if err != nil {
		return nil, err
	}
	defer bare.end()
	stranger, err := b.start(ctx, "aguiws", "--redis", p.redis.addr)
	if err != nil {
		return nil, err
	}
	defer stranger.end()
	var whole, sends, cpu, redis, bareCPU []float64
	for i := range c.times + 1 {
		took, used, bytes, err := c.attach(ctx, b, &pair{p.redis, stranger}, thread(i))
		if err != nil {
			return nil, err
		}
		sent, spent, err := c.send(ctx, b, bare, bytes)
		if err != nil {
			return nil, err
		}
		if i > 0 { // the first warms up
			whole, sends, cpu, bareCPU = append(whole, took), append(sends, sent), append(cpu, used[serverCPU]), append(bareCPU, spent)
			redis = append(redis, used[redisCPU])
		}
	}
	return map[string]figures{
		c.ours(): {p50: quantile(whole, .5), serverCPU: quantile(cpu, .5), redisCPU: quantile(redis, .5)},
		c.bare(): {p50: quantile(sends, .5), serverCPU: quantile(bareCPU, .5)},
	}, nil
}

// fill puts the messages into a thread.
func (c cold) fill(t *talk, thread string) {
	for from := 0; from < c.messages && t.err == nil; from += 1000 {
		messages := []message{}
		for i := from; i < min(from+1000, c.messages); i++ {
			messages = append(messages, message{fmt.Sprintf("3f1c6f0e-5d0a-4b8e-9d64-%012d", i), "user", strings.Repeat("A sentence of usual length. ", 15)[:400]})
		}
		messages[len(messages)-1].Content = "nothing"
		text, err := json.Marshal(map[string]any{"threadId": thread, "runId": fmt.Sprint("r", from), "messages": messages})
		if err != nil {
			t.err = err
		}
		t.say("%s", text)
		t.hear(`"RUN_FINISHED"`)
	}
	t.leaves(thread)
}

func (c cold) attach(ctx context.Context, b *bench, p *pair, thread string) (took float64, used figures, bytes int, err error) {
	s, err := greeted(p.addr)
	if err != nil {
		return 0, nil, 0, err
	}
	defer s.Close()
	return c.asked(ctx, b, p.process, p.redis, s, `"ws.live"`, `{"type":"ws.attach","threadId":%q}`, thread)
}

func (c cold) send(ctx context.Context, b *bench, p *process, bytes int) (took, used float64, err error) {
	s, err := dialSocket(p.addr, "/send", "", 16<<10)
	if err != nil {
		return 0, 0, err
	}
	defer s.Close()
	// The first time it makes what it sends.
	for range 2 {
		var f figures
		if took, f, _, err = c.asked(ctx, b, p, nil, s, sent, "%d", bytes); err != nil {
			break
		}
		used = f[serverCPU]
	}
	return took, used, err
}

// asked is a question, and how long its answer took, what the server and the Redis used, if there
// is one, and how many bytes it has.
func (c cold) asked(ctx context.Context, b *bench, p *process, r *redisServer, s *socket, mark, format string, args ...any) (took float64, used figures, bytes int, err error) {
	m, err := b.meter(ctx, p, r)
	if err != nil {
		return 0, nil, 0, err
	}
	before := s.sum
	took, err = timed(func() error {
		err := s.send(format, args...)
		if err == nil {
			_, err = s.until(mark)
		}
		return err
	})()
	if err != nil {
		return 0, nil, 0, err
	}
	used, err = m.each(1)
	return took, used, s.sum - before, err
}
