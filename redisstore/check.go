package redisstore

import (
	"context"
	"errors"
	"fmt"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/internal/link"
	"github.com/redis/go-redis/v9"
)

// Warning is a setting of the server under which it may lose what it was given.
type Warning struct {
	Setting, Value string
	Problem        string
}

func (w Warning) String() string {
	return fmt.Sprintf("%s is %s: %s", w.Setting, w.Value, w.Problem)
}

// Check looks at the servers behind a client. An error means that they cannot
// be used; a warning, that they should be set otherwise, or that a master of a Cluster
// does not answer while others do.
func Check(ctx context.Context, client redis.UniversalClient) ([]Warning, error) {
	cluster, ok := client.(*redis.ClusterClient)
	if !ok {
		if err := client.Ping(ctx).Err(); err != nil {
			return nil, link.Error("ping", err)
		}
		return checkServer(ctx, client)
	}
	var warnings []Warning
	found := make(chan []Warning, 1)
	found <- nil
	err := link.EachMaster(ctx, cluster, func(ctx context.Context, c *redis.Client) error {
		w, err := checkServer(ctx, c)
		if errors.Is(err, store.ErrOutcomeUnknown) {
			w = []Warning{{"master", "silent", "it does not answer: the threads that it holds cannot be reached (" + err.Error() + ")"}}
		}
		for i := range w {
			w[i].Setting = c.Options().Addr + " " + w[i].Setting
		}
		found <- append(<-found, w...)
		return err
	})
	warnings = <-found
	return warnings, link.Most(err)
}

func checkServer(ctx context.Context, client redis.Cmdable) ([]Warning, error) {
	text, err := client.Info(ctx).Result()
	if err != nil {
		return nil, link.Error("info", err)
	}
	info := link.ParseInfo(text)
	if v := info["redis_version"]; !link.AtLeast(v, 6, 2) {
		return nil, fmt.Errorf("redisstore: the server's version is %q: at least 6.2 is needed", v)
	}
	if role := info["role"]; role != "master" {
		return nil, fmt.Errorf("redisstore: the server's role is %q: the server must be a master", role)
	}
	var warnings []Warning
	for _, w := range link.Durability(info) {
		warnings = append(warnings, Warning(w))
	}
	return warnings, nil
}
