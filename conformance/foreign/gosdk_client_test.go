package foreign

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aguiws/aguiws/conformance/internal/command"
	"github.com/aguiws/aguiws/internal/suite"
)

func TestMain(m *testing.M) { os.Exit(command.Main(m)) }

// The client of AG-UI's community Go SDK is served as its users use it: with nil for
// what they do not set, a binary part for what they attach, and a slash behind the path.
func TestGoSDKClientWithNilsAndBinaryParts(t *testing.T) {
	suite.Full(t)
	client := filepath.Join(t.TempDir(), "client")
	build := exec.Command("go", "build", "-o", client, "./client")
	build.Dir = "gosdk"
	build.Env = append(os.Environ(), "GOWORK=off")
	if out, err := build.CombinedOutput(); err != nil {
		command.Missing(t, "gosdk", "the community Go SDK must be had from the module proxy: "+string(out))
	}
	s := command.Start(t, command.Options{})
	for _, path := range []string{"/agui", "/agui/script/"} {
		t.Run(path, func(t *testing.T) {
			said, err := exec.CommandContext(t.Context(), client, s.URL()+path, "thread of "+path).CombinedOutput()
			if err != nil {
				t.Fatalf("%v: %s", err, said)
			}
			for what, times := range map[string]int{
				`"type":"RUN_STARTED"`: 3, `"type":"RUN_FINISHED"`: 3, `"type":"RUN_ERROR"`: 0,
				`{"type":"binary","data":"aGk=","filename":"a.png","mimeType":"image/png"}`: 1, `"type":"image"`: 0,
			} {
				if n := strings.Count(string(said), what); n != times {
					t.Errorf("%d times %s, want %d, in %s", n, what, times, said)
				}
			}
		})
	}
}
