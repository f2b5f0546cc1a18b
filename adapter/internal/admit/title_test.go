package admit

import (
	"encoding/json"
	"os"
	"testing"
	"unicode/utf8"

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
