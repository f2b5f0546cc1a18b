package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/coder/websocket"
	"github.com/redis/go-redis/v9"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/runner"
	"github.com/aguiws/aguiws/adapter/script"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/conformance/bench/drive"
	"github.com/aguiws/aguiws/gateway"
	"github.com/aguiws/aguiws/protocol"
	"github.com/aguiws/aguiws/redisstore"
	"github.com/aguiws/aguiws/server"
)

// roleVariable of the environment makes this command one of the processes of a sample.
const roleVariable = "AGUIWS_BENCH_ROLE"

func play(kind string, args []string) error {
	flags := flag.NewFlagSet(kind, flag.ExitOnError)
	redis := flags.String("redis", "", "host:port")
	window := flags.Int("window", 0, "events of a run that are not acknowledged; 0: as many as the adapter lets be")
	linger := flags.Duration("linger", 0, "for how long deltas wait for company; 0: as by default; negative: not at all")
	upstream := flags.String("upstream", "", "`URL` of the agent; empty: one of its own")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if kind == "clients" {
		return (&clients{}).obey(os.Stdin, os.Stdout)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	switch kind {
	case "aguiws":
		return serve(l, *redis, *upstream, *window, *linger)
	case "upstream":
		return serveUpstream(l)
	case "bare":
		return serveBare(l)
	case "echo":
		return serveEcho(l, *redis)
	}
	return fmt.Errorf("%s is no role", kind)
}

// serve is this server with an agent that emits when it is told to, and obeys the script
// agent's commands otherwise; or before an upstream.
func serve(l net.Listener, redis, upstream string, window int, linger time.Duration) error {
	ctx := context.Background()
	opened, err := redisstore.Open(ctx, "redis://"+redis, nil)
	if err != nil {
		return err
	}
	defer opened.Close()
	windows := &windows{Store: opened, size: window}
	var kept store.Store = opened
	if window > 0 {
		kept = windows
	}
	stage, scripted := drive.NewStage(), script.New(script.Options{})
	var agent adapter.Agent = adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
		word, rest, _ := strings.Cut(said(run.Input()), " ")
		switch word {
		case "nothing":
			return nil
		case "burst":
			n, err := strconv.Atoi(rest)
			if err != nil {
				return err
			}
			return stream(run, func(emit func(int) error) error {
				for i := range n {
					if err := emit(i); err != nil {
						return err
					}
				}
				return nil
			})
		case "emit":
			phase, room := stage.Upcoming(), windows.of(run.ThreadID())
			return stream(run, func(emit func(int) error) error {
				return stage.Emit(phase, ctx.Done(), 1, func(i int) error {
					if room != nil {
						select {
						case room <- struct{}{}:
						case <-ctx.Done():
							return ctx.Err()
						}
					}
					return emit(i)
				})
			})
		}
		return scripted.Run(ctx, run)
	})
	if upstream != "" {
		if agent, err = gateway.New(upstream, nil); err != nil {
			return err
		}
	}
	quiet := slog.New(slog.DiscardHandler)
	runs, err := runner.New(kept, &runner.Options{Agents: map[string]adapter.Agent{"": agent}, Linger: linger, Logger: quiet})
	if err != nil {
		return err
	}
	s, err := server.New(runs, &server.Options{Logger: quiet, Sockets: 1 << 20, FramesPerSecond: 1e6, FrameBurst: 1e6, MaxFrameBytes: 64 << 20})
	if err != nil {
		return err
	}
	go s.Serve(l)
	defer func() {
		ctx, cancel := context.WithTimeout(ctx, time.Second)
		defer cancel()
		_ = s.Shutdown(ctx)
	}()
	return stage.Serve(l.Addr().String(), os.Stdin, os.Stdout)
}

// said is the last message of a user.
func said(in *protocol.RunAgentInput) string {
	for i := len(in.Messages) - 1; i >= 0; i-- {
		if in.Messages[i].Role == protocol.RoleUser {
			return in.Messages[i].Content.String()
		}
	}
	return ""
}

// stream is one message.
func stream(run *adapter.Run, deltas func(emit func(int) error) error) error {
	if err := run.Emit(&protocol.TextMessageStart{MessageID: drive.MessageID}); err != nil {
		return err
	}
	if err := deltas(func(i int) error {
		return run.Emit(&protocol.TextMessageContent{Base: protocol.Base{Timestamp: time.Now().UnixMicro()}, MessageID: drive.MessageID, Delta: drive.Delta(i)})
	}); err != nil {
		return err
	}
	return run.Emit(&protocol.TextMessageEnd{MessageID: drive.MessageID})
}

// windows bounds how many events of a run are not acknowledged: as an agent is bounded that
// waits for its events, or a publisher that publishes one after the other.
type windows struct {
	store.Store
	size int
	mu   sync.Mutex
	room map[string]chan struct{} // by thread
}

