package conformance

import (
	_ "embed"
	"regexp"
	"strings"
)

//go:embed RULES.md
var rulesText string

// Rule is one sentence that servers are held to.
type Rule struct {
	Name  string // also its anchor in RULES.md
	Title string
	From  string // where it comes from
}

// Link is where the rule can be read, from wherever the report is read.
func (r Rule) Link() string { return home + "conformance/RULES.md#" + r.Name }

const home = "https://github.com/aguiws/aguiws/blob/main/"

var ruleHeading = regexp.MustCompile(`(?m)^### ([a-z0-9-]+)\n\n([^\n]+)\n\nFrom: ([^\n]+)$`)

// Rules returns what RULES.md says, in its order.
func Rules() []Rule {
	var rules []Rule
	for _, m := range ruleHeading.FindAllStringSubmatch(rulesText, -1) {
		rules = append(rules, Rule{m[1], strings.TrimSpace(m[2]), m[3]})
	}
	return rules
}

// rule finds one by its name.
func rule(name string) (Rule, bool) {
	for _, r := range Rules() {
		if r.Name == name {
			return r, true
		}
	}
	return Rule{Name: name}, false
}
