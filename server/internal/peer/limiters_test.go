package peer

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"
)

func TestLimitersAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLimiters(1, 2)
		for i, want := range []time.Duration{0, 0, time.Second} {
			if got := l.Take("a"); got != want {
				t.Errorf("take %d: wait %v, want %v", i, got, want)
			}
		}
		for _, key := range []string{"b", "", "", ""} {
			if l.Take(key) != 0 {
				t.Errorf("%q waits", key)
			}
		}
		time.Sleep(time.Second)
		for i, want := range []time.Duration{0, time.Second} {
			if got := l.Take("a"); got != want {
				t.Errorf("take %d after a second: wait %v, want %v", i, got, want)
			}
		}
		for i := range maxLimiters {
			l.Take("a") // stays among the last used
			l.Take(fmt.Sprint(i))
		}
		if len(l.byKey) != maxLimiters || l.used.Len() != maxLimiters {
			t.Errorf("%d keys, %d in order", len(l.byKey), l.used.Len())
		}
		if l.Take("a") == 0 {
			t.Error("a key in use was forgotten")
		}
		if none := newLimiters(-1, 1); none != nil || none.Take("a") != 0 {
			t.Error("a negative rate limits")
		}
	})
}

// The networks of one site have a limit together, and crowd out nobody else.
func TestSitesAreLimited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLimiters(1, 2)
		l.bySite()
		network := func(site, n int) string { return fmt.Sprintf("2001:db8:%x:%x::/64", site, n) }
		l.Take("192.0.2.1")
		l.Take("192.0.2.1")
		l.Take(network(2, 1))
		passed := 0
		for n := range 1 << 16 {
			if l.Take(network(1, n)) == 0 {
				passed++
			}
		}
		if passed != 2*siteShare {
			t.Errorf("%d requests of one site passed", passed)
		}
		if len(l.byKey) > maxOfSite+2 || l.used.Len() != len(l.byKey) || l.of["2001:db8:1::/48"].Len() != maxOfSite || len(l.sites.byKey) != 2 {
			t.Errorf("%d keys, %d in order, %d sites", len(l.byKey), l.used.Len(), len(l.sites.byKey))
		}
		if l.Take("192.0.2.1") == 0 {
			t.Error("another address was forgotten")
		}
		if l.Take(network(2, 1)) != 0 || l.Take(network(2, 1)) == 0 || l.Take(network(2, 2)) != 0 {
			t.Error("another site has other limits")
		}
		// A network that may not take costs its site nothing.
		for range 100 {
			l.Take(network(3, 1))
		}
		if l.Take(network(3, 2)) != 0 {
			t.Error("one network has taken all of its site's")
		}
		for n := range maxLimiters {
			l.Take(fmt.Sprint(n))
		}
		if len(l.of) != 0 || len(l.byKey) != maxLimiters {
			t.Errorf("%d sites of %d keys are left", len(l.of), len(l.byKey))
		}
	})
}
