package adapter_test

import (
	"context"
	"strings"
	"testing"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/admission"
	"github.com/aguiws/aguiws/adapter/operate"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
)

// stepsAndAsks records a step, and asks.
func stepsAndAsks(ctx context.Context, run *adapter.Run) error {
	if _, err := adapter.Step(ctx, run, "s", func(context.Context) (string, error) { return "done", nil }); err != nil {
		return err
	}
	_, err := run.Ask(ctx, confirmation("go?"))
	return err
}

// Whatever of what a question waits in is damaged, and whichever way an answer comes: it is
// carried out, or refused and not used up: once the damage is mended, the same one is taken.
func TestAnswerBeforeADamagedJournal(t *testing.T) {
	s := newSpoilt(t, adapter.AgentFunc(stepsAndAsks))
	s.submit(s.bad, "hi")
	var open *operate.Suspended
	s.until("it waits", func() bool {
		thread, err := s.runner.Thread(s.ctx(), s.bad)
		if err == nil && thread != nil {
			open = thread.Open
		}
		return open != nil
	})
	entries := []protocol.ResumeEntry{resolved(open.Interrupts[0].ID, `{"approved":true}`)}
	ways := map[string]func() (admission.Admitted, error){
		"input": func() (admission.Admitted, error) {
			return s.runner.Submit(s.ctx(), admission.Input{Namespace: s.bad.Namespace, Tenant: "t",
				Run: &protocol.RunAgentInput{ThreadID: s.bad.Thread, RunID: "answers", Resume: entries}})
		},
		"inbox": func() (admission.Admitted, error) {
			a, err := s.runner.Answer(s.ctx(), s.bad, "t", "", "answers", entries, store.Origin{}, nil)
			return a.Admitted, err
		},
	}
	refused := 0
	for way, answer := range ways {
		s.damage(func(name string, do func()) {
			if !strings.HasPrefix(name, "journal") || t.Failed() {
				return
			}
			name = way + ", " + name
			saved, journal := s.save(), s.keys()["journal"]
			defer s.restore(saved)
			do()
			a, err := answer()
			switch {
			case err != nil:
				t.Errorf("%s: %v", name, err)
				return
			case a.Disposition == admission.Refused:
				refused++
				page, err := s.runner.Decisions(s.ctx(), store.DecisionQuery{AllTenants: true, Thread: &s.bad})
				if err != nil || len(page.Decisions) > 0 {
					t.Errorf("%s: on record are %+v, %v", name, page.Decisions, err)
				}
				if err := s.db.RestoreReplace(s.ctx(), journal, 0, saved[journal]).Err(); err != nil {
					t.Fatal(err)
				}
				if a, err = answer(); err != nil || a.Disposition != admission.Started {
					t.Errorf("%s: when it was mended: %+v %v", name, a.Refusal, err)
					return
				}
			}
			s.until(name+": the run ends", func() bool {
				run, err := s.runner.FindRun(s.ctx(), s.bad, a.RunID)
				if err == nil && strings.Contains(string(run.Outcome), adapter.CodeStateCorrupted) {
					t.Errorf("%s: %s", name, run.Outcome)
				}
				return err == nil && len(run.Outcome) > 0
			})
		})
	}
	if refused < 20 {
		t.Errorf("only %d damages were found", refused)
	}
}
