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
	var cases []struct{ Text, Title string }
	if err := json.Unmarshal(data, &cases); err != nil || len(cases) == 0 {
		t.Fatal(len(cases), err)
	}
	for _, c := range cases {
		got := titleOf(protocol.Messages{{Role: protocol.RoleUser, Content: protocol.Text(c.Text)}})
		if got != c.Title {
			t.Errorf("titleOf(%q) = %q, want %q", c.Text, got, c.Title)
		}
	}
}

func FuzzTitles(f *testing.F) {
	f.Add("/tool pay {")
	f.Add("\xff{}")
	f.Fuzz(func(t *testing.T, text string) {
		if title := sentenceTitle(text); len(title) > maxTitleBytes || !utf8.ValidString(title) {
			t.Errorf("%q", title)
		}
	})
}
