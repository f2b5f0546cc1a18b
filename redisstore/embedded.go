package redisstore

import (
	"context"
	"crypto/rand"
	"errors"
	"net"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"
)

// forgetEvery is how often keys past their time are removed. Scripts decide nothing by
// their removal, and miniredis walks all keys to find them; letting it do so by the clock,
// before every command, costs more than the commands.
const forgetEvery = time.Minute

// embeddedTimeout is long: there is no network that could lose a reply.
const embeddedTimeout = time.Minute

// Embedded returns a store inside this process: the same scripts on miniredis,
// reached without a port. Its contents die with Close or with the process. By default it
// has one partition, and a call may take a minute.
func Embedded(opts *Options) (*Store, error) {
	o := opts.withDefaults()
	if o.WaitReplicas > 0 {
		return nil, errors.New("redisstore: WaitReplicas (--wait-replicas) needs a server with replicas: an embedded store has none")
	}
	server := miniredis.NewMiniRedis()
	o.volatile, o.singly = true, true
	o.HistoryID = rand.Text()
	if opts == nil || opts.Partitions == 0 {
		o.Partitions = 1
	}
	if opts == nil || opts.Timeout == 0 {
		o.Timeout = embeddedTimeout
	}
	client := redis.NewClient(&redis.Options{
		Dialer:                   func(context.Context, string, string) (net.Conn, error) { return server.Dial() },
		MaxRetries:               -1,
		ContextTimeoutEnabled:    true,
		DisableIdentity:          true,
		MaintNotificationsConfig: &maintnotifications.Config{Mode: maintnotifications.ModeDisabled},
		ReadTimeout:              o.Timeout,
		WriteTimeout:             o.Timeout,
	})
	// The server starts with the first connection.
	shut := func() error {
		err := client.Close()
		server.Close()
		return err
	}
	s, err := New(context.Background(), client, &o)
	if err != nil {
		_ = shut()
		return nil, err
	}
	s.conn.AtClose(nil, shut)
	s.conn.Running.Go(func() {
		tick := time.NewTicker(forgetEvery)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				server.FastForward(forgetEvery)
			case <-s.conn.Closing:
				return
			}
		}
	})
	return s, nil
}
