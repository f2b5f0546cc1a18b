package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
)

// counts are of suspended runs in one Redis, each measured against the first.
var counts = []int{1000, 20_000, 1_000_000}

func (p plan) suspended() (rows []row, samples []sample) {
	shown := []string{p50, serverCPU, redisCPU, commands, toRedis, fromRedis}
	works := []string{"inbox page of 50", "one more suspension"}
	var sizes []int
	for _, n := range counts {
		if n > 20_000 && !p.large || n > 1000 && p.quick {
			continue
		}
		sizes = append(sizes, n)
	}
	s := suspended{sizes: sizes, times: p.of(50), works: works}
	all := sample{name: "suspended runs", take: s.take}
	for _, w := range works {
		for _, n := range sizes {
			all.cases = append(all.cases, s.name(w, n))
			r := row{fmt.Sprintf("suspended: %s, %d open against %d", w, n, sizes[0]), s.name(w, n), s.name(w, sizes[0]), shown}
			if n == sizes[0] {
				r.name, r.rival = fmt.Sprintf("suspended: %s, %d open", w, n), ""
			}
			rows = append(rows, r)
		}
	}
	return rows, []sample{all}
}

// suspended measures what stays flat, as suspended runs become more.
type suspended struct {
	sizes []int
	times int
	works []string // a page of the inbox; a run that asks
}

func (suspended) name(work string, n int) string { return fmt.Sprintf("%s at %d", work, n) }

func (c suspended) take(ctx context.Context, b *bench) (map[string]figures, error) {
	p, t, end, err := b.talking(ctx)
	if err != nil {
		return nil, err
	}
	defer end()
	cases, open, asked := map[string]figures{}, 0, 0
	page := func() error {
		resp, err := http.Get("http://" + p.addr + "/v1/inbox?limit=50")
		if err != nil {
			return err
		}
		defer resp.Body.Close()
		text, err := io.ReadAll(resp.Body)
		if err == nil && resp.StatusCode != http.StatusOK {
			err = fmt.Errorf("inbox: %s: %s", resp.Status, text)
		}
		return err
	}
	ask := func() error {
		asked++
		thread := fmt.Sprint("more-", asked)
		t.asks(thread, "r1", tool)
		t.hear(`"RUN_FINISHED"`)
		t.leaves(thread)
		return t.err
	}
	for _, n := range c.sizes {
		var took struct{ Seconds float64 }
		if err := p.ask(fmt.Sprintf("suspend %d %d", open, n), &took); err != nil {
			return nil, err
		}
		open = n
		for i, do := range []func() error{page, ask} {
			f, err := p.measured(ctx, b, c.times, timed(do))
			if err != nil {
				return nil, fmt.Errorf("%s: %w", c.name(c.works[i], n), err)
			}
			cases[c.name(c.works[i], n)] = f
		}
	}
	return cases, nil
}
