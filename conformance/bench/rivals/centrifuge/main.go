// Command centrifuge is centrifuge with its Redis broker and history: each event is
// stored, and published, before the next one of its channel is.
package main

import (
	"context"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/aguiws/aguiws/conformance/bench/drive"
	"github.com/centrifugal/centrifuge"
)

func main() {
	redis := flag.String("redis", "", "host:port")
	window := flag.Int("window", 1, "publications of a channel at once")
	flag.Parse()
	if err := serve(*redis, *window); err != nil {
		fmt.Fprintln(os.Stderr, "centrifuge:", err)
		os.Exit(1)
	}
}

func serve(redis string, window int) error {
	stage := drive.NewStage()
	node, err := centrifuge.New(centrifuge.Config{
		LogLevel: centrifuge.LogLevelError, LogHandler: func(e centrifuge.LogEntry) { fmt.Fprintln(os.Stderr, e.Message, e.Fields) },
		ClientQueueMaxSize: 256 << 20, // a reader that is slow is not what is measured
	})
	if err != nil {
		return err
	}
	shard, err := centrifuge.NewRedisShard(node, centrifuge.RedisShardConfig{Address: redis, IOTimeout: 10 * time.Second})
	if err != nil {
		return err
	}
	broker, err := centrifuge.NewRedisBroker(node, centrifuge.RedisBrokerConfig{Shards: []*centrifuge.RedisShard{shard}})
	if err != nil {
		return err
	}
	node.SetBroker(broker)
	node.OnConnecting(func(context.Context, centrifuge.ConnectEvent) (centrifuge.ConnectReply, error) {
		return centrifuge.ConnectReply{Credentials: &centrifuge.Credentials{UserID: "u"}}, nil
	})
	var once sync.Once
	node.OnConnect(func(client *centrifuge.Client) {
		client.OnSubscribe(func(e centrifuge.SubscribeEvent, answer centrifuge.SubscribeCallback) {
			phase := stage.Upcoming()
			answer(centrifuge.SubscribeReply{Options: centrifuge.SubscribeOptions{EnableRecovery: true}}, nil)
			publish := func() {
				err := stage.Emit(phase, nil, window, func(i int) error {
					_, err := node.Publish(e.Channel, drive.Append(make([]byte, 0, drive.EventSize), i), centrifuge.WithHistory(10000, time.Hour))
					return err
				})
				if err != nil {
					fmt.Fprintln(os.Stderr, "centrifuge:", err)
				}
			}
			if strings.HasPrefix(e.Channel, "shared") {
				once.Do(func() { go publish() })
			} else {
				go publish()
			}
		})
	})
	if err := node.Run(); err != nil {
		return err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	go http.Serve(l, centrifuge.NewWebsocketHandler(node, centrifuge.WebsocketConfig{
		CheckOrigin: func(*http.Request) bool { return true }, WriteTimeout: 10 * time.Second}))
	return stage.Serve(l.Addr().String(), os.Stdin, os.Stdout)
}
