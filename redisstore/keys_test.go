package redisstore

import (
	"context"
	"fmt"
	"os"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/redis/go-redis/v9"
)

// declaredKeys reads the table of keys in lua/doc.go: by T, P, O, H, L or prefix: and the rest
// of the name, the type.
func declaredKeys(t testing.TB) map[string]string {
	text, err := os.ReadFile("lua/doc.go")
	if err != nil {
		t.Fatal(err)
	}
	declared := map[string]string{}
	for _, m := range regexp.MustCompile(`(?m)^//\t(T|P|O|H|L|prefix:)(\w+(?::checks)?)(?::AGENT)?(?:\n//)?\s+(hash|list|string|zset|set|stream)\s`).FindAllStringSubmatch(string(text), -1) {
		declared[m[1]+m[2]] = m[3]
	}
	if len(declared) < 10 {
		t.Fatalf("lua/doc.go names %d keys", len(declared))
	}
	return declared
}

// inspector finds keys that lua/doc.go does not name, or of which it says another
// type, among those of a space.
func inspector(t testing.TB, client redis.UniversalClient) func(space string) error {
	declared := declaredKeys(t)
	ctx := context.Background()
	var seen sync.Map // keys that are in order
	one := func(ctx context.Context, c redis.UniversalClient, space string) error {
		keys, err := c.Keys(ctx, space+":*").Result()
		if err != nil {
			return err
		}
		for _, key := range keys {
			if _, known := seen.Load(key); known {
				continue
			}
			kind, err := c.Type(ctx, key).Result()
			if err != nil {
				return err
			}
			if want := declared[declaredName(space, key)]; want != kind && kind != "none" { // none: it went meanwhile
				return fmt.Errorf("key %s of type %s is declared as %q", key, kind, want)
			}
			seen.Store(key, true)
		}
		return nil
	}
	return func(space string) error {
		if cluster, ok := client.(*redis.ClusterClient); ok {
			var mu sync.Mutex
			return cluster.ForEachMaster(ctx, func(ctx context.Context, c *redis.Client) error {
				mu.Lock()
				defer mu.Unlock()
				return one(ctx, c, space)
			})
		}
		return one(ctx, client, space)
	}
}

// declaredName is a key's name as doc.go writes it.
func declaredName(space, key string) string {
	rest := strings.TrimPrefix(key, space+":")
	if hook := regexp.MustCompile(`^\{p\d+\}:hook:[a-z0-9-]+:([a-z]+)$`).FindStringSubmatch(rest); hook != nil {
		return "H" + hook[1]
	}
	if regexp.MustCompile(`^\{p\d+\}:login:[0-9A-Za-z_-]{22}:flow$`).MatchString(rest) {
		return "Lflow"
	}
	if regexp.MustCompile(`^\{p\d+\}:work:`).MatchString(rest) {
		return "Pwork"
	}
	if regexp.MustCompile(`^\{p\d+\}:ready:checks$`).MatchString(rest) {
		return "Pready:checks"
	}
	if tagged := regexp.MustCompile(`^\{p\d+\}:(owner:)?(?:[0-9A-Za-z_-]{22}(:))?([a-z]+)$`).FindStringSubmatch(rest); tagged != nil {
		switch name := tagged[3]; {
		case tagged[1] != "":
			return "O" + name
		case tagged[2] != "":
			return "T" + name
		default:
			return "P" + name
		}
	}
	return "prefix:" + rest
}
