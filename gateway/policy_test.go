package gateway

import (
	"strings"
	"testing"

	"github.com/aguiws/aguiws/adapter/admission"
	"github.com/aguiws/aguiws/adapter/runner"
	"github.com/aguiws/aguiws/protocol"
)

// An agent does not answer its own question by letting its time run out, and does not say
// what becomes of it otherwise, unless it is believed.
func TestAgentsDoNotAnswerThemselves(t *testing.T) {
	raised := func(own string) string {
		return `{"id":"1","reason":"confirmation","expiresAt":"2999-01-01T00:00:00Z","metadata":{"aguiws":` + own + `,"x":1.0}}`
	}
	for name, test := range map[string]struct {
		options Options
		own     string
		told    string
		repair  string
	}{
		"an answer":         {own: `{"onExpiry":"answer","expiryAnswer":{"approved":true},"expiryGraceMs":1}`, told: `{"x":1.0}`, repair: RepairPolicy},
		"a policy":          {own: `{"onExpiry":"keep","n":1.0}`, told: `{"x":1.0}`, repair: RepairPolicy},
		"what is no policy": {own: `{"resumeMode":"pass_decision_to_tool","decisions":[1]}`, told: `{"x":1.0}`, repair: RepairPolicy},
		"what is no object": {own: `[1]`, told: `{"x":1.0}`, repair: RepairPolicy},
		"duties and more":   {own: `{"separateDuties":true,"resumeMode":"x"}`, told: `{"aguiws":{"separateDuties":true},"x":1.0}`, repair: RepairPolicy},
		"no duties":         {own: `{"separateDuties":false}`, told: `{"x":1.0}`, repair: RepairPolicy},
		"in capitals":       {own: `{"OnExpiry":"answer","EXPIRYANSWER":1}`, told: `{"x":1.0}`, repair: RepairPolicy},
		"another's":         {own: `{"separateDuties":true}`, told: `{"aguiws":{"separateDuties":true},"x":1.0}`},
		"believed":          {options: Options{OwnMetadata: true}, own: `{"onExpiry":"answer","expiryAnswer":1}`, told: `{"aguiws":{"onExpiry":"answer","expiryAnswer":1},"x":1.0}`},
		"separate duties":   {options: Options{SeparateDuties: true}, own: `{"separateDuties":false}`, told: `{"aguiws":{"separateDuties":true},"x":1.0}`, repair: RepairPolicy},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t, &test.options, sends(began, asks(raised(test.own))))
			if told := asJSON(t, interrupted(t, l.say("go"))[0].Metadata); told != test.told {
				t.Errorf("told %s", told)
			}
			if repairs := strings.Join(l.repairs(), " "); repairs != test.repair {
				t.Errorf("repaired %q", repairs)
			}
		})
	}
}

// Where duties are separate, whoever asked an agent does not answer what it asks, whether or
// not it calls that a tool call.
func TestSeparateDutiesOfUpstreams(t *testing.T) {
	l := newLab(t, &Options{SeparateDuties: true}, sends(began, asks(`{"id":"1","reason":"confirmation"}`)), sends(began, done))
	shutdown(l.runner)
	l.runner = l.start(l.store, func(o *runner.Options) { o.SeparateDuties = true })
	l.follow()
	submit := func(by, label string, in *protocol.RunAgentInput) admission.Admitted {
		t.Helper()
		in.ThreadID, in.RunID = l.key.Thread, label
		a, err := l.runner.Submit(l.ctx(), admission.Input{Namespace: l.key.Namespace, User: by, Run: in})
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	submit("ann", "1", user("go"))
	answer := []protocol.ResumeEntry{resolved(interrupted(t, l.untilEnd())[0].ID, "true")}
	if a := submit("ann", "2", &protocol.RunAgentInput{Resume: answer}); a.Disposition != admission.Refused {
		t.Errorf("her own answer is %s", a.Disposition)
	}
	if a := submit("bob", "3", &protocol.RunAgentInput{Resume: answer}); a.Disposition != admission.Started {
		t.Fatalf("another's answer is %s %+v", a.Disposition, a.Refusal)
	}
	succeeded(t, l.untilEnd())
}
