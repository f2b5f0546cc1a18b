package peer

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"
)

// Whoever asks chooses the origin: the log tells of few, and of each once a minute.
func TestRefusedPagesAreToldOnceAMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var p refusedPages
		told := func(name string) string {
			as, due := p.due(name)
			return fmt.Sprint(as, " ", due)
		}
		for _, c := range []struct {
			after      time.Duration
			name, want string
		}{{0, "a", "a true"}, {0, "a", "a false"}, {0, "b", "b true"}, {tellPageEvery - 1, "a", "a false"}, {1, "a", "a true"}} {
			time.Sleep(c.after)
			if got := told(c.name); got != c.want {
				t.Errorf("%s: %s", c.name, got)
			}
		}
		for i := range 10_000 {
			told(fmt.Sprint(i))
		}
		if got := told("c"); got != " false" || len(p.told) != maxPagesTold+1 {
			t.Errorf("got %s, %d are held", got, len(p.told))
		}
		time.Sleep(tellPageEvery)
		if got := told("c"); got != "c true" || len(p.told) != 1 {
			t.Errorf("got %s, %d are held", got, len(p.told))
		}
	})
}
