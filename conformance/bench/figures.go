package main

import (
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"text/tabwriter"
)

// figures are what one sample measured, by name. The names say the unit.
type figures map[string]float64

// results are the figures of cases, by case, then by figure, by round. What a round has not
// measured is not in it.
type results map[string]map[string]map[int]float64

func (r results) add(name string, round int, f figures) {
	if r[name] == nil {
		r[name] = map[string]map[int]float64{}
	}
	for figure, v := range f {
		if r[name][figure] == nil {
			r[name][figure] = map[int]float64{}
		}
		r[name][figure][round] = v
	}
}

// spread is the least, the median and the largest of what was measured.
type spread struct {
	Min    float64 `json:"min"`
	Median float64 `json:"median"`
	Max    float64 `json:"max"`
}

func spreadOf(values []float64) *spread {
	if len(values) == 0 {
		return nil
	}
	v := slices.Sorted(slices.Values(values))
	n := len(v)
	return &spread{v[0], (v[(n-1)/2] + v[n/2]) / 2, v[n-1]}
}

// quantile is the value that so large a part is not above.
func quantile(values []float64, part float64) float64 {
	if len(values) == 0 {
		return math.NaN()
	}
	v := slices.Sorted(slices.Values(values))
	return v[max(0, min(len(v)-1, int(math.Ceil(part*float64(len(v))))-1))]
}

// row compares a case of ours with another one; without a rival it tells of ours alone.
type row struct {
	name, ours, rival string
	figures           []string // that are shown
}

// line is one figure of a row.
type line struct {
	Row    string  `json:"row"`
	Figure string  `json:"figure"`
	Ours   *spread `json:"ours"`
	Rival  *spread `json:"rival,omitempty"`
	// Ratio is of the ratios of rounds, ours to the rival's.
	Ratio *spread `json:"ratio,omitempty"`
}

// compare makes lines of rows. A ratio needs both of its round; what is nothing at the
// rival's has none, and neither has what others did.
func compare(rows []row, got results) []line {
	var lines []line
	for _, r := range rows {
		for _, figure := range r.figures {
			ours, rival := got[r.ours][figure], got[r.rival][figure]
			l := line{Row: r.name, Figure: figure, Ours: spreadOf(slices.Collect(maps.Values(ours)))}
			if l.Ours == nil {
				continue
			}
			l.Rival = spreadOf(slices.Collect(maps.Values(rival)))
			var ratios []float64
			for round, v := range ours {
				if other, both := rival[round]; both && other != 0 && figure != others {
					ratios = append(ratios, v/other)
				}
			}
			l.Ratio = spreadOf(ratios)
			lines = append(lines, l)
		}
	}
	return lines
}

// table prints lines. Ratios of rates are better above 1, all others below.
func table(w io.Writer, lines []line) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "row\tfigure\tours\trival\tratio: least\tmedian\tlargest\t")
	last := ""
	for _, l := range lines {
		name := l.Row
		if name == last {
			name = ""
		}
		last = l.Row
		rival, ratio := "", "\t\t"
		if l.Rival != nil {
			rival = short(l.Rival.Median)
		}
		if l.Ratio != nil {
			ratio = fmt.Sprintf("%.2f\t%.2f\t%.2f", l.Ratio.Min, l.Ratio.Median, l.Ratio.Max)
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t\n", name, l.Figure, short(l.Ours.Median), rival, ratio)
	}
	t.Flush()
}

// short has three digits that count.
func short(v float64) string {
	switch a := math.Abs(v); {
	case a >= 10_000_000:
		return fmt.Sprintf("%.0fM", v/1e6)
	case a >= 10_000:
		return fmt.Sprintf("%.0fk", v/1000)
	case a >= 100:
		return fmt.Sprintf("%.0f", v)
	case a >= 10:
		return fmt.Sprintf("%.1f", v)
	}
	return fmt.Sprintf("%.2f", v)
}
