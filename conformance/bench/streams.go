package main

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/aguiws/aguiws/conformance/bench/drive"
)

// streaming is a case in which runs emit and clients read.
type streaming struct {
	name    string
	server  string // a role, or a rival
	args    []string
	redis   string // appendfsync; "none": no AOF; "": it needs no Redis
	kind    string // of the clients
	clients int
	events  int     // of each run
	rate    float64 // of each run, a second; 0: as fast as it goes
	fan     bool    // one run, which all clients follow
	apart   bool    // the clients are at another server than the runs
	behind  bool    // the agent is at another server, which is not measured
}

func (c streaming) take(ctx context.Context, b *bench) (map[string]figures, error) {
	var redis *redisServer
	var err error
	args := c.args
	if c.redis != "" {
		if redis, err = b.startRedis(ctx, c.redis); err != nil {
			return nil, err
		}
		defer redis.end()
		args = append([]string{"--redis", redis.addr}, args...)
	}
	var stage *process
	if c.behind {
		if stage, err = b.start(ctx, "upstream"); err != nil {
			return nil, err
		}
		defer stage.end()
		args = append([]string{"--upstream", "http://" + stage.addr + "/"}, args...)
	}
	runs, err := b.start(ctx, c.server, args...)
	if err != nil {
		return nil, err
	}
	defer runs.end()
	if stage == nil {
		stage = runs
	}
	followed := runs
	if c.apart {
		if followed, err = b.start(ctx, c.server, args...); err != nil {
			return nil, err
		}
		defer followed.end()
	}
	clients, err := b.start(ctx, "clients")
	if err != nil {
		return nil, err
	}
	defer clients.end()
	tell := func(o order, answer any) error {
		text, err := json.Marshal(o)
		if err != nil {
			return err
		}
		return clients.ask(string(text), answer)
	}
	threads, salt := c.clients, fmt.Sprint("t", time.Now().UnixNano())
	if c.fan {
		threads = 1
	}
	var nothing struct{}
	if c.kind == "attach" {
		if err := tell(order{Do: "open", Kind: "begin", Addr: runs.addr, Clients: threads, Salt: salt}, &nothing); err != nil {
			return nil, err
		}
	}
	if err := tell(order{Do: "open", Kind: c.kind, Addr: followed.addr, Clients: c.clients, Threads: threads, Salt: salt}, &nothing); err != nil {
		return nil, err
	}
	phase := func(n int) (begun drive.Usage, a arrived, err error) {
		if err = tell(order{Do: "expect", Events: n}, &nothing); err == nil {
			err = stage.ask(fmt.Sprint("go ", n, " ", c.rate), &begun)
		}
		if err == nil {
			err = tell(order{Do: "wait"}, &a)
		}
		return
	}
	if _, _, err := phase(max(5, c.events/10)); err != nil { // to warm up
		return nil, err
	}
	m, err := b.meter(ctx, runs, redis)
	if err != nil {
		return nil, err
	}
	other, err := followed.used()
	if err != nil {
		return nil, err
	}
	busy := machine()
	begun, a, err := phase(c.events)
	if err != nil {
		return nil, err
	}
	share := machine().since(busy)
	f, err := m.each(a.Events)
	if err != nil {
		return nil, err
	}
	if c.apart {
		then, err := followed.used()
		if err != nil {
			return nil, err
		}
		f[serverCPU] += float64(then.CPU-other.CPU) / float64(a.Events)
	}
	f[rate] = float64(a.Events) / float64(a.Last-begun.At) * 1e6
	f[clientCPU] = float64(a.CPU) / float64(a.Events)
	f[p50], f[p99] = a.P50, a.P99
	f[others] = elsewhere(share, (f[serverCPU]+f[redisCPU]+f[clientCPU])*float64(a.Events), float64(m.used.At-begun.At))
	return map[string]figures{c.name: f}, nil
}
