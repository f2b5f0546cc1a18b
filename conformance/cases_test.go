package conformance

import (
	"maps"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// always are the rules that are held in every case and need none of their own.
var always = []string{ruleShape, ruleOrder, ruleEnd, ruleAnswered}

func TestEveryRuleHasACase(t *testing.T) {
	cases, err := Cases()
	if err != nil {
		t.Fatal(err)
	}
	held := map[string]bool{}
	names := map[string]string{}
	for _, c := range cases {
		if names[c.Name] != "" {
			t.Errorf("%s: %s is also at %s", c.Source, c.Name, names[c.Name])
		}
		names[c.Name] = c.Source
		if _, ok := rule(c.Rule); !ok {
			t.Errorf("%s: RULES.md has no rule %q", c.Source, c.Rule)
		}
		held[c.Rule] = true
	}
	rules := Rules()
	if headings := strings.Count(rulesText, "\n### "); headings != len(rules) {
		t.Errorf("RULES.md has %d rules, of which %d can be read", headings, len(rules))
	}
	for _, r := range rules {
		if !held[r.Name] && !slices.Contains(always, r.Name) {
			t.Errorf("no case holds the rule %s", r.Name)
		}
	}
	for _, name := range append(always, ruleCounting, ruleFraming, ruleHandshake, rulePlain, ruleHTTP) {
		if _, ok := rule(name); !ok {
			t.Errorf("RULES.md does not have %s", name)
		}
	}
}

// What a rule refers to must be there.
func TestRulesReferToWhatThereIs(t *testing.T) {
	reference := regexp.MustCompile(`([a-zA-Z/]+\.md)#([a-z-]+)`)
	for _, m := range reference.FindAllStringSubmatch(rulesText, -1) {
		text, err := os.ReadFile("../" + m[1])
		if err != nil {
			t.Error(err)
			continue
		}
		if !slices.Contains(anchors(string(text)), m[2]) {
			t.Errorf("%s has no section %s", m[1], m[2])
		}
	}
}

// The README lists every command, feature and step that there is.
func TestReadmeIsComplete(t *testing.T) {
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	names := slices.Concat(slices.Collect(maps.Keys(Commands)), slices.Collect(maps.Keys(Features)), wholeSteps, Transports)
	for _, name := range names {
		if !strings.Contains(string(text), "`"+name) {
			t.Errorf("README.md does not tell of %s", name)
		}
	}
	if count := regexp.MustCompile(`over (\d+)00 cases`).FindStringSubmatch(string(text)); count == nil {
		t.Error("README.md does not say how many cases there are")
	} else if cases, err := Cases(); err != nil || count[1] != strconv.Itoa(len(cases)/100) {
		t.Errorf("README.md says %s, and there are %d: %v", count[0], len(cases), err)
	}
}

func anchors(markdown string) []string {
	var list []string
	drop := regexp.MustCompile("[^a-z0-9 -]")
	for line := range strings.Lines(markdown) {
		if heading := strings.TrimLeft(line, "#"); heading != line {
			name := drop.ReplaceAllString(strings.ToLower(strings.TrimSpace(heading)), "")
			list = append(list, strings.ReplaceAll(name, " ", "-"))
		}
	}
	return list
}

func TestParseRefuses(t *testing.T) {
	const head = "-- g/c --\nrule: run-again\nlevel: MUST\nabout: x\n"
	for name, text := range map[string]string{
		"a bad name":           "-- Case --\n",
		"no rule":              "-- g/c --\nlevel: MUST\nabout: x\nA> run r say x\nA< RUN_STARTED\n",
		"no level":             "-- g/c --\nrule: run-again\nabout: x\nA> run r say x\nA< RUN_STARTED\n",
		"no words":             "-- g/c --\nrule: run-again\nlevel: MUST\nA> run r say x\nA< RUN_STARTED\n",
		"no steps":             head,
		"nothing wanted":       head + "A> run r say x\nA! RUN_ERROR\nA< END\n",
		"an unknown setting":   head + "colour: red\nA> run r say x\nA< RUN_STARTED\n",
		"a setting too late":   head + "A> run r say x\nover: plain\n",
		"an unknown transport": head + "over: pigeon\nA> run r say x\nA< RUN_STARTED\n",
		"an unknown feature":   head + "needs: wings\nA> run r say x\nA< RUN_STARTED\n",
		"no count":             head + "times: often\nA> run r say x\nA< RUN_STARTED\n",
	} {
		if cases, err := Parse("f.txtar", []byte(text)); err == nil {
			t.Errorf("%s: accepted as %+v", name, cases[0])
		}
	}
}

func TestParse(t *testing.T) {
	cases, err := Parse("x/f.txtar", []byte("about it all\n\n-- g/c --\nrule: run-again\nlevel: OURS\nabout: x\nover: binding sse\nneeds: queue\ntimes: 3\n# a remark\nA> run r say hello\nA< ... RUN_FINISHED\nsame A B\nB> cancel r\nB> input s {\"x\":\"$picking\"}\n"))
	if err != nil {
		t.Fatal(err)
	}
	c := cases[0]
	if c.Group() != "g" || c.Times != 3 || c.Source != "x/f.txtar:3" || len(c.steps) != 5 || !c.appliesTo(SSE) || c.appliesTo(Plain) {
		t.Errorf("read as %+v", c)
	}
	if want := []string{"queue", "/say", "cancel", "/frontend"}; !slices.Equal(c.Needs, want) {
		t.Errorf("it needs %v, expected %v", c.Needs, want)
	}
}

func TestSelect(t *testing.T) {
	all := []*Case{{Name: "a/one", Level: Must}, {Name: "a/two", Level: Ours}, {Name: "b/one", Level: Must}}
	for _, test := range []struct {
		patterns []string
		levels   []Level
		want     int
	}{
		{nil, nil, 3}, {[]string{"a"}, nil, 2}, {[]string{"*/one"}, nil, 2}, {nil, []Level{Ours}, 1}, {[]string{"a/*"}, []Level{Must}, 1}, {[]string{"c/*"}, nil, 0},
	} {
		kept, err := Select(all, test.patterns, test.levels)
		if err != nil || len(kept) != test.want {
			t.Errorf("%v %v keeps %d: %v", test.patterns, test.levels, len(kept), err)
		}
	}
	if _, err := Select(all, []string{"["}, nil); err == nil {
		t.Error("a bad pattern is taken")
	}
}