func (w *windows) of(thread string) chan struct{} {
	if w.size == 0 {
		return nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.room == nil {
		w.room = map[string]chan struct{}{}
	}
	w.room[thread] = make(chan struct{}, w.size)
	return w.room[thread]
}

func (w *windows) Commit(ctx context.Context, b store.Batch) (store.CommitResult, error) {
	r, err := w.Store.Commit(ctx, b)
	w.committed(b.Claim.Thread.Thread, len(b.Events))
	return r, err
}

func (w *windows) Send(ctx context.Context, b store.Batch, answered func(store.CommitResult, error)) bool {
	thread, events := b.Claim.Thread.Thread, len(b.Events)
	return w.Store.(store.Sender).Send(ctx, b, func(r store.CommitResult, err error) {
		w.committed(thread, events)
		answered(r, err)
	})
}

func (w *windows) committed(thread string, events int) {
	w.mu.Lock()
	room := w.room[thread]
	w.mu.Unlock()
	for range events {
		select {
		case <-room:
		default: // events beside those of the stage
		}
	}
}

// serveBare is what one writes with coder/websocket alone: an event, a Write. At /shared
// all sockets get the same events, by a queue each. At /idle it waits for messages. At /send
// it answers a number with a text of as many bytes, at once.
func serveBare(l net.Listener) error {
	stage := drive.NewStage()
	var mu sync.Mutex
	queues := map[chan []byte]bool{}
	var once sync.Once
	share := func(e []byte) {
		mu.Lock()
		list := make([]chan []byte, 0, len(queues))
		for q := range queues {
			list = append(list, q)
		}
		mu.Unlock()
		for _, q := range list {
			q <- e
		}
	}
	go http.Serve(l, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		phase := stage.Upcoming()
		c, err := websocket.Accept(w, r, nil)
		if err != nil {
			return
		}
		defer c.CloseNow()
		background := context.Background() // each Write with one that ends costs more than the rest of it
		if r.URL.Path == "/idle" {
			for err == nil {
				_, _, err = c.Read(r.Context())
			}
			return
		}
		if r.URL.Path == "/send" {
			sendAsked(c)
			return
		}
		ctx := c.CloseRead(background)
		write := func(b []byte) error { return c.Write(background, websocket.MessageText, b) }
		if r.URL.Path != "/shared" {
			if write([]byte(`{"ready":1}`)) != nil {
				return
			}
			var b []byte
			_ = stage.Emit(phase, ctx.Done(), 1, func(i int) error {
				b = drive.Append(b[:0], i)
				return write(b)
			})
			return
		}
		q := make(chan []byte, 1024)
		mu.Lock()
		queues[q] = true
		mu.Unlock()
		defer func() { mu.Lock(); delete(queues, q); mu.Unlock() }()
		once.Do(func() {
			go stage.Emit(phase, nil, 1, func(i int) error {
				share(drive.Append(make([]byte, 0, drive.EventSize), i))
				return nil
			})
		})
		err = write([]byte(`{"ready":1}`))
		for err == nil {
			select {
			case e := <-q:
				err = write(e)
			case <-ctx.Done():
				return
			}
		}
	}))
	return stage.Serve(l.Addr().String(), os.Stdin, os.Stdout)
}

// sendAsked answers numbers. What it sends is there before it is asked for.
func sendAsked(c *websocket.Conn) {
	ctx := context.Background()
	var text []byte
	for {
		_, asked, err := c.Read(ctx)
		if err != nil {
			return
		}
		if n, _ := strconv.Atoi(string(asked)); n != len(text) {
			text = append(bytes.Repeat([]byte("x"), max(n-len(sent), 0)), sent...)
		}
		if c.Write(ctx, websocket.MessageText, text) != nil {
			return
		}
	}
}

// sent ends what is sent.
const sent = "sent"

// echo is as long as an event.
var echo = []byte(`{"type":"echo","` + strings.Repeat("x", drive.EventSize-len(`{"type":"echo","":1}`)) + `":1}`)

// serveEcho is a bare socket that answers a number after as many round trips to Redis, one
// after the other: what a conversation costs at least.
func serveEcho(l net.Listener, addr string) error {
	client := redis.NewClient(&redis.Options{Addr: addr})
	go http.Serve(l, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c, err := websocket.Accept(w, r, nil)
		if err != nil {
			return
		}
		defer c.CloseNow()
		ctx := context.Background()
		for {
			_, text, err := c.Read(ctx)
			if err != nil {
				return
			}
			trips, _ := strconv.Atoi(string(text))
			for range trips {
				if err := client.Ping(ctx).Err(); err != nil {
					fmt.Fprintln(os.Stderr, "bench: echo:", err)
					return
				}
			}
			if c.Write(ctx, websocket.MessageText, echo) != nil {
				return
			}
		}
	}))
	return drive.NewStage().Serve(l.Addr().String(), os.Stdin, os.Stdout)
}
