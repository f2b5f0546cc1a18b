package conformance

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Level is how much a rule binds.
type Level string

// The levels, from the strictest. RULES.md says what they mean.
const (
	Must     Level = "MUST"     // AG-UI 1.1 asks for it
	Should   Level = "SHOULD"   // AG-UI 1.1 asks for it where nothing stands against it
	Contract Level = "CONTRACT" // AG-UI's interrupt contract asks for it, and 1.1 for less
	Ours     Level = "OURS"     // this project promises it beyond both
)

// Levels are all of them.
var Levels = []Level{Must, Should, Contract, Ours}

// Case is one thing that a server does, or does not do.
type Case struct {
	Name   string   // group/what
	Rule   string   // a name in RULES.md
	Level  Level    //
	About  string   // one sentence for a person
	Over   []string // transports that can show it; all when empty
	Needs  []string // features, and agent commands as "/name"
	Shows  string   // the agent command without which no case that needs it means anything; "" for most
	Times  int      // how often it is tried, at least 1
	Alone  bool     // no other case may run meanwhile
	Slow   int      // how many times as long as others its steps may take, at least 1
	Source string   // file, as it was given to Parse, and line

	steps []step
}

// Group is the part of the name that comes first.
func (c *Case) Group() string {
	group, _, _ := strings.Cut(c.Name, "/")
	return group
}

// step is one line of a case.
type step struct {
	line   int
	source string
	client string // "" for steps that are about no one client
	op     string // ">", "<", "<<", "!", "=", or the step's own name
	rest   string
}

var (
	caseName   = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*/[a-z0-9]+(-[a-z0-9]+)*$`)
	clientLine = regexp.MustCompile(`^([A-Z])(<<|>|<|!|=) *(.*)$`)
	command    = regexp.MustCompile(`^run \S+ (\S+)`)
	section    = regexp.MustCompile(`^-- (.+) --$`)
)

// wholeSteps are the steps that are about several clients or about none.
var wholeSteps = []string{"one", "none", "all", "same", "apart", "effects", "restart", "drain", "sweep", "hop", "swarm"}

// Parse reads cases from a file in the format of golang.org/x/tools/txtar: a
// comment, then one section for each case, named group/case. In a section,
// "name: value" lines come first, then the steps. See README.md.
func Parse(file string, text []byte) ([]*Case, error) {
	var cases []*Case
	var c *Case
	for i, line := range strings.Split(string(text), "\n") {
		at := fmt.Sprintf("%s:%d", file, i+1)
		line = strings.TrimSpace(line)
		if header := section.FindStringSubmatch(line); header != nil {
			c = &Case{Name: header[1], Times: 1, Slow: 1, Source: at}
			if !caseName.MatchString(c.Name) {
				return nil, fmt.Errorf("%s: %q is not group/case in small letters", at, c.Name)
			}
			cases = append(cases, c)
			continue
		}
		if c == nil || line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if err := c.add(line, i+1); err != nil {
			return nil, fmt.Errorf("%s: %w", at, err)
		}
	}
	for _, c := range cases {
		if err := c.check(); err != nil {
			return nil, fmt.Errorf("%s: %s: %w", c.Source, c.Name, err)
		}
	}
	return cases, nil
}

func (c *Case) add(line string, number int) error {
	if m := clientLine.FindStringSubmatch(line); m != nil {
		c.steps = append(c.steps, step{number, line, m[1], m[2], m[3]})
		if run := command.FindStringSubmatch(m[3]); run != nil && m[2] == ">" {
			c.need("/" + run[1])
		}
		for name, command := range inputTexts {
			if strings.Contains(m[3], "$"+name) {
				c.need("/" + command[0])
			}
		}
		if implied := impliedNeeds[firstWord(m[3])]; implied != "" && m[2] == ">" {
			c.need(implied)
		}
		return nil
	}
	word := firstWord(line)
	if slices.Contains(wholeSteps, word) {
		c.steps = append(c.steps, step{number, line, "", word, strings.TrimSpace(strings.TrimPrefix(line, word))})
		if implied := impliedNeeds[word]; implied != "" {
			c.need(implied)
		}
		return nil
	}
	name, value, ok := strings.Cut(line, ":")
	if !ok || len(c.steps) > 0 {
		return fmt.Errorf("%q is neither a step nor, before the steps, a setting", line)
	}
	value = strings.TrimSpace(value)
	switch name {
	case "rule":
		c.Rule = value
	case "level":
		c.Level = Level(value)
	case "about":
		c.About = value
	case "over":
		c.Over = strings.Fields(value)
	case "needs":
		for _, need := range strings.Fields(value) {
			c.need(need)
		}
	case "times", "slow":
		n, err := strconv.Atoi(value)
		if err != nil || n < 1 {
			return fmt.Errorf("%s: %q is not a number from 1", name, value)
		}
		if name == "slow" {
			c.Slow = n
		} else {
			c.Times = n
		}
	case "alone":
		c.Alone = value == "yes"
	case "shows":
		c.Shows = value
	default:
		return fmt.Errorf("%q is no setting of a case", name)
	}
	return nil
}

// impliedNeeds are the features that a step cannot do without.
var impliedNeeds = map[string]string{
	"cancel": "cancel", "follow": "follow", "continue": "position",
	"sweep": "position", "hop": "position", "swarm": "follow",
	"effects": "effects", "restart": "restart", "drain": "drain",
}

func (c *Case) need(feature string) {
	if !slices.Contains(c.Needs, feature) {
		c.Needs = append(c.Needs, feature)
	}
}

func (c *Case) check() error {
	switch {
	case c.Rule == "":
		return fmt.Errorf("which rule does it hold? add a line \"rule: …\"")
	case !slices.Contains(Levels, c.Level):
		return fmt.Errorf("the level is MUST, SHOULD, CONTRACT or OURS, not %q", c.Level)
	case c.About == "":
		return fmt.Errorf("what is it about? add a line \"about: …\"")
	case len(c.steps) == 0:
		return fmt.Errorf("it has no steps")
	case !slices.ContainsFunc(c.steps, step.wants):
		return fmt.Errorf("a server that does nothing would pass it: add a step that wants something to come")
	}
	if c.Shows != "" && !slices.Contains(c.Needs, "/"+c.Shows) {
		return fmt.Errorf("it gives no command %q, which it says it shows", c.Shows)
	}
	for _, over := range c.Over {
		if !slices.Contains(Transports, over) {
			return fmt.Errorf("no transport is named %q; there are %s", over, strings.Join(Transports, ", "))
		}
	}
	for _, need := range c.Needs {
		if !strings.HasPrefix(need, "/") && Features[strings.TrimPrefix(need, "!")] == "" {
			return fmt.Errorf("no feature is named %q", need)
		}
	}
	return nil
}

// wants reports whether a server that does nothing, or refuses everything, must fail
// the step.
func (s step) wants() bool {
	switch s.op {
	case "<", "<<":
		for _, empty := range []string{"END", rejected, "RUN_ERROR", "CLOSE"} {
			if strings.TrimPrefix(s.rest, more+" ") == empty {
				return false
			}
		}
		return true
	case "=", "one", "all", "sweep", "hop", "swarm":
		return true
	}
	return false
}

func firstWord(s string) string {
	word, _, _ := strings.Cut(s, " ")
	return word
}
