package conformance_test

import (
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/aguiws/aguiws/internal/suite"
)

// page is a Markdown file of the tree.
type page struct {
	name string // from the root
	text string
}

func pages(t *testing.T) (list []page) {
	t.Helper()
	for _, name := range treeFiles(t) {
		if body, err := os.ReadFile(filepath.Join("..", name)); err == nil && strings.HasSuffix(name, ".md") {
			list = append(list, page{name, string(body)})
		}
	}
	return list
}

var (
	fence  = regexp.MustCompile("(?ms)^```(\\w*)[^\n]*\n(.*?)^```$")
	inline = regexp.MustCompile("`([^`\n]+)`")
	linked = regexp.MustCompile(`\]\(([^)#\s]+)[^)]*\)`)
	// home is how a page that is also read elsewhere begins its links to this tree.
	home = regexp.MustCompile(`^https://github\.com/aguiws/aguiws/(?:blob|tree)/main/`)
)

// Where code that pages show is compiled, or run: Go everywhere, the browser package's
// by conformance/frontends, a receiver's by the room that sends to it.
var compiled = map[string]*regexp.Regexp{
	"go":  regexp.MustCompile(`\.go$`),
	"ts":  regexp.MustCompile(`^conformance/frontends/snippets/.*\.tsx?$`),
	"tsx": regexp.MustCompile(`^conformance/frontends/snippets/.*\.tsx$|^examples/(?:assistant-ui|copilotkit)/src/.*\.tsx$`),
	// The package client/python runs what its own page shows.
	"python": regexp.MustCompile(`^examples/.*\.py$|^conformance/.*\.py$|^client/python/README\.md$`),
	"js":     regexp.MustCompile(`^conformance/frontends/snippets/.*\.tsx?$|^conformance/frontends/noderuntime/.*\.mjs$|^conformance/node/.*\.mjs$|^conformance/upstreams/.*\.mjs$|^conformance/examples/.*\.mjs$|^examples/.*\.mjs$|^conformance/devserver/app/.*\.js$|^server/webhook/testdata/.*\.mjs$`),
}

// Code that a page shows is, but for its indentation, a piece of a file that
// the compiler sees.
func TestDocsShowCodeThatCompiles(t *testing.T) {
	sources := map[string][]string{}
	for _, name := range treeFiles(t) {
		for language, where := range compiled {
			if !where.MatchString(name) {
				continue
			}
			if body, err := os.ReadFile(filepath.Join("..", name)); err == nil {
				sources[language] = append(sources[language], flush(string(body)))
			}
		}
	}
	for _, p := range pages(t) {
		for _, block := range fence.FindAllStringSubmatch(p.text, -1) {
			language, code := block[1], flush(block[2])
			if _, is := compiled[language]; is && !slices.ContainsFunc(sources[language], func(s string) bool { return strings.Contains(s, code) }) {
				t.Errorf("%s shows what no file that matches %s holds:\n%s", p.name, compiled[language], block[2])
			}
		}
	}
}

// flush takes the indentation away.
func flush(code string) string {
	var b strings.Builder
	for line := range strings.Lines(code) {
		b.WriteString(strings.TrimSpace(line) + "\n")
	}
	return b.String()
}

// Flags that pages name and no Go command has: of npm, python3, redis-cli, redis-server and .ci/affected.
var flagsOfOthers = []string{"--version", "--template", "--no-interactive", "--yes", "--prefix", "--silent", "--scan", "--pattern", "--bind", "--port", "--appendonly", "--run", "--reload", "--app-dir"}

// A flag that a page names is one of our commands.
func TestDocsNameFlagsThatThereAre(t *testing.T) {
	suite.Gate(t) // it links seven commands
	flag := regexp.MustCompile(`(?:^|[\s(\[])(--[a-z][a-z-]*)`)
	known := map[string]bool{}
	for _, command := range [][]string{{"."}, {"./conformance/cmd/agui", "test"}, {"./conformance/cmd/agui", "validate"}, {"./conformance/cmd/agui", "verify"}, {"./conformance/cmd/mutants"}, {"./conformance/bench"}, {"./examples/inbox-cli"}} {
		cmd := exec.Command("go", append(append([]string{"run"}, command...), "--help")...)
		cmd.Dir = ".."
		usage, _ := cmd.CombinedOutput() // some exit with 2 behind their usage
		found := regexp.MustCompile(`(?m)(?:^|[\s(\[])--?([a-z][a-z-]*)`).FindAllStringSubmatch(string(usage), -1)
		if len(found) == 0 {
			t.Fatalf("go run %s --help says %s", command, usage)
		}
		for _, f := range found {
			known["--"+f[1]] = true
		}
	}
	for _, p := range pages(t) {
		if strings.HasPrefix(p.name, "web/") {
			continue // its commands are npm's
		}
		code := inline.FindAllStringSubmatch(fence.ReplaceAllString(p.text, ""), -1)
		for _, block := range fence.FindAllStringSubmatch(p.text, -1) {
			if block[1] == "" || block[1] == "sh" {
				code = append(code, []string{"", block[2]})
			}
		}
		for _, c := range code {
			for _, f := range flag.FindAllStringSubmatch(c[1], -1) {
				if !known[f[1]] && !slices.Contains(flagsOfOthers, f[1]) {
					t.Errorf("%s names %s, which no command of ours has", p.name, f[1])
				}
			}
		}
	}
}

