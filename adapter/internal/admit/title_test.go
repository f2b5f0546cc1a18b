package admit

import (
	"encoding/json"
	"os"
	"testing"
	"unicode/utf8"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
)

// The page's test reads the same cases.
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

func TestBetterTitles(t *testing.T) {
	says := func(text string) protocol.Messages {
		return protocol.Messages{{Role: protocol.RoleUser, Content: protocol.Text(text)}}
	}
	asked := func(by, message string) *store.Suspension {
		interrupt, err := json.Marshal(protocol.Interrupt{ID: "i", Reason: protocol.ReasonInputRequired, Message: message})
		if err != nil {
			t.Fatal(err)
		}
		return &store.Suspension{Items: []store.SuspendedInterrupt{{ID: "i", Interrupt: interrupt, By: by}}}
	}
	calls := func(metadata string, calls ...[2]string) *store.Suspension {
		asked := &store.Suspension{}
		for _, c := range calls {
			asked.Items = append(asked.Items, store.SuspendedInterrupt{
				Interrupt: json.RawMessage(`{"id":"i","reason":"tool_call","message":"May the tool ` + c[0] + ` be called with these arguments?","metadata":` + metadata + `}`),
				Call:      &protocol.ToolFunction{Name: c[0], Arguments: c[1]},
			})
		}
		return asked
	}
	mail := [2]string{"send_email", `{"subject":"Hello","to":"ada@example.com"}`}
	for _, c := range []struct {
		before string
		fresh  protocol.Messages
		asked  *store.Suspension
		want   string
	}{
		{"/form", says("Book a table. Now."), nil, "Book a table"},
		{"/form", nil, asked("", "Please fill in the figures."), "Please fill in the figures"},
		{"/form", says("Never mind."), asked("", "Please fill in the figures."), "Never mind"},
		{"/form", says("/steps 5"), nil, ""},
		{"/steps 5 400", nil, asked(store.AskedByTimer, "It waits."), ""},
		{"/form", nil, asked("", `{"amount":3}`), ""},
		{"/pay", nil, calls("{}", mail), "Send email to ada@example.com"},
		{"/pay", nil, calls("{}", mail, mail, mail), "Send email to ada@example.com and 2 more"},
		{"/pay", nil, calls("{}", [2]string{"look-up", `{"n":1,"query":"who is Ada?"}`}), "Look up: who is Ada?"},
		{"/parallel 3", nil, calls("{}", [2]string{"task_1", `{"number":1}`}, [2]string{"task_2", `{"number":2}`}), "Task 1 and 1 more"},
		{"/pay", nil, calls("{}", [2]string{"send_email", `{"to":`}), "Send email"},
		{"/pay", nil, calls(`{"title":"Invite Ada"}`, mail), "Invite Ada"},
		{"/pay", nil, calls(`{"title":7}`, mail), "Send email to ada@example.com"},
		{"/pay", nil, calls("{}", [2]string{"send_email", `{"to":"a-very-long-address-of-somebody@department.example.com"}`}, mail), "Send email to a-very-long-address-of-somebody@… and 1 more"},
		{"Form", says("Book a table."), nil, ""},
		{"/etc/hosts is broken", says("Book a table."), nil, ""},
		{"", says("Book a table."), nil, ""},
	} {
		if got := betterTitle(c.before, c.fresh, c.asked); got != c.want {
			t.Errorf("%q, %v: %q, want %q", c.before, c.fresh, got, c.want)
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
