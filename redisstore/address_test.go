package redisstore

import "testing"

func TestAddress(t *testing.T) {
	for url, want := range map[string]string{
		"redis://host:6379/0":       "redis://host:6379/0",
		"rediss://ann:SECRET@host":  "rediss://host",
		"redis://:SE?CRET@host/1":   "redis://",
		"redis://:SE#CR/E@T@host/1": "redis://host/1",
		"redis+sentinel://ann:SECRET@a:1,b:2/main?sentinel_password=SECRET": "redis+sentinel://a:1,b:2/main",
		"redis+sentinel://a:1,b:2/main?sentinel_password=SE@CRET":           "redis+sentinel://",
		"redis+cluster://a:1,b:2":                                           "redis+cluster://a:1,b:2",
		"unix:///run/redis.sock?db=1":                                       "unix:///run/redis.sock",
		"SECRET":                                                            "",
	} {
		if got := Address(url); got != want {
			t.Errorf("%s: %q, not %q", url, got, want)
		}
	}
}
