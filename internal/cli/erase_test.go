package cli

import (
	"context"
	"io"
	"strings"
	"testing"

	"github.com/aguiws/aguiws/redisstore"
)

// What erase cannot begin with is said, and nothing is written. What it does is tested where
// the keys are (package erasure).
func TestEraseRefuses(t *testing.T) {
	for says, args := range map[string][]string{
		"the person is missing: aguiws erase --user NAME":  {"--redis", "redis://127.0.0.1:1"},
		"--redis is missing: the embedded store ends with": {"--user", "ann"},
		`unexpected argument "ann": try aguiws --`:         {"--redis", "redis://127.0.0.1:1", "ann"},
		"unknown flag --users (did you mean user?)":        {"--users", "ann"},
		"erase: --redis: ":    {"--redis", "redis://127.0.0.1:1", "--user", "ann"},
		"unknown flag --user": nil,
	} {
		command := "erase"
		if args == nil {
			command, args = "serve", []string{"--user", "ann"}
		}
		var out strings.Builder
		err := run(context.Background(), append([]string{command}, args...), env(), &out, io.Discard)
		if err == nil || !strings.Contains(err.Error(), says) || out.Len() > 0 {
			t.Errorf("%q: %v %s", args, err, &out)
		}
	}
}

// The summary of much that is left is short, and no text in it reaches the terminal as it is.
func TestErasedIsReported(t *testing.T) {
	done := &redisstore.Erased{Threads: 7, Left: []string{"a\x1b[1m"}}
	for range 200 {
		done.Left = append(done.Left, "thread")
	}
	var out strings.Builder
	if err := reportErased(&out, "acme/ann", done); err != nil {
		t.Fatal(err)
	}
	var nothing strings.Builder
	if err := reportErased(&nothing, "acme/anne", new(redisstore.Erased)); err != nil {
		t.Fatal(err)
	}
	const hint = "The store has nothing of this person."
	wantLines(t, nothing.String(), hint)
	if strings.Contains(out.String(), hint) {
		t.Error("nothing is said to be there beside what is left")
	}
	wantLines(t, out.String(), "acme/ann\n", "       7  threads of the person", `  left    a\x1b[1m`, "  left    101 more like these\n")
}
