package soak

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
)

// values are what was measured once, by name.
type values map[string]float64

// record is what was measured, lap by lap.
type record struct {
	laps []measured
}

type measured struct {
	at     time.Duration
	lives  int64 // threads so far
	values values
}

func (r *record) add(at time.Duration, lives int64, v values) {
	r.laps = append(r.laps, measured{at, lives, v})
}

// warm is how many laps are left out: pools, caches and tables fill in them.
func (r *record) warm() int { return len(r.laps) / 4 }

// row says one lap, the first with what the columns are.
func (r *record) row(n int) string {
	names := slices.Sorted(maps.Keys(r.laps[n].values))
	names = slices.DeleteFunc(names, isInside)
	var b strings.Builder
	if n == 0 {
		fmt.Fprintf(&b, "%8s %8s", "at", "threads")
		for _, name := range names {
			fmt.Fprintf(&b, " %13s", name)
		}
		b.WriteByte('\n')
	}
	lap := r.laps[n]
	fmt.Fprintf(&b, "%8s %8d", lap.at.Round(time.Second), lap.lives)
	for _, name := range names {
		fmt.Fprintf(&b, " %13.0f", lap.values[name])
	}
	return b.String()
}

// allowance is what a value may seem to grow by between warm-up and end: a share
// of itself, for what chance does, and what one more of something costs.
func allowance(name string, typical float64) float64 {
	switch kind, _, _ := strings.Cut(name, " "); kind {
	case "goroutines":
		return 4
	case "files":
		return 12 // pools open a connection when more are wanted at once than ever before
	case "heap":
		return 0.1*typical + 512
	case "RSS":
		return 0.15*typical + 4096
	case "in":
		return 0.1*typical + 4
	case "bytes":
		return 0.2*typical + 512
	case "redis":
		if name == "redis keys" {
			return 4 // those of followers go by themselves, a little later
		}
		return 0.1*typical + 512
	}
	return 0
}

// tellsEarly reports whether a few seconds are enough to judge what is of that
// name: memory and keys are filled for the first minutes.
func tellsEarly(name string) bool {
	return strings.HasPrefix(name, "goroutines ") || strings.HasPrefix(name, "files ")
}

// verdict is a table of what was measured behind the warm-up, and what grew, of
// all or of what tells early.
func (r *record) verdict(all bool) (table string, grown []string) {
	laps := r.laps[r.warm():]
	if len(laps) < 3 {
		return "", []string{"too few laps to tell whether anything grows"}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%-24s %10s %10s %10s %10s %12s %10s\n", "", "first", "last", "least", "most", "trend", "allowed")
	lives := float64(laps[len(laps)-1].lives - laps[0].lives)
	names := map[string]float64{}
	for _, lap := range laps {
		maps.Copy(names, lap.values) // a key of some kind may be there now and then
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		var series []float64
		for _, lap := range laps {
			series = append(series, lap.values[name])
		}
		sorted := slices.Sorted(slices.Values(series))
		growth, allowed := trend(floors(name, series)), allowance(name, sorted[len(sorted)/2])
		fmt.Fprintf(&b, "%-24s %10.0f %10.0f %10.0f %10.0f %12.1f %10.1f\n",
			name, series[0], series[len(series)-1], sorted[0], sorted[len(sorted)-1], growth, allowed)
		if growth > allowed && (all || tellsEarly(name)) {
			grown = append(grown, fmt.Sprintf("%s: %.1f more over the last %d laps, %.4f a thread; %.1f are allowed",
				name, growth, len(laps), growth/max(lives, 1), allowed))
		}
	}
	return b.String(), grown
}

// floors are what a value that caches fill and empty falls back to, now and then:
// the least of some laps each. Other values are left as they are.
func floors(name string, series []float64) []float64 {
	if !strings.Contains(name, "KiB") {
		return series
	}
	window := max(len(series)/4, 1)
	var least []float64
	for i := range len(series) - window + 1 {
		least = append(least, slices.Min(series[i:i+window]))
	}
	return least
}

// trend is by how much the series grows from its first to its last value: the
// median of all slopes, which no single lap can move.
func trend(series []float64) float64 {
	var slopes []float64
	for i := range series {
		for j := i + 1; j < len(series); j++ {
			slopes = append(slopes, (series[j]-series[i])/float64(j-i))
		}
	}
	slices.Sort(slopes)
	return slopes[len(slopes)/2] * float64(len(series)-1)
}

// What grows by a little each lap is found among what goes up and down.
func TestVerdict(t *testing.T) {
	chance := rand.New(rand.NewPCG(1, 2))
	var r record
	for n := range 40 {
		noise := 400 * chance.Float64()
		leaked := float64(n) * 60
		r.add(time.Duration(n)*lap, int64(n)*100, values{
			"goroutines A": 16 + float64(chance.IntN(4)), "goroutines B": 16 + float64(n)/4,
			"heap KiB A": 6000 + noise, "heap KiB B": 6000 + noise + leaked,
			"redis keys":     81 + float64(chance.IntN(2)),
			"in a followers": 3 + float64(n), "in a rec": float64(20 + n%3), "bytes of a memo": 1300 + float64(n)*38, "bytes of a disp": 90 * float64(n%2),
			"RSS KiB A": 30_000 + 4*noise,
		})
	}
	for all, want := range map[bool][]string{true: {"bytes of a memo", "goroutines B", "heap KiB B", "in a followers"}, false: {"goroutines B"}} {
		_, grown := r.verdict(all)
		var names []string
		for _, what := range grown {
			name, _, _ := strings.Cut(what, ":")
			names = append(names, name)
		}
		if !slices.Equal(names, want) {
			t.Errorf("it is said that %q grow, want %q", names, want)
		}
	}
}
