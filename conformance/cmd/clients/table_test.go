package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const emptyPage = "# Clients\n\n" + begins + ends + "\nmore\n"

func write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

func clients(args ...string) (code int, said string) {
	var out bytes.Buffer
	code = run(args, &out, &out)
	return code, out.String()
}

func TestTableIsWrittenAndChecked(t *testing.T) {
	page := write(t, "page.md", emptyPage)
	first := write(t, "first", `{"client":"A","version":"1.9.0","way":"HTTP","lane":"node","feature":"text","shows":"works"}
{"client":"A","version":"1.9.0","way":"HTTP","lane":"node","feature":"text","shows":"works"}
{"client":"A","version":"1.9.0","way":"HTTP","lane":"node","feature":"stop","shows":"with a grace"}
`)
	second := write(t, "second", `{"client":"A","version":"1.10.0","way":"HTTP","lane":"older","feature":"cut","shows":"cannot: theirs"}
`)
	for _, file := range []string{first, second} {
		if code, said := clients("--page", page, file); code != 0 {
			t.Fatal(said)
		}
	}
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	want := `| A | 1.10.0 | HTTP | – | – | – | – | – | – | cannot: theirs | – | older |
| A | 1.9.0 | HTTP | works | – | – | – | – | – | – | with a grace | node |
`
	if !strings.Contains(string(text), want) || !strings.HasSuffix(string(text), "\nmore\n") {
		t.Fatalf("the page is\n%s", text)
	}

	for _, c := range []struct {
		name, lanes, shown string
		code               int
		says               string
	}{
		{"as it says", "node", first, 0, "1 clients"},
		{"a lane that did not run", "older", first, 1, `A 1.10.0, HTTP, cut: it says "cannot: theirs", and the lane older has not shown it`},
		{"less", "node", write(t, "less", `{"client":"A","version":"1.9.0","way":"HTTP","lane":"node","feature":"text","shows":"works"}`), 1,
			`stop: it says "with a grace", and the lane node has not shown it`},
		{"something else", "node", write(t, "else", `{"client":"A","version":"1.9.0","way":"HTTP","lane":"node","feature":"stop","shows":"works"}`), 1,
			`stop: it says "with a grace", shown is "works"`},
		{"a newer version", "older", write(t, "newer", `{"client":"A","version":"2.0.0","way":"HTTP","lane":"node","feature":"text","shows":"works"}`), 1,
			`A 2.0.0, HTTP, text: it says "–", shown is "works"`},
		{"no feature", "node", write(t, "none", `{"client":"A","version":"1","way":"HTTP","lane":"node","feature":"tea","shows":"works"}`), 1, `"tea" is no feature`},
		{"a cell that is two", "node", write(t, "two", `{"client":"A","version":"1","way":"HTTP","lane":"node","feature":"text","shows":"a|b"}`), 1, "cannot be a row"},
		{"two minds", "node", write(t, "minds", `{"client":"A","version":"1","way":"HTTP","lane":"node","feature":"text","shows":"a"}
{"client":"A","version":"1","way":"HTTP","lane":"node","feature":"text","shows":"b"}`), 1, `"text" is shown as "a" and as "b"`},
		{"no file", "node", "nowhere", 1, "nowhere"},
	} {
		t.Run(c.name, func(t *testing.T) {
			code, said := clients("--page", page, "--check", c.lanes, c.shown)
			if code != c.code || !strings.Contains(said, c.says) {
				t.Errorf("code %d: %s", code, said)
			}
		})
	}
	if after, _ := os.ReadFile(page); !bytes.Equal(after, text) {
		t.Error("a check has written")
	}
	if code, _ := clients("--page", page); code != 2 {
		t.Errorf("without a file: code %d", code)
	}
	if code, said := clients("--page", write(t, "empty", "# Clients\n"), first); code != 1 || !strings.Contains(said, "no place for the table") {
		t.Errorf("code %d: %s", code, said)
	}
}
