package process

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aguiws/aguiws/conformance/internal/command"
	"github.com/aguiws/aguiws/conformance/internal/wire"
	"github.com/aguiws/aguiws/protocol"
)

func TestMain(m *testing.M) { os.Exit(command.Main(m)) }

// lease is short, so that a dead worker is noticed soon, and long enough for a
// loaded machine not to miss it: the dead must be dead where a human says what
// became of their work.
const lease = 2 * time.Second

const (
	approve   = `{"approved":true}`
	decline   = `{"approved":false}`
	uncertain = "aguiws:uncertain_step"
)

// fresh opens another tab and fails the test unless it shows what the others do.
func fresh(t *testing.T, server *command.Server, thread string, tabs ...*wire.Tab) {
	t.Helper()
	wire.Same(t, append(tabs, wire.Open(t, "fresh", thread, server.Socket()))...)
}

// said fails the test unless the messages of a role are these, in order.
func said(t *testing.T, tab *wire.Tab, role protocol.Role, want ...string) {
	t.Helper()
	if got := tab.Texts(role); !slices.Equal(got, want) {
		t.Errorf("the messages of role %s are %q, want %q", role, got, want)
	}
}

// numbers is what /slow streams.
func numbers(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%d ", i+1)
	}
	return b.String()
}

// only is the one interrupt that is open.
func only(t *testing.T, asked []protocol.Interrupt, reason string) protocol.Interrupt {
	t.Helper()
	if len(asked) != 1 || asked[0].Reason != reason {
		t.Fatalf("asked %v, want one interrupt of reason %s", asked, reason)
	}
	return asked[0]
}

// count fails the test unless the effect took place so often.
func count(t *testing.T, server *command.Server, want int) {
	t.Helper()
	if effects := command.Effects(t, server.EffectsFile()); len(effects) != want {
		t.Errorf("the effect took place %d times, want %d: %v", len(effects), want, effects)
	}
}

// exactly fails the test unless payments had the arguments of the tool, to the digit.
func exactly(t *testing.T, server *command.Server) {
	t.Helper()
	for _, e := range command.Effects(t, server.EffectsFile()) {
		if e.Tool == "pay" && string(e.Args) != args {
			t.Errorf("carried out with %s, want %s", e.Args, args)
		}
	}
}
