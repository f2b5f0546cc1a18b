package link

import (
	"context"
	"errors"

	"github.com/redis/go-redis/v9"

	"github.com/aguiws/aguiws/redisstore/internal/keyspace"
)

// Dial makes a connection of a client whose servers were looked at, and does not return
// before their layout is right, their replicas are there and their history can be read.
func Dial(ctx context.Context, client redis.UniversalClient, o Settings) (*Connection, error) {
	c := &Connection{servers: servers{client, o}, Keys: keyspace.New(o.Prefix, o.Partitions), Closing: make(chan struct{})}
	c.AtClose(c.silences.close, c.asked.close)
	for _, step := range []func(context.Context) error{c.awaitReplicas, c.recordLayout, c.probe} {
		if err := step(ctx); err != nil {
			return nil, errors.Join(err, c.Close())
		}
	}
	return c, nil
}

// Probe gives the servers the scripts, and reports whether these can run. Functions stay as they are.
func Probe(ctx context.Context, client redis.UniversalClient, o Settings) error {
	o.Scripts = true
	c := &Connection{servers: servers{client, o}, Keys: keyspace.New(o.Prefix, o.Partitions), Closing: make(chan struct{})}
	return c.probe(ctx)
}

func (s *Connection) probe(ctx context.Context) error {
	if err := s.load(ctx); err != nil {
		return err
	}
	return s.checkHistory(ctx)
}

// AtClose has close call refuse before it waits for what is in flight, and release
// afterwards, in the order in which they come. Either may be nil.
func (s *Connection) AtClose(refuse func(), release func() error) {
	if refuse != nil {
		s.refuse = append(s.refuse, refuse)
	}
	if release != nil {
		s.release = append(s.release, release)
	}
}

// Close waits for what is in flight and ends every goroutine. Calls after it fail.
func (s *Connection) Close() (err error) {
	s.closeOnce.Do(func() {
		close(s.Closing)
		for _, f := range s.refuse {
			f()
		}
		s.Running.Wait()
		for _, f := range s.release {
			err = errors.Join(err, f())
		}
	})
	return err
}
