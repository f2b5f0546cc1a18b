package command

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"testing"
)

// Effect is one line that the script agent has left.
type Effect struct {
	Tool string          `json:"tool"`
	Args json.RawMessage `json:"args"`
	Key  string          `json:"key"`
}

// Effects reads what has really happened.
func Effects(t testing.TB, file string) []Effect {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	var effects []Effect
	for line := range bytes.Lines(text) {
		var e Effect
		if err := json.Unmarshal(line, &e); err != nil {
			t.Fatalf("effects file: %q: %v", line, err)
		}
		effects = append(effects, e)
	}
	return effects
}
