package wire

import (
	"testing"

	"github.com/aguiws/aguiws/client"
	"github.com/aguiws/aguiws/protocol"
)

// Same fails the test unless all tabs, at rest, hold the same chat.
func Same(t testing.TB, tabs ...*Tab) {
	t.Helper()
	var end int64
	for _, tab := range tabs {
		tab.Await("the thread at rest", func(v View) bool {
			end = max(end, v.Position())
			return v.AtRest()
		})
	}
	for _, tab := range tabs {
		tab.Await("the thread at rest, and the other tabs' events", func(v View) bool { return v.AtRest() && v.Position() >= end })
		if a, b := tabs[0].Chat(), tab.Chat(); a != b {
			t.Errorf("tab %s holds\n%s\nand tab %s holds\n%s", tabs[0].name.tab, a, tab.name.tab, b)
		}
	}
}

// Sound fails the test unless each run that the tab saw has its end, each
// accepted input has its run in the log exactly once, and the tab was never
// restated.
func Sound(t testing.TB, tab *Tab) {
	t.Helper()
	tab.AwaitRest()
	if restated := tab.Restatements(); len(restated) > 0 {
		t.Errorf("tab %s held its position and was restated: %q", tab.name.tab, restated)
	}
	count := map[string]int{}
	for _, run := range tab.Runs() {
		count[run.ID]++
		if run.End == nil {
			t.Errorf("tab %s: run %s, begun at %d, has no end", tab.name.tab, run.ID, run.Start)
		}
	}
	for _, in := range tab.sent() {
		want := 1
		if d, of := accepted(in.latest()); d == client.Refused || of != "" && of != in.RunID() {
			want = 0
		}
		if got := count[in.RunID()]; got != want {
			t.Errorf("tab %s: run %s is %d times in the log, want %d", tab.name.tab, in.RunID(), got, want)
		}
	}
}

// Succeeded fails the test unless the run ended well.
func Succeeded(t testing.TB, end protocol.Event) {
	t.Helper()
	finished, ok := end.(*protocol.RunFinished)
	if !ok || finished.Outcome != nil && finished.Outcome.Type != protocol.OutcomeSuccess {
		text, _ := protocol.Encode(end)
		t.Errorf("the run ended with %s", text)
	}
}
