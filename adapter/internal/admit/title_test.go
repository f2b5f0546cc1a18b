package admit

import (
	"encoding/json"
	"os"
	"slices"
	"testing"
	"unicode/utf8"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
)

func TestTitlesOfMessages(t *testing.T) {
	data, err := os.ReadFile("testdata/titles.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		Text, Title string
		Files       []string
	}
	if err := json.Unmarshal(data, &cases); err != nil || len(cases) == 0 {
		t.Fatal(len(cases), err)
	}
	for _, c := range cases {
		content := protocol.Text(c.Text)
		if c.Files != nil {
			parts := []protocol.Part{{Type: protocol.PartText, Text: c.Text}}
			for _, name := range c.Files {
				metadata, err := json.Marshal(map[string]string{"filename": name})
				if err != nil {
					t.Fatal(err)
				}
				parts = append(parts, protocol.Part{Type: protocol.PartDocument, Metadata: metadata})
			}
			content = protocol.PartsOf(parts...)
		}
		got := titleOf(protocol.Messages{{Role: protocol.RoleUser, Content: content}})
		if got != c.Title {
			t.Errorf("titleOf(%q) = %q, want %q", c.Text, got, c.Title)
		}
	}
}

// The page's test reads the same cases.
func TestHeadlines(t *testing.T) {
	data, err := os.ReadFile("testdata/headlines.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct{ Name, Arguments, Says string }
	if err := json.Unmarshal(data, &cases); err != nil || len(cases) == 0 {
		t.Fatal(len(cases), err)
	}
	for _, c := range cases {
		if got := headlineOf(c.Name, c.Arguments); got != c.Says {
			t.Errorf("%s %s: %q, want %q", c.Name, c.Arguments, got, c.Says)
		}
	}
}

// A title follows what is said to the latest subject.
func TestTitlesFollow(t *testing.T) {
	for _, c := range []struct {
		said []string
		want string
	}{
		{[]string{"Plan a dinner for four", "Make it a lunch instead, please"}, "Plan a dinner for four"},
		{[]string{"Hello", "Plan a dinner for four", "Thanks a lot for that"}, "Plan a dinner for four"},
		{[]string{"Hello", "Thanks"}, "Hello"},
		{[]string{"Plan a dinner for four", "/confirm Deploy version 4.12?"}, "Deploy version 4.12?"},
		{[]string{"/confirm Deploy version 4.12?", "/tool pay {\"eur\":9000}"}, "Pay, EUR 9000"},
		{[]string{"/confirm Deploy version 4.12?", "Thank you", "Plan a dinner for four", "For six, to be exact"}, "Plan a dinner for four"},
		{[]string{"Plan a dinner for four", "/steps 5"}, "Plan a dinner for four"},
		{slices.Concat([]string{"/confirm Deploy version 4.12?"}, slices.Repeat([]string{"Thank you"}, 10), []string{"Plan a dinner for four"}), "Plan a dinner for four"},
		{[]string{"/form", "/steps 5"}, "/form"},
		{[]string{"/form", "Thanks"}, "Thanks"},
		{[]string{`{"a":1}`, "Go on"}, "Go on"},
	} {
		title, held := "", protocol.Messages{}
		for _, text := range c.said {
			fresh := protocol.Messages{{Role: protocol.RoleUser, Content: protocol.Text(text)}}
			title = nextTitle(title, held, fresh, nil)
			held = append(held, fresh...)
		}
		if title != c.want || titleOf(held) != c.want {
			t.Errorf("%q: %q one by one, %q at once, want %q", c.said, title, titleOf(held), c.want)
		}
	}
}

// Of a long chat a few messages are read.
func TestTitlesReadLittle(t *testing.T) {
	said := func(text string) protocol.Message {
		return protocol.Message{Role: protocol.RoleUser, Content: protocol.Text(text)}
	}
	held := append(protocol.Messages{said("/steps 5")}, slices.Repeat(protocol.Messages{said("Thank you")}, maxSlight)...)
	if !endsInCommand(held) || endsInCommand(append(held, said("Thank you"))) {
		t.Errorf("not %d messages are read", maxSlight)
	}
}

// A chat that begins anew, with its first message in other words, is called after those.
func TestTitlesOfOtherWords(t *testing.T) {
	fresh := protocol.Messages{{Role: protocol.RoleUser, Content: protocol.Text("Plan a lunch for two.")}}
	if got := nextTitle("Plan a dinner for four", nil, fresh, nil); got != "Plan a lunch for two" {
		t.Errorf("%q", got)
	}
}

func TestTitlesOfQuestions(t *testing.T) {
	ask := func(by, reason, message string, metadata protocol.Metadata, call *protocol.ToolFunction) store.SuspendedInterrupt {
		interrupt, err := json.Marshal(protocol.Interrupt{ID: "i", Reason: reason, Message: message, Metadata: metadata})
		if err != nil {
			t.Fatal(err)
		}
		return store.SuspendedInterrupt{ID: "i", Interrupt: interrupt, By: by, Call: call}
	}
	form := ask("", protocol.ReasonInputRequired, "Please fill in the figures.", nil, nil)
	task := func(n string) store.SuspendedInterrupt {
		return ask("", protocol.ReasonToolCall, "May the tool task_"+n+" be called with these arguments?", nil, &protocol.ToolFunction{Name: "task_" + n, Arguments: `{"number":` + n + `}`})
	}
	for _, c := range []struct {
		said  string
		asked []store.SuspendedInterrupt
		want  string
	}{
		{"/form", []store.SuspendedInterrupt{form}, "Please fill in the figures"},
		{"Plan a dinner for four", []store.SuspendedInterrupt{form}, "Plan a dinner for four"},
		{"/parallel 3", []store.SuspendedInterrupt{task("1"), task("2"), task("3")}, "Task 1, number 1, and 2 more"},
		{"/parallel 1", []store.SuspendedInterrupt{task("1")}, "Task 1, number 1"},
		{"/ask", []store.SuspendedInterrupt{ask("", protocol.ReasonConfirmation, "?", protocol.Metadata{"title": json.RawMessage(`"Refund A-1"`)}, nil), form}, "Refund A-1 and 1 more"},
		{"/steps 5 400", []store.SuspendedInterrupt{ask(store.AskedByTimer, "aguiws:timer", "It waits.", nil, nil)}, "/steps 5 400"},
		{"/login", []store.SuspendedInterrupt{ask("", "aguiws:auth_required", "Sign in at the bank.", nil, nil)}, "/login"},
		{"/form", []store.SuspendedInterrupt{ask("", protocol.ReasonConfirmation, `{"amount":3}`, nil, nil)}, "/form"},
	} {
		held := protocol.Messages{{Role: protocol.RoleUser, Content: protocol.Text(c.said)}}
		if got := nextTitle(titleOf(held), held, nil, &store.Suspension{Items: c.asked}); got != c.want {
			t.Errorf("%s: %q, want %q", c.said, got, c.want)
		}
	}
}

func FuzzTitles(f *testing.F) {
	f.Add("/tool pay {")
	f.Add("\xff{}")
	f.Fuzz(func(t *testing.T, text string) {
		for most, line := range map[int]string{maxTitleBytes: CutTitle(sentenceIn(text)), maxAskedBytes: cutLine(sentenceIn(text), maxAskedBytes)} {
			if len(line) > most || !utf8.ValidString(line) {
				t.Errorf("%q", line)
			}
		}
	})
}
