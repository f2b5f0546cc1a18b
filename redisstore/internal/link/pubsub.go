package link

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/internal/keyspace"
	"github.com/redis/go-redis/v9"
)

const (
	pingEvery   = 3 * time.Second
	silentLimit = 10 * time.Second // without a sound the connection is taken for dead
	rejoinPause = 100 * time.Millisecond
	// complainEvery is how often the log says that a server which answers does not
	// let the channel be subscribed. A server that does not answer is the callers' to log.
	complainEvery = 30 * time.Second
)

// Deliveries are what this node hears of threads, and of its claims: from other nodes
// by its channel, and from its own calls by what they were answered.
type Deliveries struct {
	conn     *Connection
	presence *Presence // which shares the subscription
	listener atomic.Pointer[func(store.Delivery)]
}

// NewDeliveries hears nothing of other nodes until Subscribe.
func NewDeliveries(c *Connection, p *Presence) *Deliveries { return &Deliveries{conn: c, presence: p} }

// Listen has f called with what this node hears.
func (s *Deliveries) Listen(f func(store.Delivery)) { s.listener.Store(&f) }

// Deliver tells who listens.
func (s *Deliveries) Deliver(d store.Delivery) {
	if f := s.listener.Load(); f != nil {
		(*f)(d)
	}
}

// Logged delivers on this node what one of its own calls has logged. A call that
// was recognised as sent again logs nothing, and what it logged the first time was
// heard of by others only: then this node learns where the log ends.
func (s *Deliveries) Logged(key store.ThreadKey, epoch string, first int64, events [][]byte) {
	s.Deliver(store.Delivery{Thread: key, Kind: store.DeliverEvents, Epoch: epoch, First: first, Events: events})
}

// Cancelled tells this node what the sender of an input is owed that a call of its
// own has stopped; scripts tell the others.
func (s *Deliveries) Cancelled(key store.ThreadKey, events [][]byte) {
	if len(events) > 0 {
		s.Deliver(store.Delivery{Thread: key, Kind: store.DeliverCancelled, Events: events})
	}
}

// Lost tells this node that a claim of its own is gone; scripts tell the others.
func (s *Deliveries) Lost(key store.ThreadKey, node, token string) {
	if node == s.conn.Settings.Node && token != "" {
		s.Deliver(store.Delivery{Thread: key, Kind: store.DeliverFenced, Token: token})
	}
}

// Subscribe subscribes to this node's channel and starts the goroutine that keeps
// the subscription.
func (s *Deliveries) Subscribe(ctx context.Context) error {
	sub, err := s.subscribe(ctx)
	if err != nil {
		return err
	}
	s.conn.Running.Go(func() {
		for {
			s.receive(sub)
			s.presence.parted()
			if sub = s.resubscribe(); sub == nil {
				return
			}
			s.Deliver(store.Delivery{Kind: store.DeliverLost})
		}
	})
	return nil
}

// subscribe joins the node's channels. The masters of a Cluster tell each other what is
// published, so any that answers will do.
func (s *Deliveries) subscribe(ctx context.Context) (*redis.PubSub, error) {
	var sub *redis.PubSub
	err := errSilent
	if !s.conn.Silent(s.conn.Keys.NodeChannel(s.conn.Settings.Node)) {
		sub, err = s.subscribeTo(ctx, s.conn.Client)
	}
	if cluster, ok := s.conn.Client.(*redis.ClusterClient); ok && errors.Is(err, store.ErrOutcomeUnknown) {
		var mu sync.Mutex
		_ = EachMaster(ctx, cluster, func(ctx context.Context, master *redis.Client) error {
			mu.Lock()
			defer mu.Unlock()
			if err != nil && !s.conn.silences.has(master) {
				sub, err = s.subscribeTo(ctx, master)
			}
			return nil
		})
	}
	return sub, err
}

func (s *Deliveries) subscribeTo(ctx context.Context, client redis.UniversalClient) (*redis.PubSub, error) {
	ctx, cancel := context.WithTimeout(ctx, s.conn.Settings.Timeout)
	defer cancel()
	offered := s.presence.names()
	channels := append([]string{s.conn.Keys.NodeChannel(s.conn.Settings.Node), s.conn.Keys.Nudges()}, offered...)
	sub := client.Subscribe(ctx, channels...)
	for range channels {
		if _, err := sub.Receive(ctx); err != nil {
			_ = sub.Close()
			return nil, Error("subscribe", err)
		}
	}
	if !s.presence.joined(sub, offered) {
		_ = sub.Close()
		return nil, errPresence
	}
	return sub, nil
}

var errPresence = errors.New("redisstore: subscribe: the node offers something else by now")

