package adaptertest_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/adaptertest"
	"github.com/aguiws/aguiws/adapter/runner"
	"github.com/aguiws/aguiws/adapter/store"
)

// release is an agent that asks before it sends a mail, as one release has it.
type release struct {
	says, step, given, draft, tool, to, message, sender, then string

	policy                          adapter.Policy
	stepBefore, stepAfter, askAfter bool
	saysNothing, otherType          bool
	sent                            *string
}

func (r release) Run(ctx context.Context, run *adapter.Run) error {
	if !r.saysNothing {
		if err := run.Say(r.says); err != nil {
			return err
		}
	}
	draft, err := r.drafts(ctx, run)
	if err != nil {
		return err
	}
	if r.stepBefore {
		if _, err := adapter.Step(ctx, run, "look", func(context.Context) (bool, error) { return true, nil }); err != nil {
			return err
		}
	}
	args, err := json.Marshal(map[string]string{"to": r.to, "body": draft})
	if err != nil {
		return err
	}
	if _, err := adapter.CallTools(ctx, run, adapter.ToolCall{Name: r.tool, Args: args, Message: r.message, Policy: r.policy, Do: r.send}); err != nil {
		return err
	}
	if r.stepAfter {
		if _, err := adapter.Step(ctx, run, "note", func(context.Context) (bool, error) { return true, nil }); err != nil {
			return err
		}
	}
	if r.askAfter {
		if _, err := run.Confirm(ctx, "Another one?"); err != nil {
			return err
		}
	}
	return run.Say(r.then)
}

func (r release) drafts(ctx context.Context, run *adapter.Run) (string, error) {
	if r.otherType {
		type letter struct{ Body string }
		got, err := adapter.StepWith(ctx, run, r.step, adapter.StepOptions{Input: r.given}, func(context.Context) (letter, error) { return letter{r.draft}, nil })
		return got.Body, err
	}
	return adapter.StepWith(ctx, run, r.step, adapter.StepOptions{Input: r.given}, func(context.Context) (string, error) { return r.draft, nil })
}

func (r release) send(_ context.Context, call adapter.Invocation) (json.RawMessage, error) {
	*r.sent += r.sender + " sends " + string(call.Args)
	return json.RawMessage("true"), nil
}

// What may change while a question is open, as docs/quickstart-go.md has it. What may not gives
// the answer back, and the release that asked takes it.
func TestDeployWhileAQuestionIsOpen(t *testing.T) {
	const mail = `old sends {"body":"Dear Ann","to":"ann"}`
	for name, test := range map[string]struct {
		change func(*release)
		sent   string // "": the replay diverges
	}{
		"nothing":                       {func(*release) {}, mail},
		"the code inside a step":        {func(r *release) { r.draft = "Hello Ann" }, mail},
		"the code that carries out":     {func(r *release) { r.sender = "new" }, `new sends {"body":"Dear Ann","to":"ann"}`},
		"a text after the question":     {func(r *release) { r.then = "Gone." }, mail},
		"a step after the question":     {func(r *release) { r.stepAfter = true }, mail},
		"a question after the question": {func(r *release) { r.askAfter = true }, mail},
		"the words of a text before":    {func(r *release) { r.says = "Hi." }, mail},
		"a text less before":            {func(r *release) { r.saysNothing = true }, ""},
		"a step more before":            {func(r *release) { r.stepBefore = true }, ""},
		"the name of a step before":     {func(r *release) { r.step = "write" }, ""},
		"what a step before is given":   {func(r *release) { r.given = "the trees" }, ""},
		"the type of a step's result":   {func(r *release) { r.otherType = true }, ""},
		"the name of the tool":          {func(r *release) { r.tool = "post" }, ""},
		"the arguments of the call":     {func(r *release) { r.to = "bob" }, ""},
		"the words of the question":     {func(r *release) { r.message = "Really?" }, ""},
		"whether it asks":               {func(r *release) { r.policy = adapter.PolicyAllow }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			var sent string
			old := release{says: "Hello.", step: "draft", given: "the flowers", draft: "Dear Ann", tool: "send_mail", to: "ann", sender: "old", then: "Sent.", sent: &sent}
			changed := old
			test.change(&changed)
			b := adaptertest.New(t, old)
			asked := b.Send("the flowers").Interrupts()
			b.Deploy(changed)
			run := b.Approve(asked...)
			if test.sent == "" {
				if run.Failed == nil || run.Failed.Code != adapter.CodeReplayDiverged || sent != "" {
					t.Fatalf("%+v, %q", run.Failed, sent)
				}
				if open, err := b.Runner().Open(t.Context(), []store.ThreadKey{b.Key()}); err != nil || len(open) != 1 || open[0].Interrupts[0].ID != asked[0].ID {
					t.Fatalf("the question is not open again: %+v %v", open, err)
				}
				b.Deploy(old)
				run, test.sent = b.Approve(asked...), mail
			}
			if run.Failed != nil || sent != test.sent {
				t.Errorf("%+v, %q", run.Failed, sent)
			}
		})
	}
}

// A change that is no such one has a name of its own: what waits goes on with the agent that
// asked, and what is begun goes to the new one.
func TestDeployUnderAnotherName(t *testing.T) {
	var sent string
	old := release{says: "Hello.", step: "draft", draft: "Dear Ann", tool: "send_mail", to: "ann", sender: "old", then: "Sent.", sent: &sent}
	changed := old
	changed.to, changed.sender = "bob", "new"
	agents, preset := map[string]adapter.Agent{"clerk-1": old}, "clerk-1"
	b := adaptertest.New(t, old, func(o *runner.Options) { o.Agents, o.Default = agents, preset })
	asked := b.Send("the flowers").Interrupts()
	agents, preset = map[string]adapter.Agent{"clerk-1": old, "clerk-2": changed}, "clerk-2"
	b.Deploy(changed)
	if run := b.Approve(asked...); run.Failed != nil || sent != `old sends {"body":"Dear Ann","to":"ann"}` {
		t.Errorf("%+v, %q", run.Failed, sent)
	}
	sent = ""
	if run := b.Approve(b.Send("the trees").Interrupts()...); run.Failed != nil || sent != `new sends {"body":"Dear Ann","to":"bob"}` {
		t.Errorf("%+v, %q", run.Failed, sent)
	}
}
