package redisstore

import (
	"context"
	"strings"
	"testing"

	"github.com/aguiws/aguiws/redisstore/redistest"
	"github.com/aguiws/aguiws/redisstore/storetest/stage"
	"github.com/alicebob/miniredis/v2"
)

func TestTheFormatIsRecordedAtFirstUse(t *testing.T) {
	server := miniredis.NewMiniRedis()
	t.Cleanup(server.Close)
	onMiniredis(server)(t, stage.Node{Space: "space"})
	if got := server.HGet("space:meta", "format"); got != "9" {
		t.Errorf("format %q", got)
	}
}

// Data of another format, or of none that is known, is refused before anything is
// written, and `aguiws check` says the same.
func TestAnotherFormatIsRefused(t *testing.T) {
	server := redistest.Start(t, redistest.Options{})
	const alone = ", and this server knows format 9 alone: use the release that wrote the data, or another prefix"
	for prefix, c := range map[string]struct{ partitions, format, says string }{
		"older":  {"64", "8", `"older" holds data of format "8"` + alone},
		"newer":  {"64", "10", `"newer" holds data of format "10"` + alone},
		"none":   {"64", "", `"none" holds data of format ""` + alone},
		"spread": {"32", "9", `"spread" has 32 partitions, not 64: the number cannot be changed`},
		"mine":   {"64", "9", `"mine" has been used, with 64 partitions and data of format 9`},
	} {
		t.Run(prefix, func(t *testing.T) {
			if _, err := server.Do("HSET", prefix+":meta", "partitions", c.partitions); err != nil {
				t.Fatal(err)
			}
			if c.format != "" {
				if _, err := server.Do("HSET", prefix+":meta", "format", c.format); err != nil {
					t.Fatal(err)
				}
			}
			found := ""
			for _, f := range Diagnose(context.Background(), server.URL(), &Options{Prefix: prefix}) {
				if f.Subject == "prefix" {
					found = f.Detail
				}
			}
			if found != c.says {
				t.Errorf("the check says %q, not %q", found, c.says)
			}
			s, err := Open(context.Background(), server.URL(), &Options{Prefix: prefix})
			if err == nil {
				closing(t, s)
			}
			if prefix == "mine" && err == nil {
				return
			}
			if err == nil || !strings.Contains(err.Error(), "redisstore: prefix "+c.says) {
				t.Errorf("opened with %v", err)
			}
			if keys, _ := server.Do("KEYS", prefix+":*"); strings.Count(keys, prefix+":") > 1 {
				t.Errorf("the refused server wrote %s", keys)
			}
		})
	}
}
