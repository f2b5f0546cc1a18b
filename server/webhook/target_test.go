package webhook

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
)

func TestTargetsAreChecked(t *testing.T) {
	good := Target{Name: "crm", URL: "https://hooks.example.com/x", Secrets: []string{secretA}}
	change := func(f func(*Target)) []Target {
		t := good
		f(&t)
		return []Target{t}
	}
	for name, c := range map[string]struct {
		targets []Target
		says    string
	}{
		"good":       {change(func(*Target) {}), ""},
		"kinds":      {change(func(t *Target) { t.Kinds = Kinds }), ""},
		"inside":     {change(func(t *Target) { t.URL = "http://10.0.0.1:8080" }), ""},
		"name":       {change(func(t *Target) { t.Name = "CRM" }), `target "CRM": a name has`},
		"no name":    {change(func(t *Target) { t.Name = "" }), `target "": a name has`},
		"colon":      {change(func(t *Target) { t.Name = "a:b" }), "a name has"},
		"twice":      {[]Target{good, good}, `target "crm": two targets have this name`},
		"no URL":     {change(func(t *Target) { t.URL = "" }), "none such as https://"},
		"scheme":     {change(func(t *Target) { t.URL = "ftp://k-4711" }), "none such as https://"},
		"user":       {change(func(t *Target) { t.URL = "https://ann:k-4711@h" }), "names a user"},
		"fragment":   {change(func(t *Target) { t.URL = "https://h/#k-4711" }), "fragment"},
		"plain":      {change(func(t *Target) { t.URL = "http://hooks.example.com/k-4711" }), "webhook-private"},
		"loopback":   {change(func(t *Target) { t.URL = "https://127.0.0.1/k-4711" }), "127.0.0.1 is no address of the internet"},
		"mapped":     {change(func(t *Target) { t.URL = "https://[::ffff:10.0.0.1]/" }), "no address of the internet"},
		"kind":       {change(func(t *Target) { t.Kinds = []store.NoticeKind{"interrupt"} }), `no kind "interrupt": must be one of interrupt.opened`},
		"agent":      {change(func(t *Target) { t.Agents = []string{"a,b"} }), `"a,b" is no agent's name`},
		"no secret":  {change(func(t *Target) { t.Secrets = nil }), "needs a secret"},
		"short":      {change(func(t *Target) { t.Secrets = []string{secretA, "whsec_azQ3MTE="} }), "secret 2 of 2"},
		"not base64": {change(func(t *Target) { t.Secrets = []string{"whsec_k-4711"} }), "secret 1 of 1"},
		"no prefix":  {change(func(t *Target) { t.Secrets = []string{secretA[6:]} }), "secret 1 of 1"},
		"too many":   {make([]Target, MaxTargets+1), "100 are allowed"},
	} {
		err := CheckTargets(c.targets, []string{"10.0.0.1"})
		switch {
		case (err == nil) != (c.says == ""), err != nil && !strings.Contains(err.Error(), c.says):
			t.Errorf("%s: %v", name, err)
		case err != nil && (strings.Contains(err.Error(), "4711") || strings.Contains(err.Error(), "azQ3")):
			t.Errorf("%s tells a secret: %v", name, err)
		}
	}
}

// Pauses grow to hours, and the last try is a day after the first.
func TestPauses(t *testing.T) {
	for range 1000 {
		var since time.Duration
		tries := 1
		for {
			d, more := pause(tries, since, 0)
			if !more {
				break
			}
			if want := min(firstPause*time.Duration(pow(3, tries-1)), longest); since+d < patience && (d < want*3/4 || d > want*5/4) {
				t.Fatalf("after %d tries and %s: %s", tries, since, d)
			}
			since += d
			tries++
		}
		if since != patience || tries < 12 || tries > 16 {
			t.Fatalf("%d tries in %s", tries, since)
		}
	}
	for asked, want := range map[time.Duration]time.Duration{10 * time.Minute: 10 * time.Minute, 5 * time.Hour: mostAsked} {
		if d, more := pause(1, 0, asked); d != want || !more {
			t.Errorf("asked for %s: %s", asked, d)
		}
	}
	seen := map[string]bool{}
	for range 20 {
		d, _ := pause(3, 0, 0)
		seen[fmt.Sprint(d)] = true
	}
	if len(seen) < 10 {
		t.Error("pauses are all the same")
	}
}

func pow(base, n int) int {
	if n = min(n, 12); n <= 0 {
		return 1
	}
	return base * pow(base, n-1)
}