// resubscribe tries until it succeeds or the store closes: then nil.
func (s *Deliveries) resubscribe() *redis.PubSub {
	pause := time.NewTimer(0)
	defer pause.Stop()
	began := time.Now()
	for said := began; ; {
		select {
		case <-s.conn.Closing:
			return nil
		case <-pause.C:
		}
		if s.conn.Usable() != nil {
			return nil // both were ready
		}
		sub, err := s.subscribe(context.Background())
		if err == nil {
			return sub
		}
		level := slog.LevelDebug
		if time.Since(said) >= complainEvery {
			said = time.Now()
			if s.conn.Client.Ping(context.Background()).Err() == nil {
				level = slog.LevelWarn
			}
		}
		s.conn.Settings.Logger.Log(context.Background(), level, "the node channel cannot be subscribed",
			"for", time.Since(began).Round(time.Millisecond).String(), "error", err)
		pause.Reset(rejoinPause)
	}
}

// receive delivers what comes until the subscription fails, falls silent, or the
// store closes. It closes the subscription.
func (s *Deliveries) receive(sub *redis.PubSub) {
	var sounds atomic.Int64
	ended := make(chan struct{})
	s.conn.Running.Go(func() {
		defer close(ended)
		for {
			m, err := sub.Receive(context.Background())
			if err != nil {
				return
			}
			sounds.Add(1)
			switch m := m.(type) {
			case *redis.Message:
				s.message(m.Payload)
			case *redis.Subscription:
				if m.Channel == s.conn.Keys.NodeChannel(s.conn.Settings.Node) || m.Channel == s.conn.Keys.Nudges() {
					return // the library has reconnected by itself: what was sent meanwhile is lost
				}
				s.presence.confirmed()
			}
		}
	})
	tick := time.NewTicker(pingEvery)
	defer tick.Stop()
	heard, last := int64(0), time.Now()
	elsewhere := s.conn.Silent(s.conn.Keys.NodeChannel(s.conn.Settings.Node))
	for {
		select {
		case <-ended:
			_ = sub.Close()
			return
		case <-s.conn.Closing:
			_ = sub.Close()
			<-ended
			return
		case <-tick.C:
			if n := sounds.Load(); n != heard {
				heard, last = n, time.Now()
			}
			if !elsewhere && s.conn.Silent(s.conn.Keys.NodeChannel(s.conn.Settings.Node)) || time.Since(last) > silentLimit || sub.Ping(context.Background()) != nil {
				_ = sub.Close()
				<-ended
				return
			}
		}
	}
}

var errMessage = errors.New("not a message of this store")

// message delivers one message. A message that cannot be read means that something was
// missed.
func (s *Deliveries) message(payload string) {
	d, err := s.parse(payload)
	if err != nil {
		s.conn.Settings.Logger.Warn("a message of the node channel cannot be read", "error", err)
		d = &store.Delivery{Kind: store.DeliverLost}
	}
	if d != nil {
		s.Deliver(*d)
	}
}

func (s *Deliveries) parse(payload string) (*store.Delivery, error) {
	parts, err := Unpack(payload)
	if err != nil {
		return nil, err
	}
	if len(parts) < 3 {
		return nil, errMessage
	}
	member := parts[1]
	if parts[0] == "r" {
		member = parts[2]
	}
	key, ok := keyspace.ThreadOf(member)
	if !ok {
		return nil, errMessage
	}
	switch parts[0] {
	case "e":
		if len(parts) == 3 { // the log has begun again
			return &store.Delivery{Thread: key, Kind: store.DeliverEvents, Epoch: parts[2], First: 1}, nil
		}
		first, _, err := element([]byte(parts[3]))
		if err != nil {
			return nil, fmt.Errorf("position: %w", err)
		}
		events, _, err := Elements(parts[3:], first, math.MaxInt)
		if err != nil {
			return nil, err
		}
		d := &store.Delivery{Thread: key, Kind: store.DeliverEvents, Epoch: parts[2], First: first, Events: events}
		if Unmarked(events) < len(events) { // who follows reads the log
			d.First, d.Events = first+int64(len(events)), nil
		}
		return d, nil
	case "r":
		if parts[1] == s.conn.Settings.Node {
			return nil, nil // the call that released it has said so
		}
		d := &store.Delivery{Thread: key, Kind: store.DeliverWork}
		if len(parts) > 3 {
			d.Agent = parts[3]
		}
		return d, nil
	case "w":
		d := &store.Delivery{Thread: key, Kind: store.DeliverCancelled}
		for _, e := range parts[2:] {
			d.Events = append(d.Events, []byte(e))
		}
		return d, nil
	case "f":
		return &store.Delivery{Thread: key, Kind: store.DeliverFenced, Token: parts[2]}, nil
	}
	return nil, errMessage
}

// Forgotten tells this node that a thread was forgotten and its log begins again; the
// script tells the others.
func (s *Deliveries) Forgotten(key store.ThreadKey, epoch string) {
	if epoch != "" {
		s.Deliver(store.Delivery{Thread: key, Kind: store.DeliverEvents, Epoch: epoch, First: 1})
	}
}
