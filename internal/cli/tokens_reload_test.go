package cli

import (
	"bytes"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aguiws/aguiws/server/identity"
)

// A token file that cannot be believed lets nobody in, and an empty list is one
// that can.
func TestTokenFileFailsClosed(t *testing.T) {
	const list = "- {token: 0123456789abcdef-ann, user: ann}\n- {token: 0123456789abcdef-bob, user: bob}\n"
	for name, c := range map[string]struct {
		text    string
		missing bool
		says    string
	}{
		"emptied":           {text: "", says: "level=ERROR"},
		"blank":             {text: "\n\n", says: "level=ERROR"},
		"only a comment":    {text: "# nobody\n", says: "level=ERROR"},
		"only a marker":     {text: "---\n", says: "level=ERROR"},
		"null":              {text: "null\n", says: "level=ERROR"},
		"a mapping":         {text: "{}\n", says: "level=ERROR"},
		"nonsense":          {text: "nonsense", says: "level=ERROR"},
		"half of an entry":  {text: list[:60], says: "level=ERROR"},
		"a weak token":      {text: list + "- {token: short, user: cid}\n", says: "level=ERROR"},
		"listed twice":      {text: list + list, says: "level=ERROR"},
		"a null entry":      {text: "- null\n", says: "level=ERROR"},
		"gone":              {missing: true, says: "level=ERROR"},
		"a list of nothing": {text: "[]\n", says: "level=WARN msg=\"the list of tokens is empty"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "tokens")
			write := func(text string) {
				if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			write(list)
			a, err := newAccess(&settings{auth: "tokens", tokenFile: path})
			if err != nil {
				t.Fatal(err)
			}
			ask := func() (identity.Identity, error) {
				return a.auth.Authenticate(t.Context(), identity.Credential{Bearer: "0123456789abcdef-ann"})
			}
			before, err := ask()
			if err != nil {
				t.Fatal(err)
			}
			if write(c.text); c.missing {
				if err := os.Remove(path); err != nil {
					t.Fatal(err)
				}
			}
			var log bytes.Buffer
			a.reload(slog.New(slog.NewTextHandler(&log, nil)))
			if id, err := ask(); err == nil {
				t.Errorf("%+v is let in", id)
			}
			select {
			case <-before.Revoked:
			default:
				t.Error("what was opened with the token stays open")
			}
			if said := log.String(); strings.Count(said, "\n") != 1 || !strings.Contains(said, c.says) || strings.Contains(said, "0123456789abcdef") {
				t.Errorf("the log has %q, want %q", said, c.says)
			}
			write(list)
			a.reload(slog.New(slog.DiscardHandler))
			if _, err := ask(); err != nil {
				t.Errorf("with the list as it was: %v", err)
			}
		})
	}
}
