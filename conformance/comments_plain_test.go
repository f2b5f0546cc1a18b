package conformance_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// remark is one sentence of a comment, and the line on which it begins.
type remark struct {
	text string
	line int
}

func (r remark) words() int { return len(strings.Fields(r.text)) }

var (
	// noRemark is a comment line that is not prose: an indented block, a heading.
	noRemark = regexp.MustCompile(`^(?:\t|    |# )`)
	// listItem begins an item of a list.
	listItem = regexp.MustCompile(`^\s*(?:[*-]|\d+\.) `)
	// instruction is a comment that a tool reads.
	instruction = regexp.MustCompile(`^//[a-z0-9]+:[a-z0-9]`)
	ends        = regexp.MustCompile("[.!?][\"”)]?$")
	capital     = regexp.MustCompile("^[\"“(]?[A-Z`]")
)

// parted reports whether a sentence ends between two words. One that begins with a name of
// the code has no capital letter; what follows a colon is a sentence only if it has one.
func parted(before, after string) bool {
	switch before {
	case "e.g.", "i.e.", "etc.", "...":
		return false
	}
	return ends.MatchString(before) || strings.HasSuffix(before, ":") && capital.MatchString(after)
}

// remarks are the sentences of a comment of more than three words. first is the line on
// which the comment begins.
func remarks(group *ast.CommentGroup, line func(token.Pos) int) (list []remark) {
	var words []string
	var first int
	flush := func() {
		if len(words) > 3 {
			list = append(list, remark{strings.Join(words, " "), first})
		}
		words = nil
	}
	for _, comment := range group.List {
		if instruction.MatchString(comment.Text) {
			continue
		}
		text := strings.TrimSuffix(strings.TrimPrefix(comment.Text, "/*"), "*/")
		for i, each := range strings.Split(text, "\n") {
			each = strings.TrimPrefix(strings.TrimPrefix(each, "//"), " ")
			if strings.TrimSpace(each) == "" || noRemark.MatchString(each) || listItem.MatchString(each) {
				flush()
			}
			if noRemark.MatchString(each) {
				continue
			}
			for _, word := range strings.Fields(listItem.ReplaceAllString(each, "")) {
				if len(words) > 0 && parted(words[len(words)-1], word) {
					flush()
				}
				if len(words) == 0 {
					first = line(comment.Pos()) + i
				}
				words = append(words, word)
			}
		}
	}
	flush()
	return list
}

// commentsRead reports whether a Go file's comments are held to TestCommentsReadPlainly.
func commentsRead(name string) bool {
	return strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go") &&
		!strings.HasPrefix(name, "conformance/") && !strings.HasPrefix(name, "examples/")
}

// The comments of the product's folders read as its pages do: their sentences are short
// and begin with their subject.
func TestCommentsReadPlainly(t *testing.T) {
	type place struct {
		remark
		file string
	}
	folders := map[string][]place{}
	for _, name := range treeFiles(t) {
		if !commentsRead(name) {
			continue
		}
		src, err := os.ReadFile(filepath.Join("..", filepath.FromSlash(name)))
		if os.IsNotExist(err) {
			continue // deleted, and not committed yet
		}
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, name, src, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		if ast.IsGenerated(file) {
			continue
		}
		line := func(pos token.Pos) int { return files.Position(pos).Line }
		for _, group := range file.Comments {
			for _, r := range remarks(group, line) {
				folders[path.Dir(name)] = append(folders[path.Dir(name)], place{r, name})
			}
		}
	}
	if len(folders) < 20 {
		t.Fatalf("comments of %d folders only were found", len(folders))
	}
	for folder, all := range folders {
		begun := slices.DeleteFunc(slices.Clone(all), func(p place) bool { return !inverted.MatchString(p.text) })
		if len(begun) > max(1, 4*len(all)/100) {
			t.Errorf("%s: %d of %d sentences begin with another thing than their subject", folder, len(begun), len(all))
			for _, p := range begun {
				t.Errorf("%s:%d: %s", p.file, p.line, p.text)
			}
		}
		long := slices.DeleteFunc(slices.Clone(all), func(p place) bool { return p.words() <= 35 })
		if len(long) > max(1, len(all)/10) {
			t.Errorf("%s: %d of %d sentences have more than 35 words", folder, len(long), len(all))
			for _, p := range long {
				t.Errorf("%s:%d: %s", p.file, p.line, p.text)
			}
		}
	}
}

// A comment is split at the ends of its sentences, and each keeps its line.
func TestRemarks(t *testing.T) {
	const src = `package p

// F does one thing. It returns what was
// found. err has what failed: An error is no result.
//
//	F(code is no prose at all)
//
//   - the first item of it
//   - the second item of it
//
//go:noinline that nobody reads here
func F() {}
`
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, "p.go", src, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	got := remarks(file.Comments[0], func(pos token.Pos) int { return files.Position(pos).Line })
	want := []remark{
		{"F does one thing.", 3}, {"It returns what was found.", 3}, {"err has what failed:", 4}, {"An error is no result.", 4},
		{"the first item of it", 8}, {"the second item of it", 9},
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
