package main

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// features are the columns, in the order of a first hour with the server.
var features = []string{"text", "own tool", "question", "several questions", "question after reload", "run after reload", "cut", "stop"}

const untried = "–"

// client is one row: who, of which version, by which way, and the lane that shows it.
type client struct{ Client, Version, Way, Lane string }

// table holds, by client and feature, what was shown.
type table map[client]map[string]string

// shown is one line of what the lanes write.
type shown struct {
	client
	Feature, Shows string
}

// add reads what lanes have written. What is shown several times has to be the same.
func (t table) add(lines io.Reader) error {
	scanner := bufio.NewScanner(lines)
	for scanner.Scan() {
		var s shown
		if err := json.Unmarshal(scanner.Bytes(), &s); err != nil {
			return fmt.Errorf("%q: %w", scanner.Text(), err)
		}
		if !slices.Contains(features, s.Feature) {
			return fmt.Errorf("%q is no feature: there are %s", s.Feature, strings.Join(features, ", "))
		}
		if strings.ContainsAny(s.Client+s.Version+s.Way+s.Lane+s.Shows, "|\n") || s.Client == "" || s.Version == "" || s.Way == "" || s.Lane == "" || s.Shows == "" {
			return fmt.Errorf("%q cannot be a row", scanner.Text())
		}
		if t[s.client] == nil {
			t[s.client] = map[string]string{}
		}
		if before := t[s.client][s.Feature]; before != "" && before != s.Shows {
			return fmt.Errorf("%s: %q is shown as %q and as %q", s.client, s.Feature, before, s.Shows)
		}
		t[s.client][s.Feature] = s.Shows
	}
	return scanner.Err()
}

func (c client) String() string { return c.Client + " " + c.Version + ", " + c.Way }

// compare says where the table is not what was shown. Rows of the lanes have to be
// there in full.
func (t table) compare(shown table, lanes []string) []string {
	var differs []string
	for c, cells := range shown {
		for feature, shows := range cells {
			if says := t[c][feature]; says != shows {
				differs = append(differs, fmt.Sprintf("%s, %s: it says %q, shown is %q", c, feature, cmp.Or(says, untried), shows))
			}
		}
	}
	for c, cells := range t {
		if !slices.Contains(lanes, c.Lane) {
			continue
		}
		for feature, says := range cells {
			if shown[c][feature] == "" {
				differs = append(differs, fmt.Sprintf("%s, %s: it says %q, and the lane %s has not shown it", c, feature, says, c.Lane))
			}
		}
	}
	slices.Sort(differs)
	return differs
}

const (
	begins = "<!-- table -->\n"
	ends   = "<!-- end of table -->\n"
)

// readTable finds the table in a page.
func readTable(page []byte) (table, error) {
	_, rest, found := bytes.Cut(page, []byte(begins))
	text, _, ended := bytes.Cut(rest, []byte(ends))
	if !found || !ended {
		return nil, errors.New("it has no place for the table")
	}
	t := table{}
	for i, line := range strings.Split(strings.TrimSpace(string(text)), "\n") {
		if i < 2 || line == "" { // its head
			continue
		}
		cells := strings.Split(strings.Trim(line, "|"), "|")
		if len(cells) != 4+len(features) {
			return nil, fmt.Errorf("a row has %d cells: %s", len(cells), line)
		}
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		row := map[string]string{}
		for i, feature := range features {
			if says := cells[3+i]; says != untried {
				row[feature] = says
			}
		}
		t[client{cells[0], cells[1], cells[2], cells[len(cells)-1]}] = row
	}
	return t, nil
}

// write puts the table into its page.
func (t table) write(page []byte) []byte {
	rows := make([]client, 0, len(t))
	for c := range t {
		rows = append(rows, c)
	}
	slices.SortFunc(rows, func(a, b client) int {
		return cmp.Or(strings.Compare(a.Client, b.Client), strings.Compare(a.Way, b.Way), compareVersions(b.Version, a.Version))
	})
	var out bytes.Buffer
	head := slices.Concat([]string{"client", "version", "by"}, features, []string{"lane"})
	fmt.Fprintf(&out, "| %s |\n|%s\n", strings.Join(head, " | "), strings.Repeat(" --- |", len(head)))
	for _, c := range rows {
		cells := []string{c.Client, c.Version, c.Way}
		for _, feature := range features {
			cells = append(cells, cmp.Or(t[c][feature], untried))
		}
		fmt.Fprintf(&out, "| %s |\n", strings.Join(append(cells, c.Lane), " | "))
	}
	before, rest, _ := bytes.Cut(page, []byte(begins))
	_, after, _ := bytes.Cut(rest, []byte(ends))
	return slices.Concat(before, []byte(begins), out.Bytes(), []byte(ends), after)
}

// compareVersions orders versions by their numbers.
func compareVersions(a, b string) int {
	as, bs := strings.Split(a, "."), strings.Split(b, ".")
	for i := range min(len(as), len(bs)) {
		x, errX := strconv.Atoi(as[i])
		y, errY := strconv.Atoi(bs[i])
		if errX != nil || errY != nil {
			return strings.Compare(a, b)
		}
		if x != y {
			return cmp.Compare(x, y)
		}
	}
	return cmp.Compare(len(as), len(bs))
}
