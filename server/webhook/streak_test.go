package webhook

import (
	"testing"
	"time"
)

func TestStreak(t *testing.T) {
	at := func(n int) time.Time { return time.UnixMilli(int64(n)) }
	fails := func(s *streak, first int) {
		s.failed(at(first), at(9), answer{err: "500 Internal Server Error", status: 500})
	}
	for name, c := range map[string]struct {
		do   func(*streak)
		want time.Time
	}{
		"nothing was tried":                 {func(*streak) {}, time.Time{}},
		"all was taken":                     {func(s *streak) { s.delivered(at(1)) }, time.Time{}},
		"one failed, and others after it":   {func(s *streak) { fails(s, 3); fails(s, 4) }, at(3)},
		"one that had failed elsewhere":     {func(s *streak) { fails(s, 3); fails(s, 2) }, at(2)},
		"one that fails beside many":        {func(s *streak) { fails(s, 1); s.delivered(at(5)); fails(s, 1) }, at(5)},
		"what had failed was taken at last": {func(s *streak) { fails(s, 1); s.delivered(at(5)) }, time.Time{}},
	} {
		var s streak
		c.do(&s)
		got := s.failing()
		if !got.Since.Equal(c.want) || (got.Status == 500) == c.want.IsZero() || (got.Error != "") == c.want.IsZero() {
			t.Errorf("%s: %+v, not since %v", name, got, c.want)
		}
	}
}

// The log hears of the first failure, then once an hour, and of the recovery.
func TestStreakIsToldOnceAnHour(t *testing.T) {
	var s streak
	at := time.UnixMilli(0)
	var told []time.Duration
	for after := time.Duration(0); after <= 150*time.Minute; after += 10 * time.Minute {
		if s.failed(at, at.Add(after), answer{err: "no answer"}) {
			told = append(told, after)
		}
	}
	if len(told) != 3 || told[0] != 0 || told[1] != time.Hour || told[2] != 2*time.Hour {
		t.Errorf("told after %v", told)
	}
	if since := s.delivered(at.Add(3 * time.Hour)); !since.Equal(at) {
		t.Errorf("it recovered from %v", since)
	}
	if since := s.delivered(at.Add(3 * time.Hour)); !since.IsZero() {
		t.Errorf("it recovered twice, from %v", since)
	}
	if !s.failed(at, at.Add(3*time.Hour), answer{}) {
		t.Error("the next failure is not told")
	}
}
