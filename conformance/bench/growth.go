package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// How costs grow with the messages of a thread: each size is measured against a thread of
// the first.
var sizes = []int{100, 1000, 10_000, 50_000}

// The works that are measured. A turn sends what is new, "turn, whole history" all that the
// thread has, as most clients do. An attach comes without a position, "attach, 20 behind"
// with one.
var works = []string{"turn", "turn, whole history", "suspend", "resume", "attach", "attach, 20 behind"}

func (p plan) growth() (rows []row, samples []sample) {
	shown := []string{p50, serverCPU, redisCPU, allocated, objects, commands, toRedis, fromRedis}
	for _, size := range sizes {
		if size > 10_000 && !p.large || size > 1000 && p.quick {
			continue
		}
		g := growth{messages: size, times: p.of(20)}
		s := sample{name: fmt.Sprintf("growth at %d", size), take: g.take}
		for _, w := range works {
			s.cases = append(s.cases, g.name(w))
			r := row{fmt.Sprintf("growth: %s at %d messages, against %d", w, size, sizes[0]), g.name(w), growth{messages: sizes[0]}.name(w), shown}
			if size == sizes[0] {
				r.name, r.rival = fmt.Sprintf("growth: %s at %d messages", w, size), ""
			}
			rows = append(rows, r)
		}
		samples = append(samples, s)
	}
	return rows, samples
}

// growth measures on a thread with so many messages of 400 bytes.
type growth struct{ messages, times int }

func (g growth) name(work string) string { return fmt.Sprint(work, " at ", g.messages) }

type message struct {
	ID      string `json:"id"`
	Role    string `json:"role"`
	Content string `json:"content"`
}

func (g growth) take(ctx context.Context, b *bench) (map[string]figures, error) {
	p, t, end, err := b.talking(ctx)
	if err != nil {
		return nil, err
	}
	defer end()
	const thread = "growing"
	var history []message
	runs := 0
	send := func(messages []message) {
		runs++
		text, err := json.Marshal(map[string]any{"threadId": thread, "runId": fmt.Sprint("r", runs), "messages": messages})
		if t.err == nil {
			t.err = err
		}
		t.say("%s", text)
	}
	add := func(role, content string) []message {
		history = append(history, message{fmt.Sprintf("3f1c6f0e-5d0a-4b8e-9d64-%012d", len(history)), role, content})
		return history[len(history)-1:]
	}
	// The history comes in pieces, as it does in life, and each ends with a turn.
	for len(history) < g.messages && t.err == nil {
		from := len(history)
		for len(history) < min(from+1000, g.messages-1) {
			add([]string{"user", "assistant"}[len(history)%2], strings.Repeat("A sentence of usual length. ", 15)[:400])
		}
		add("user", "nothing")
		send(history[from:])
		t.hear(`"RUN_FINISHED"`)
	}
	cases := map[string]figures{}
	var asked []byte
	measure := func(work string, times int, do func() (float64, error)) error {
		f, err := p.measured(ctx, b, times, do)
		if err != nil {
			return fmt.Errorf("%s: %w", work, err)
		}
		cases[g.name(work)] = f
		return nil
	}
	turn := func(messages func() []message) func() (float64, error) {
		return timed(func() error {
			send(messages())
			t.hear(`"RUN_FINISHED"`)
			return t.err
		})
	}
	if err := measure("turn", g.times, turn(func() []message { return add("user", "nothing") })); err != nil {
		return nil, err
	}
	if err := measure("turn, whole history", g.times, turn(func() []message { add("user", "nothing"); return history })); err != nil {
		return nil, err
	}
	// Suspending and resuming go in turns, and are metered apart.
	suspend := func() float64 {
		at := time.Now()
		send(add("user", "/confirm Shall it be so?"))
		asked = t.hear(`"RUN_FINISHED"`)
		return us(at)
	}
	resume := func() float64 {
		at := time.Now()
		runs++
		t.approves(thread, fmt.Sprint("r", runs), asked)
		t.hear(`"RUN_FINISHED"`)
		return us(at)
	}
	suspend()
	resume()
	var halves [2][]figures
	var took [2][]float64
	for range g.times {
		for k, do := range []func() float64{suspend, resume} {
			m, err := b.meter(ctx, p.process, p.redis)
			if err != nil {
				return nil, err
			}
			took[k] = append(took[k], do())
			f, err := m.each(1)
			if t.err != nil {
				err = t.err
			}
			if err != nil {
				return nil, err
			}
			halves[k] = append(halves[k], f)
		}
	}
	for k, work := range []string{"suspend", "resume"} {
		// What a server does every now and then falls upon one of them.
		median := figures{p50: quantile(took[k], .5)}
		for name := range halves[k][0] {
			var each []float64
			for _, f := range halves[k] {
				each = append(each, f[name])
			}
			median[name] = quantile(each, .5)
		}
		cases[g.name(work)] = median
	}
	// Who is cut off in mid-answer comes back some deltas behind.
	send(add("user", "burst 30"))
	t.hear(`"RUN_FINISHED"`)
	epoch, seq, err := standing(p.addr, thread)
	if err = cmp.Or(t.err, err); err != nil {
		return nil, err
	}
	for work, from := range map[string]string{"attach": "", "attach, 20 behind": after(epoch, seq-20)} {
		if err := measure(work, g.times, func() (float64, error) {
			_, took, err := attached(p.addr, thread, from, `"ws.live"`)
			return took, err
		}); err != nil {
			return nil, err
		}
	}
	return cases, nil
}
