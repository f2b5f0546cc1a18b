package conformance_test

import (
	"io"
	"math"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/aguiws/aguiws/internal/cli"
)

// longest is how many lines a page may have that is read from its beginning. One to look
// things up in has no bound.
func longest(name string) int {
	switch {
	case name == "README.md":
		return 120
	case name == "CHANGELOG.md":
		return 60
	case strings.HasPrefix(name, "docs/"), name == "SECURITY.md", name == "CONTRIBUTING.md":
		return 200
	}
	return math.MaxInt
}

// plain are the pages beside docs/ and examples/ that must read plainly.
var plain = []string{
	"README.md", "CHANGELOG.md", "SECURITY.md", "CONTRIBUTING.md", "web/README.md", "web/client/README.md", "web/create/README.md", "web/react/README.md",
	"conformance/README.md", "conformance/CLIENTS.md", "conformance/BEHAVIOURS.md", "conformance/RULES.md",
}

// readsPlainly reports whether a page must.
func readsPlainly(name string) bool {
	return slices.Contains(plain, name) || strings.HasPrefix(name, "docs/") || strings.HasPrefix(name, "examples/")
}

var (
	notProse = regexp.MustCompile("(?ms)^```.*?^```|^\\|[^\n]*|^#[^\n]*|^<!--[^\n]*|^!?\\[[^\n]*\\]\\([^\n]*\\)$")
	sentence = regexp.MustCompile("[.!?:]\\s+([A-Z`*-])")
	bullet   = regexp.MustCompile(`(?:^|\n)(?:[*-]|\d+\.) `)
	inverted = regexp.MustCompile(`^\W*(?:Of|What|Who|Whoever|Whose|One that|That|So|As|With|Behind|Where|Had|Nothing|Nobody|For whom) `)
)

// sentences are a page's, each as words, without its code and its tables.
func sentences(text string) (list []string) {
	text = notProse.ReplaceAllString(text, "\n")
	text = inline.ReplaceAllString(text, "`X`")
	text = regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`).ReplaceAllString(text, "$1")
	for block := range strings.SplitSeq(text, "\n\n") {
		for item := range strings.SplitSeq(bullet.ReplaceAllString(block, "\n- "), "\n- ") {
			for _, each := range strings.Split(sentence.ReplaceAllString(strings.Join(strings.Fields(item), " "), "\x00$1"), "\x00") {
				if len(strings.Fields(each)) > 3 {
					list = append(list, each)
				}
			}
		}
	}
	return list
}

// A page that users read first is short, and so are the sentences of all of them; they
// begin with their subject.
func TestDocsReadPlainly(t *testing.T) {
	for _, p := range pages(t) {
		if !readsPlainly(p.name) {
			continue
		}
		if lines := strings.Count(p.text, "\n"); lines > longest(p.name) {
			t.Errorf("%s has %d lines, and is to have %d at most", p.name, lines, longest(p.name))
		}
		plainly(t, p.name, sentences(p.text))
	}
}

// plainly holds the sentences of a text to being short, and to beginning with their subject.
func plainly(t *testing.T, name string, all []string) {
	t.Helper()
	slices.SortFunc(all, func(a, b string) int { return len(strings.Fields(a)) - len(strings.Fields(b)) })
	if len(all) > 0 {
		if long := all[len(all)*9/10]; len(strings.Fields(long)) > 35 {
			t.Errorf("%s: one sentence in ten has more than 35 words: %s", name, long)
		}
	}
	begun := slices.DeleteFunc(slices.Clone(all), func(s string) bool { return !inverted.MatchString(s) })
	if 100*len(begun) > 4*len(all) {
		t.Errorf("%s: more than 4 of 100 sentences begin with another thing than their subject: %q", name, begun)
	}
}

// helpItem begins a text of --help: a command's, or a flag's behind its name.
var helpItem = regexp.MustCompile(`^(?:Usage:|      ) aguiws |^  --`)

// What --help says of each command and flag reads as the pages do, whose tables of settings
// have the same words.
func TestHelpReadsPlainly(t *testing.T) {
	var help strings.Builder
	if code := cli.Main(t.Context(), []string{"--help"}, nil, io.Discard, &help); code != 0 {
		t.Fatalf("--help exits with %d", code)
	}
	var items []string
	flags, fresh := 0, true
	for line := range strings.Lines(help.String()) {
		text := strings.TrimSpace(strings.TrimPrefix(line, "Usage:"))
		flag := strings.HasPrefix(line, "  --")
		if fresh || helpItem.MatchString(line) {
			items = append(items, "")
		}
		if flag {
			flags, text = flags+1, ""
		}
		items[len(items)-1] += text + " "
		fresh = text == "" && !flag
	}
	if flags < 80 {
		t.Fatalf("only %d flags were found", flags)
	}
	var all []string
	for _, item := range items {
		// A flag's text begins with a small letter.
		if item = strings.TrimSpace(item); item != "" && inverted.MatchString(strings.ToUpper(item[:1])+item[1:]) {
			t.Errorf("it begins with another thing than its subject: %s", item)
		}
		all = append(all, sentences(item)...)
	}
	plainly(t, "--help", all)
}

// Every page of docs/ is in the index of its folder, and each index in the one above.
func TestDocsAreIndexed(t *testing.T) {
	for _, p := range pages(t) {
		if !strings.HasPrefix(p.name, "docs/") || p.name == "docs/README.md" {
			continue
		}
		folder, below := path.Split(p.name)
		if below == "README.md" {
			below = path.Base(folder) + "/" + below
			folder = path.Dir(path.Clean(folder)) + "/"
		}
		index, err := os.ReadFile(filepath.Join("..", filepath.FromSlash(folder), "README.md"))
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(index), "]("+below+")") {
			t.Errorf("%sREADME.md does not link to %s", folder, below)
		}
	}
}

// A link to a place of a page is to a heading that the page has.
func TestDocsLinkToHeadings(t *testing.T) {
	headings := map[string][]string{}
	all := pages(t)
	for _, p := range all {
		headings[p.name] = anchors(p.text)
	}
	link := regexp.MustCompile(`\]\(([^)#\s:]*)#([^)\s]+)\)`)
	for _, p := range all {
		for _, l := range link.FindAllStringSubmatch(fence.ReplaceAllString(p.text, ""), -1) {
			target := p.name
			if l[1] != "" {
				target = path.Join(path.Dir(p.name), l[1])
			}
			if has, is := headings[target]; is && !slices.Contains(has, l[2]) {
				t.Errorf("%s links to %s#%s, which is no heading there", p.name, target, l[2])
			}
		}
	}
}

// anchors are what GitHub makes of a page's headings.
func anchors(text string) (list []string) {
	for _, h := range regexp.MustCompile(`(?m)^#+ (.+)$`).FindAllStringSubmatch(fence.ReplaceAllString(text, ""), -1) {
		words := regexp.MustCompile(`[^\p{L}\p{N} _-]`).ReplaceAllString(strings.ToLower(h[1]), "")
		list = append(list, strings.ReplaceAll(words, " ", "-"))
	}
	return list
}
