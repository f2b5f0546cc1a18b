package server

import (
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"testing"

	"github.com/aguiws/aguiws/server/internal/frames"
)

// The requests in docs/binding/http.md are answered as it says, line by line.
func TestBindingRequests(t *testing.T) {
	page := readFile(t, "../docs/binding/http.md")
	ts, _ := endToEnd(t)
	bound, lines := map[string]any{}, 0
	for _, block := range strings.Split(page, "```request\n")[1:] {
		text, _, _ := strings.Cut(block, "```")
		first, rest, _ := strings.Cut(text, "\n")
		method, path, _ := strings.Cut(first, " ")
		var body string
		var header, answer []string
		for line := range strings.Lines(rest) {
			direction, said, _ := strings.Cut(strings.TrimSpace(line), " ")
			lines++
			if direction == "←" {
				answer = append(answer, said)
				continue
			}
			for placeholder, value := range bound {
				said = strings.ReplaceAll(said, placeholder, fmt.Sprint(value))
			}
			if name, value, found := strings.Cut(said, ": "); found && !strings.HasPrefix(said, "{") {
				header = append(header, name, value)
			} else {
				body = said
			}
		}
		for placeholder, value := range bound {
			path = strings.ReplaceAll(path, placeholder, fmt.Sprint(value))
		}
		played(t, ts.ask(method, path, body, header...), answer, bound)
	}
	if lines < 40 {
		t.Errorf("only %d lines were checked", lines)
	}
}

// played compares an answer with what the page says of it.
func played(t *testing.T, s *sseStream, answer []string, bound map[string]any) {
	t.Helper()
	var id string
	for i, said := range answer {
		name, value, _ := strings.Cut(said, ": ")
		switch {
		case i == 0:
			if strconv.Itoa(s.resp.StatusCode) != said {
				t.Fatalf("got %s, want %s", s.resp.Status, said)
			}
		case strings.HasPrefix(said, "{") && s.resp.Header.Get("Content-Type") == "application/json":
			body, err := io.ReadAll(s.resp.Body)
			if err != nil {
				t.Fatal(err)
			}
			compare(t, body, said, bound)
			return
		case strings.HasPrefix(said, "{"):
			e, _ := s.next()
			compare(t, []byte(e.data), said, bound)
			located(t, e.id, id, bound)
			id = ""
		case name == "id":
			id = value
		case !matches(value, s.resp.Header.Get(name), bound):
			t.Fatalf("%s is %q, want %q", name, s.resp.Header.Get(name), value)
		}
	}
	if id != "" {
		e, _ := s.next()
		located(t, e.id, id, bound)
	}
	s.ends()
}

func compare(t *testing.T, data []byte, said string, bound map[string]any) {
	t.Helper()
	var want, got any
	if err := json.Unmarshal([]byte(said), &want); err != nil {
		t.Fatalf("%s: %v", said, err)
	}
	if err := json.Unmarshal(data, &got); err != nil {
		t.Fatalf("%s: %v", data, err)
	}
	if !matches(want, got, bound) {
		t.Fatalf("got  %s\nwant %s", data, said)
	}
}

// located compares ids: the epoch is a placeholder.
func located(t *testing.T, got, want string, bound map[string]any) {
	t.Helper()
	if want == "" && got == "" {
		return
	}
	placeholder, seq, _ := strings.Cut(want, ":")
	at, ok := frames.ParseEventID(got)
	if !ok || strconv.FormatInt(at.Seq, 10) != seq || !matches(placeholder, at.Epoch, bound) {
		t.Fatalf("the id is %q, want %q", got, want)
	}
}
