package redisstore

import (
	"log/slog"
	"testing"
)

// What the store has to say can be read where nobody has thought of a log.
func TestLogsByDefault(t *testing.T) {
	var none *Options
	for _, o := range []*Options{none, {}} {
		if o.withDefaults().Logger != slog.Default() {
			t.Errorf("%+v: it logs elsewhere", o)
		}
	}
}
