package main

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/aguiws/aguiws/internal/suite"
)

// TestMain makes the test binary the processes of a sample when it is started as one.
func TestMain(m *testing.M) {
	if os.Getenv(roleVariable) != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

func needRedis(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("redis-server"); err != nil {
		if strings.Contains(os.Getenv("AGUIWS_REQUIRE"), "redis") {
			t.Fatal(err)
		}
		t.Skip("redis-server is not installed")
	}
}

func prepared(t *testing.T) *bench {
	t.Helper()
	b, err := prepare(t.Context(), nil, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.close)
	return b
}

// The command measures a row, says so as a table and as JSON, and leaves nothing behind.
func TestCommand(t *testing.T) {
	suite.Full(t)
	needRedis(t)
	t.Setenv("TMPDIR", t.TempDir())
	file := filepath.Join(t.TempDir(), "out.json")
	var out, progress bytes.Buffer
	if code := run(t.Context(), []string{"--quick", "--rounds", "1", "--only", "^saturated, 100 runs$", "--json", file}, &out, &progress); code != 0 {
		t.Fatalf("it ended with %d: %s%s", code, &out, &progress)
	}
	for _, want := range []string{"saturated, 100 runs", rate, redisCPU} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the table lacks %s:\n%s", want, &out)
		}
	}
	var got struct {
		Command string
		Rows    []line
		Samples results
		NotRun  map[string]string
	}
	text, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(text, &got)
	}
	if err != nil || !strings.Contains(got.Command, "--quick") || len(got.NotRun) > 0 || len(got.Samples) != 2 || len(got.Rows) == 0 {
		t.Fatalf("%v: %s", err, text)
	}
	for _, l := range got.Rows {
		if l.Figure == rate && (l.Ratio == nil || l.Ratio.Median <= 0 || l.Ours.Median < 1) {
			t.Errorf("no ratio of rates: %+v", l)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(os.Getenv("TMPDIR"), "*")); len(left) > 0 {
		t.Errorf("it left %q", left)
	}
}

// Every row's cases are measured by some sample, and every case is of use.
func TestPlanIsWhole(t *testing.T) {
	for _, p := range []plan{{}, {quick: true, large: true}} {
		rows, samples := p.choose(anything)
		measured, used := map[string]int{}, map[string]bool{"": true}
		for _, s := range samples {
			for _, c := range s.cases {
				measured[c]++
			}
		}
		names := map[string]bool{}
		for _, r := range rows {
			for _, c := range []string{r.ours, r.rival} {
				if used[c] = true; c != "" && measured[c] != 1 {
					t.Errorf("%s: %q is measured %d times", r.name, c, measured[c])
				}
			}
			if names[r.name] || len(r.figures) == 0 {
				t.Errorf("%s is there twice, or shows nothing", r.name)
			}
			names[r.name] = true
		}
		for c := range measured {
			if !used[c] {
				t.Errorf("%s is of no use", c)
			}
		}
	}
}

func TestWrongArguments(t *testing.T) {
	for _, args := range [][]string{{"--only", "("}, {"--rounds", "0"}, {"more"}, {"--only", "no such row"}, {"--nonsense"}} {
		var out, complaint bytes.Buffer
		if code := run(t.Context(), args, &out, &complaint); code != 2 || complaint.Len() == 0 {
			t.Errorf("%q ends with %d and says %q", args, code, &complaint)
		}
	}
}

var anything = regexp.MustCompile("")
