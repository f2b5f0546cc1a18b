package link

import (
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
)

func TestParseURL(t *testing.T) {
	tests := []struct{ raw, kind, plain string }{
		{"redis://localhost", "single", "redis://localhost"},
		{"rediss://u:p@h:1/2?protocol=2", "single", "rediss://u:p@h:1/2?protocol=2"},
		{"unix:///tmp/s", "single", "unix:///tmp/s"},
		{"redis+cluster://u:p@a:1,b:2,c:3", "cluster", "redis://u:p@a:1/?addr=b%3A2&addr=c%3A3"},
		{"rediss+cluster://a", "cluster", "rediss://a/"},
		{"redis+sentinel://a:1,b/main/3", "sentinel", "redis://a:1/3?addr=b&master_name=main"},
		{"redis://a?addr=b", "cluster", "redis://a?addr=b"},
		{"redis://a?addr=b&master_name=m", "sentinel", "redis://a?addr=b&master_name=m"},
	}
	for _, tt := range tests {
		kind, plain, err := parseURL(tt.raw)
		if kind != tt.kind || plain != tt.plain || err != nil {
			t.Errorf("%s: %s %s %v", tt.raw, kind, plain, err)
		}
	}
	for _, raw := range []string{"", "localhost:6379", "http://h", "redis+other://h", "redis+sentinel://h", "redis+sentinel://h/"} {
		if _, _, err := parseURL(raw); err == nil {
			t.Errorf("%q: no error", raw)
		}
	}
}

func TestClientsNeverRetryAndHeedContexts(t *testing.T) {
	single := func(o *redis.Options) {
		if o.MaxRetries != 0 || !o.ContextTimeoutEnabled || o.ReadTimeout != time.Second { // -1 is stored as 0
			t.Errorf("options: %+v", o)
		}
	}
	for _, raw := range []string{"redis://127.0.0.1:1", "redis+sentinel://127.0.0.1:1/m", "redis+cluster://127.0.0.1:1"} {
		c, err := Connect(raw, time.Second)
		if err != nil {
			t.Fatal(err)
		}
		switch c := c.(type) {
		case *redis.Client:
			single(c.Options())
		case *redis.ClusterClient:
			if o := c.Options(); o.MaxRetries > 0 || !o.ContextTimeoutEnabled || o.MaxRedirects < 1 {
				t.Errorf("options: %+v", o)
			}
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestErrorsOfURLsKeepPasswordsSecret(t *testing.T) {
	for _, raw := range []string{"redis+other://u:secret@h", "redis+sentinel://u:secret@h", "redis://u:secret@h?addr=%zz", "http://u:secret@h",
		"redis://u:secret@h:bad/0", "redis+cluster://u:secret@h:bad,x"} {
		if _, err := Connect(raw, time.Second); err != nil && strings.Contains(err.Error(), "secret") {
			t.Errorf("%v", err)
		}
	}
}
