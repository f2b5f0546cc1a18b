package redisstore

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/aguiws/aguiws/adapter/store"
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
			return nil, storeError("ping", err)
		}
		return checkServer(ctx, client)
	}
	var warnings []Warning
	found := make(chan []Warning, 1)
	found <- nil
	err := eachMaster(ctx, cluster, func(ctx context.Context, c *redis.Client) error {
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
	return warnings, most(err)
}

func checkServer(ctx context.Context, client redis.Cmdable) ([]Warning, error) {
	text, err := client.Info(ctx).Result()
	if err != nil {
		return nil, storeError("info", err)
	}
	info := parseInfo(text)
	if v := info["redis_version"]; !atLeast(v, 6, 2) {
		return nil, fmt.Errorf("redisstore: the server's version is %q: at least 6.2 is needed", v)
	}
	if role := info["role"]; role != "master" {
		return nil, fmt.Errorf("redisstore: the server's role is %q: the server must be a master", role)
	}
	return durability(info), nil
}

// durability judges a server's settings by INFO, which managed services answer
// where they refuse CONFIG.
func durability(info map[string]string) []Warning {
	var w []Warning
	if p := info["maxmemory_policy"]; p != "noeviction" {
		w = append(w, Warning{"maxmemory-policy", p, "threads may be evicted when memory is short; set noeviction"})
	}
	if info["aof_enabled"] != "1" {
		w = append(w, Warning{"appendonly", "no", "what was acknowledged since the last snapshot is lost when the server dies; set yes"})
	}
	if info["aof_last_write_status"] == "err" {
		w = append(w, Warning{"aof_last_write_status", "err", "the server cannot write its log, see its own log"})
	}
	if info["rdb_last_bgsave_status"] == "err" {
		w = append(w, Warning{"rdb_last_bgsave_status", "err", "the server cannot save and will refuse writes unless stop-writes-on-bgsave-error is no"})
	}
	if n, _ := strconv.Atoi(info["connected_slaves"]); n > 0 && info["min_slaves_good_slaves"] == "" {
		w = append(w, Warning{"min-replicas-to-write", "0", "a master cut off from its replicas goes on taking writes that a fail-over forgets; set 1"})
	}
	return w
}

func parseInfo(text string) map[string]string {
	info := map[string]string{}
	for line := range strings.Lines(text) {
		if name, value, ok := strings.Cut(strings.TrimSpace(line), ":"); ok {
			info[name] = value
		}
	}
	return info
}

func atLeast(version string, major, minor int) bool {
	parts := strings.SplitN(version, ".", 3)
	if len(parts) < 2 {
		return false
	}
	a, errA := strconv.Atoi(parts[0])
	b, errB := strconv.Atoi(parts[1])
	return errA == nil && errB == nil && (a > major || a == major && b >= minor)
}
