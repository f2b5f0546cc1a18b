package redisstore

import (
	"context"
	"errors"

	"github.com/redis/go-redis/v9"

	"github.com/aguiws/aguiws/redisstore/internal/keyspace"
)

// dial makes a connection of a client whose servers were looked at, and does not return
// before their layout is right, their replicas are there and their history can be read.
func dial(ctx context.Context, client redis.UniversalClient, o settings) (*connection, error) {
	c := &connection{servers: servers{client, o}, keys: keyspace.New(o.Prefix, o.Partitions), closing: make(chan struct{})}
	if err := c.awaitReplicas(ctx); err != nil {
		return nil, err
	}
	if err := c.recordLayout(ctx); err != nil {
		return nil, err
	}
	if err := c.probe(ctx); err != nil {
		return nil, err
	}
	c.atClose(c.silences.close, c.asked.close)
	return c, nil
}

// probe gives the servers the scripts, and reports whether these can run.
func probe(ctx context.Context, client redis.UniversalClient, o settings) error {
	c := &connection{servers: servers{client, o}, keys: keyspace.New(o.Prefix, o.Partitions), closing: make(chan struct{})}
	return c.probe(ctx)
}

func (s *connection) probe(ctx context.Context) error {
	if err := s.load(ctx); err != nil {
		return err
	}
	return s.checkHistory(ctx)
}

// atClose has close call refuse before it waits for what is in flight, and release
// afterwards, in the order in which they come. Either may be nil.
func (s *connection) atClose(refuse func(), release func() error) {
	if refuse != nil {
		s.refuse = append(s.refuse, refuse)
	}
	if release != nil {
		s.release = append(s.release, release)
	}
}

// close waits for what is in flight and ends every goroutine. Calls after it fail.
func (s *connection) close() (err error) {
	s.closeOnce.Do(func() {
		close(s.closing)
		for _, f := range s.refuse {
			f()
		}
		s.running.Wait()
		for _, f := range s.release {
			err = errors.Join(err, f())
		}
	})
	return err
}
