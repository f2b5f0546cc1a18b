package conformance_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aguiws/aguiws/conformance"
	"github.com/aguiws/aguiws/conformance/internal/command"
	"github.com/aguiws/aguiws/internal/bindingschema"
	"github.com/aguiws/aguiws/internal/suite"
	"github.com/aguiws/aguiws/redisstore/redistest"
)

func TestMain(m *testing.M) { os.Exit(command.Main(m)) }

// The server of this module keeps to every case, over every transport and on every
// store; what is skipped is what the transport or the store cannot show.
func TestOurServer(t *testing.T) {
	stores := []struct {
		name  string
		part  func(testing.TB)
		redis func(t *testing.T) string
	}{
		{"embedded", func(testing.TB) {}, func(*testing.T) string { return "" }},
		{"redis", suite.Gate, func(t *testing.T) string { return redistest.Start(t, redistest.Options{AOF: "everysec"}).URL() }},
		{"cluster", suite.Full, func(t *testing.T) string { return redistest.Cluster(t).URL() }},
	}
	for _, store := range stores {
		t.Run(store.name, func(t *testing.T) {
			store.part(t)
			redis := store.redis(t)
			// A lease that is soon over where a case kills the server, and that a loaded machine does not miss.
			s := command.Start(t, command.Options{Redis: redis, Lease: 2 * time.Second})
			for _, over := range conformance.Transports {
				hold(t, s, over, redis != "")
			}
		})
	}
}

// So it does where agents wait in memory, but that what waits ends with the process.
func TestOurServerInBlockingMode(t *testing.T) {
	suite.Full(t)
	s := command.Start(t, command.Options{Args: []string{"--mode", "blocking"}})
	if !strings.Contains(s.Output(), "mode=blocking chosen=blocking") {
		t.Fatalf("it is not in blocking mode:\n%s", s.Output())
	}
	for _, over := range []string{conformance.Binding, conformance.SSE} { // the others carry the same
		hold(t, s, over, false)
	}
}

// patience is for machines that do much else.
const patience = 30 * time.Second

// hold holds the server to all cases over one transport.
func hold(t *testing.T, s *command.Server, over string, durable bool) {
	cases, err := conformance.Cases()
	if err != nil {
		t.Fatal(err)
	}
	holdTo(t, s, over, durable, cases)
}

// holdTo is hold, to some of the cases.
func holdTo(t *testing.T, s *command.Server, over string, durable bool, cases []*conformance.Case) {
	t.Helper()
	target := conformance.Target{URL: address(s, over), Over: over, Effects: s.EffectsFile(), Timeout: patience}
	allowed := []string{"follow: " + over, "position: " + over, "cancel: " + over}
	if durable {
		target.Restart = func(context.Context) error { s.Restart(); return nil }
		target.Drain = func(context.Context) error { s.Terminate(); s.Restart(); return nil }
	} else {
		target.Profile = &conformance.Profile{Name: "embedded", Lacks: []string{"durable", "restart", "drain"}}
		allowed = append(allowed, "durable:", "restart:", "drain:")
	}
	judge(t, target, cases, allowed)
}

// describe holds the control frames of the server to their schema.
func describe(t *testing.T, report conformance.Report) {
	t.Helper()
	frames, err := bindingschema.Read(filepath.Join("..", "docs", "binding", "frames.schema.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range report.Results {
		for _, f := range r.Frames {
			if text := []byte(f.Text); f.Dir == "<" && strings.HasPrefix(f.Text, "{") && json.Valid(text) { // a trace cuts long ones
				if err := frames.Check(bindingschema.Server, text); err != nil {
					t.Errorf("%s: %s: %v", r.Case.Name, f.Text, err)
				}
			}
		}
	}
}

// judge runs the cases. None may fail, and what is skipped is for one of the reasons.
func judge(t *testing.T, target conformance.Target, cases []*conformance.Case, allowed []string) {
	t.Helper()
	over := target.Over
	report := conformance.Report{URL: target.URL, Results: conformance.Run(t.Context(), target, cases, nil)}
	counts := report.Counts()
	t.Logf("over %s: %d passed, %d failed, %d skipped", over, counts.Passed, counts.Failed, counts.Skipped)
	if counts.Failed > 0 {
		var text bytes.Buffer
		report.WriteText(&text)
		t.Errorf("over %s:\n%s", over, &text)
	}
	if counts.Passed == 0 {
		t.Errorf("over %s nothing was shown", over)
	}
	describe(t, report)
	allowed = append([]string{"queue: the server offers it"}, allowed...)
	for _, r := range report.Results {
		if r.Status == conformance.Skipped && !anyPrefix(r.Reason, allowed) {
			t.Errorf("%s over %s was skipped: %s", r.Case.Name, over, r.Reason)
		}
	}
}

func anyPrefix(s string, prefixes []string) bool {
	for _, prefix := range prefixes {
		if strings.HasPrefix(s, prefix) {
			return true
		}
	}
	return false
}

func address(s *command.Server, over string) string {
	switch over {
	case conformance.SSE:
		return s.URL() + "/agui"
	case conformance.CopilotKit:
		return s.URL() + "/copilotkit"
	}
	return s.Socket()
}

// A command that restarts nothing shows nothing, not even on a server that keeps to
// every case.
func TestNoRestartNoFaultCase(t *testing.T) {
	t.Parallel()
	cases, err := conformance.Cases()
	if err != nil {
		t.Fatal(err)
	}
	if cases, err = conformance.Select(cases, []string{"faults/suspended", "faults/running", "faults/goaway"}, nil); err != nil || len(cases) != 3 {
		t.Fatalf("%d cases: %v", len(cases), err)
	}
	s := command.Start(t, command.Options{})
	nothing := func(context.Context) error { return nil }
	var working sync.WaitGroup
	defer working.Wait()
	for _, over := range conformance.Transports {
		target := conformance.Target{URL: address(s, over), Over: over, Effects: s.EffectsFile(), Timeout: 300 * time.Millisecond, Restart: nothing, Drain: nothing}
		working.Go(func() {
			for _, r := range conformance.Run(t.Context(), target, cases, nil) {
				socket := over == conformance.Binding || over == conformance.Plain
				if volatile := strings.HasPrefix(r.Reason, "durable: ws.hello"); r.Status == conformance.Passed || r.Status == conformance.Skipped && socket && r.Case.Name != "faults/goaway" && !volatile && !anyPrefix(r.Reason, []string{"follow: ", "position: "}) {
					t.Errorf("%s over %s: %s %s", r.Case.Name, over, r.Status, r.Reason)
				}
			}
		})
	}
}
