package main

import (
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
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

// busy is the part of the machine, in percent, that others may use before a row is marked.
const busy = 10

// table prints lines in Markdown. Ratios of rates are better above 1, all others below.
func table(w io.Writer, lines []line) {
	marked := map[string]bool{}
	for _, l := range lines {
		if l.Figure == others && (l.Ours.Median > busy || l.Rival != nil && l.Rival.Median > busy) {
			marked[l.Row] = true
		}
	}
	fmt.Fprint(w, "| row | figure | ours | other | ratio: median (least to largest) |\n| --- | --- | --- | --- | --- |\n")
	last := ""
	for _, l := range lines {
		if l.Figure == others {
			continue
		}
		name := ""
		if l.Row != last {
			name, last = l.Row, l.Row
			if marked[name] {
				name += " †"
			}
		}
		rival, ratio := "", ""
		if l.Rival != nil {
			rival = short(l.Rival.Median)
		}
		if l.Ratio != nil {
			ratio = fmt.Sprintf("%.2f (%.2f to %.2f)", l.Ratio.Median, l.Ratio.Min, l.Ratio.Max)
		}
		fmt.Fprintf(w, "| %s | %s | %s | %s | %s |\n", name, l.Figure, short(l.Ours.Median), rival, ratio)
	}
	if len(marked) > 0 {
		fmt.Fprintf(w, "\n† Others used more than %d %% of the machine: measure again at rest.\n", busy)
	}
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
