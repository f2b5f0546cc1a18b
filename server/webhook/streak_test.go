package webhook

import (
	"testing"
	"time"
)

func TestStreak(t *testing.T) {
	at := func(n int) time.Time { return time.UnixMilli(int64(n)) }
	for name, c := range map[string]struct {
		do   func(*streak)
		want time.Time
	}{
		"nothing was tried":                 {func(*streak) {}, time.Time{}},
		"all was taken":                     {func(s *streak) { s.delivered(at(1)) }, time.Time{}},
		"one failed, and others after it":   {func(s *streak) { s.failed(at(3)); s.failed(at(4)) }, at(3)},
		"one that had failed elsewhere":     {func(s *streak) { s.failed(at(3)); s.failed(at(2)) }, at(2)},
		"one that fails beside many":        {func(s *streak) { s.failed(at(1)); s.delivered(at(5)); s.failed(at(1)) }, at(5)},
		"what had failed was taken at last": {func(s *streak) { s.failed(at(1)); s.delivered(at(5)) }, time.Time{}},
	} {
		var s streak
		c.do(&s)
		if got := s.failing(); !got.Equal(c.want) {
			t.Errorf("%s: since %v, not %v", name, got, c.want)
		}
	}
}
