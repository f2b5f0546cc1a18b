package hostile

import (
	"fmt"
	"os"
	"testing"

	"github.com/aguiws/aguiws/conformance/internal/command"
)

// TestMain makes the test binary a server of the asking agent when it is started as one.
func TestMain(m *testing.M) {
	if os.Getenv(asksFor) != "" {
		if err := serveAsking(os.Args[1:]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(command.Main(m))
}
