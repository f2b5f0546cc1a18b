package main

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/aguiws/aguiws/conformance/bench/drive"
)

func (p plan) sockets() (rows []row, samples []sample) {
	n := p.of(5000)
	for _, c := range []idle{
		{"bare, idle", "bare", "/idle", "", false, n},
		{"aguiws, idle", "aguiws", "/agui/ws", "agui.v1.json", true, n},
	} {
		samples = append(samples, sample{name: c.name, cases: []string{c.name}, take: c.take})
	}
	return []row{{"idle attached sockets, against bare", "aguiws, idle", "bare, idle", []string{resident, goroutines}}}, samples
}

// goroutines are those that a socket adds.
const goroutines = "goroutines"

// idle weighs sockets that nothing happens on. Ours are attached to a thread each, and have
// been pinged: they have shown what they keep for that.
type idle struct {
	name, server, path, protocol string
	attached                     bool
	sockets                      int
}

func (c idle) take(ctx context.Context, b *bench) (map[string]figures, error) {
	var args []string
	if c.attached {
		redis, err := b.startRedis(ctx, "none")
		if err != nil {
			return nil, err
		}
		defer redis.end()
		args = []string{"--redis", redis.addr}
	}
	p, err := b.start(ctx, c.server, args...)
	if err != nil {
		return nil, err
	}
	defer p.end()
	// The first ones pay for what all share.
	const first = 100
	opened := make([]*socket, first+c.sockets)
	var reading sync.WaitGroup
	defer reading.Wait()
	defer func() {
		for _, s := range opened {
			if s != nil {
				_ = s.Close()
			}
		}
	}()
	pinged := make(chan struct{}, len(opened))
	open := func(i int) error {
		s, err := dialSocket(p.addr, c.path, c.protocol, 1024)
		if err != nil {
			return err
		}
		opened[i] = s
		s.pinged = sync.OnceFunc(func() { pinged <- struct{}{} })
		if c.attached {
			if err := s.send(`{"type":"ws.attach","threadId":"thread-%d"}`, i); err != nil {
				return err
			}
			if _, err := s.until(`"ws.live"`); err != nil {
				return err
			}
			if err := s.SetReadDeadline(time.Time{}); err != nil {
				return err
			}
		}
		reading.Go(func() {
			for {
				if _, err := s.next(); err != nil {
					return
				}
			}
		})
		return nil
	}
	fill := func(from, to int) error {
		errs := make([]error, 16)
		var group sync.WaitGroup
		next := atomic.Int64{}
		next.Store(int64(from))
		for k := range errs {
			group.Go(func() {
				for i := int(next.Add(1)) - 1; i < to && errs[k] == nil; i = int(next.Add(1)) - 1 {
					errs[k] = open(i)
				}
			})
		}
		group.Wait()
		for _, err := range errs {
			if err != nil {
				return fmt.Errorf("%w (a descriptor a socket is needed: ulimit -n)", err)
			}
		}
		return nil
	}
	var before, after drive.Usage
	if err := fill(0, first); err != nil {
		return nil, err
	}
	if err := p.ask("rest", &before); err != nil {
		return nil, err
	}
	if err := fill(first, len(opened)); err != nil {
		return nil, err
	}
	if c.attached {
		for late := time.After(2 * patience); len(pinged) < len(opened); {
			select {
			case <-late:
				return nil, fmt.Errorf("%d of %d sockets have been pinged", len(pinged), len(opened))
			case <-ctx.Done():
				return nil, ctx.Err()
			case <-time.After(100 * time.Millisecond):
			}
		}
	}
	if err := p.ask("rest", &after); err != nil {
		return nil, err
	}
	of := float64(c.sockets)
	return map[string]figures{c.name: {
		resident:   float64(after.Resident-before.Resident) / of,
		goroutines: float64(after.Goroutines-before.Goroutines) / of,
	}}, nil
}
