package main

import (
	"bytes"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
)

func TestSpread(t *testing.T) {
	for _, c := range []struct {
		values []float64
		want   *spread
	}{
		{nil, nil},
		{[]float64{3}, &spread{3, 3, 3}},
		{[]float64{4, 1}, &spread{1, 2.5, 4}},
		{[]float64{9, 1, 2}, &spread{1, 2, 9}},
	} {
		if got := spreadOf(c.values); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%v: %v instead of %v", c.values, got, c.want)
		}
	}
}

func TestQuantile(t *testing.T) {
	hundred := make([]float64, 100)
	for i := range hundred {
		hundred[i] = float64(100 - i)
	}
	for _, c := range []struct {
		values     []float64
		part, want float64
	}{
		{hundred, .5, 50}, {hundred, .99, 99}, {hundred, 1, 100}, {hundred, 0, 1}, {[]float64{7}, .5, 7}, {[]float64{1, 2}, .5, 1},
	} {
		if got := quantile(c.values, c.part); got != c.want {
			t.Errorf("%v of %d values: %v instead of %v", c.part, len(c.values), got, c.want)
		}
	}
	if got := quantile(nil, .5); !math.IsNaN(got) {
		t.Errorf("of nothing: %v", got)
	}
}

// A ratio is of one round: what one side has not measured, or is nothing, has none.
func TestRatiosAreOfOneRound(t *testing.T) {
	got := results{}
	got.add("ours", 0, figures{"events/s": 50, "us": 3})
	got.add("ours", 1, figures{"events/s": 80, "us": 5})
	got.add("ours", 2, figures{"events/s": 90})
	got.add("rival", 0, figures{"events/s": 100, "us": 0})
	got.add("rival", 1, figures{"events/s": 40})
	rows := []row{
		{"a", "ours", "rival", []string{"events/s", "us", "nothing"}},
		{"b", "ours", "", []string{"us"}},
		{"c", "not run", "rival", []string{"us"}},
	}
	lines := compare(rows, got)
	compared := []line{
		{"a", "events/s", &spread{50, 80, 90}, &spread{40, 70, 100}, &spread{.5, 1.25, 2}},
		{"a", "us", &spread{3, 4, 5}, &spread{0, 0, 0}, nil},
		{"b", "us", &spread{3, 4, 5}, nil, nil},
	}
	if !reflect.DeepEqual(lines, compared) {
		t.Errorf("%+v\nis not\n%+v", lines, compared)
	}
	var text bytes.Buffer
	table(&text, append(lines, line{"b", others, &spread{1, 11, 20}, nil, nil}))
	want := []string{
		"| row | figure | ours | other | ratio: median (least to largest) |", "| --- | --- | --- | --- | --- |",
		"| a | events/s | 80.0 | 70.0 | 1.25 (0.50 to 2.00) |", "|  | us | 4.00 | 0.00 |  |", "| b † | us | 4.00 |  |  |",
		"", "† Others used more than 10 % of the machine: measure again at rest.", "",
	}
	if got := strings.Split(text.String(), "\n"); !slices.Equal(got, want) {
		t.Errorf("the table is %q", got)
	}
}

func TestShort(t *testing.T) {
	for v, want := range map[float64]string{0.456: "0.46", 12.34: "12.3", 999.6: "1000", 352_100: "352k", 15_043_000: "15M"} {
		if got := short(v); got != want {
			t.Errorf("%v: %s instead of %s", v, got, want)
		}
	}
}