// Files that pages name and that are of the reader's application, or that an example writes.
var filesOfReaders = []string{"examples/fastapi/sent.log", "src/App.tsx", "src/main.tsx", "./index.css", "app/page.tsx", "app/chat.tsx", "app/api/copilotkit/route.ts", "pages/index.tsx", "pages/_app.tsx", "./questions", "./thread", "src/thread.tsx", "src/questions.tsx", "components/assistant-ui/thread.tsx"}

// What the pages at the root and in docs/ name in backticks, and what any page links
// to, is there: files, folders, tests.
func TestDocsNameWhatIsThere(t *testing.T) {
	names, tests := treeFiles(t), map[string]bool{}
	declared := regexp.MustCompile(`(?m)^func ((?:Test|Example|Fuzz|Benchmark)\w*)\(`)
	folders := map[string]bool{}
	for _, name := range names {
		for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
			folders[dir] = true
		}
		if strings.HasSuffix(name, "_test.go") {
			body, err := os.ReadFile(filepath.Join("..", name))
			if err != nil {
				continue
			}
			for _, f := range declared.FindAllStringSubmatch(string(body), -1) {
				tests[f[1]] = true
			}
		}
	}
	there := func(name string) bool {
		name = strings.TrimSuffix(path.Clean(name), "/...")
		if name == "." || name == "..." || folders[name] {
			return true
		}
		return slices.ContainsFunc(names, func(each string) bool {
			matches, err := path.Match(name, each)
			return matches && err == nil
		})
	}
	isTest := regexp.MustCompile(`^(?:Test|Example|Fuzz|Benchmark)\w*$`)
	isPath := regexp.MustCompile(`^(?:[\w.*-]+/)*[\w*-]+\.(?:go|lua|md|mjs|ts|tsx|txtar|txt)$|^(?:[\w.-]+/)+$`)
	roots := slices.Sorted(maps.Keys(folders))
	beneath := func(word string) bool { // without a name of a file, such as server/internal
		first, _, deep := strings.Cut(word, "/")
		return deep && slices.Contains(roots, first) && !strings.ContainsAny(word, "{$…<")
	}
	for _, p := range pages(t) {
		for _, link := range linked.FindAllStringSubmatch(p.text, -1) {
			target, atHome := strings.CutPrefix(home.ReplaceAllString(link[1], "/"), "/")
			if !atHome {
				target = path.Join(path.Dir(p.name), target)
			}
			if !strings.Contains(target, ":") && !there(target) {
				t.Errorf("%s links to %s, which is not there", p.name, link[1])
			}
		}
		if strings.Contains(p.name, "/") && !strings.HasPrefix(p.name, "docs/") {
			continue
		}
		code := inline.FindAllStringSubmatch(fence.ReplaceAllString(p.text, ""), -1)
		for _, block := range fence.FindAllStringSubmatch(p.text, -1) {
			code = append(code, []string{"", block[2]})
		}
		for _, c := range code {
			words := strings.Fields(c[1])
			for i, word := range words {
				word = strings.Trim(word, ",;:'\"()")
				switch {
				case i > 0 && words[i-1] == "-run": // a pattern
				case strings.Contains(word, "node_modules") || strings.HasPrefix(word, "artifacts/") || slices.Contains(filesOfReaders, word):
				case isTest.MatchString(word) && !tests[word]:
					t.Errorf("%s names %s, and there is no such test", p.name, word)
				case (strings.HasPrefix(word, "./") || isPath.MatchString(word) || beneath(word)) && !there(word):
					t.Errorf("%s names %s, which is not there", p.name, word)
				}
			}
		}
	}
}

// A metric that a page of docs/ names is one that docs/metrics.md lists, which is held to
// what a server counts.
func TestDocsNameMetricsThatThereAre(t *testing.T) {
	list, err := os.ReadFile(filepath.Join("..", "docs", "metrics.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range pages(t) {
		if !strings.HasPrefix(p.name, "docs/") {
			continue
		}
		for _, name := range regexp.MustCompile(`\baguiws_[a-z_]+`).FindAllString(p.text, -1) {
			if name != "aguiws_connection" && !strings.Contains(string(list), "`"+name+"`") { // that one is nginx's variable
				t.Errorf("%s names %s, which docs/metrics.md does not list", p.name, name)
			}
		}
	}
}

// What README has a reader press stands on the page.
func TestReadmePressesWhatThePageHas(t *testing.T) {
	readme, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	words, err := os.ReadFile("../web/chat/src/words/en.ts")
	if err != nil {
		t.Fatal(err)
	}
	pressed := regexp.MustCompile(`\bpress \*([^*]+)\*`).FindAllStringSubmatch(string(readme), -1)
	if len(pressed) == 0 {
		t.Fatal("README.md names no button")
	}
	for _, m := range pressed {
		if !strings.Contains(string(words), `"`+m[1]+`"`) {
			t.Errorf("README.md has its reader press %q, which the page does not say", m[1])
		}
	}
}

// The table of lanes has a line for each folder of tests below this one.
func TestReadmeListsTheLanes(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(readme), "\n## The lanes\n")
	for _, name := range treeFiles(t) {
		below, is := strings.CutPrefix(name, "conformance/")
		lane, _, deep := strings.Cut(below, "/")
		if is && deep && strings.HasSuffix(name, "_test.go") && lane != "cmd" && !strings.Contains(table, "["+lane+"]("+lane+"/") {
			t.Errorf("the table of lanes lacks %s, where %s lies", lane, name)
		}
	}
}
