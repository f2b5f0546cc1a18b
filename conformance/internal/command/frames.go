package command

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/aguiws/aguiws/internal/bindingschema"
)

// Frames is the variable that names the file in which a lane in Node keeps control frames.
// When the test is over, each of them is held to the schema of the binding.
func Frames(t *testing.T) string {
	t.Helper()
	schema, err := bindingschema.Read(filepath.Join(Root(t), "docs", "binding", "frames.schema.json"))
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "frames.jsonl")
	t.Cleanup(func() { checkFrames(t, schema, name) })
	return "AGUIWS_FRAMES=" + name
}

func checkFrames(t *testing.T, schema *bindingschema.Frames, name string) {
	file, err := os.Open(name)
	if err != nil {
		t.Errorf("the lane kept no frame: %v", err)
		return
	}
	defer file.Close()
	held, told := map[string]int{}, map[string]bool{}
	lines := bufio.NewScanner(file)
	for lines.Buffer(nil, 64<<20); lines.Scan(); {
		var kept struct{ Side, Frame string }
		if err := json.Unmarshal(lines.Bytes(), &kept); err != nil {
			t.Fatal(err)
		}
		held[kept.Side]++
		if err := schema.Check(kept.Side, []byte(kept.Frame)); err != nil && !told[err.Error()] {
			told[err.Error()] = true
			t.Errorf("a frame of the %s does not fit the schema: %s: %v", kept.Side, kept.Frame, err)
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	if held[bindingschema.Client] == 0 || held[bindingschema.Server] == 0 {
		t.Errorf("too few frames were held to the schema: %v", held)
	}
}
