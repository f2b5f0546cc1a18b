package wire

import (
	"testing"

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
			t.Errorf("tab %s holds\n%s\nand tab %s holds\n%s", tabs[0].name, a, tab.name, b)
		}
	}
}

// Sound fails the test unless each run that the tab saw has its end, each
// accepted input has its run in the log exactly once, and the tab was never
// restated.
func Sound(t testing.TB, tab *Tab) {
	t.Helper()
	tab.AwaitRest()
	tab.mu.Lock()
	defer tab.mu.Unlock()
	if len(tab.view.restated) > 0 {
		t.Errorf("tab %s held its position and was restated: %q", tab.name, tab.view.restated)
	}
	count := map[string]int{}
	for _, run := range tab.view.runs {
		count[run.ID]++
		if run.End == nil {
			t.Errorf("tab %s: run %s, begun at %d, has no end", tab.name, run.ID, run.Start)
		}
	}
	for _, in := range tab.inputs {
		want := 1
		if in.disposition == "refused" || in.of != "" && in.of != in.run.RunID {
			want = 0
		}
		if got := count[in.run.RunID]; got != want {
			t.Errorf("tab %s: run %s is %d times in the log, want %d", tab.name, in.run.RunID, got, want)
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
