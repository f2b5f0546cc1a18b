package adapter_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/admission"
	"github.com/aguiws/aguiws/adapter/runner"
	"github.com/aguiws/aguiws/protocol"
)

func TestFinish(t *testing.T) {
	for name, test := range map[string]struct {
		result   json.RawMessage
		metadata protocol.Metadata
		logged   string // of RUN_FINISHED, behind its ids; "": the run fails
	}{
		"nothing":       {nil, nil, `"outcome":{"type":"success"}}`},
		"a result":      {json.RawMessage(`{"b":1,"a":123456789012345678901}`), nil, `"result":{"b":1,"a":123456789012345678901},"outcome":{"type":"success"}}`},
		"null":          {json.RawMessage(`null`), nil, `"outcome":{"type":"success"}}`},
		"metadata":      {nil, protocol.Metadata{"x": json.RawMessage(`null`)}, `"outcome":{"type":"success"}}`},
		"no JSON":       {json.RawMessage(`{`), nil, ""},
		"metadata none": {nil, protocol.Metadata{"x": json.RawMessage(`{`)}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t, adapter.AgentFunc(func(_ context.Context, run *adapter.Run) error {
				run.Finish(json.RawMessage(`"an earlier one"`), nil)
				run.Finish(test.result, test.metadata)
				return nil
			}))
			events := l.say("hi")
			l.wellFormed()
			if test.logged == "" {
				if e, failed := events[len(events)-1].(*protocol.RunError); !failed || e.Code != adapter.CodeAgentError {
					t.Errorf("ended %s", show(events))
				}
				return
			}
			e := events[len(events)-1].(*protocol.RunFinished)
			want, err := protocol.Decode([]byte(`{"type":"RUN_FINISHED","threadId":"thread","runId":"run-1",` + test.logged))
			if err != nil {
				t.Fatal(err)
			}
			want.(*protocol.RunFinished).Metadata = test.metadata
			if got, want := encoded(t, e), encoded(t, want); got != want {
				t.Errorf("logged %s, want %s", got, want)
			}
		})
	}
}

func encoded(t *testing.T, e protocol.Event) string {
	t.Helper()
	text, err := protocol.Encode(e)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// An interrupt and an error have no result, and the run that goes on after the answer has
// what was said before or after it.
func TestFinishAcrossAsk(t *testing.T) {
	for _, mode := range []runner.Mode{"", runner.ModeBlocking} {
		l := newLab(t, adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
			run.Finish(json.RawMessage(`1`), nil)
			if _, err := run.Ask(ctx, confirmation("?")); err != nil {
				return err
			}
			return nil
		}), func(o *runner.Options) { o.Mode = mode })
		asked := l.say("hi")
		if e := asked[len(asked)-1].(*protocol.RunFinished); e.Result != nil {
			t.Errorf("the interrupt has the result %s", e.Result)
		}
		events := l.answer(resolved(interrupts(t, asked)[0].ID, "true"))
		if e := events[len(events)-1].(*protocol.RunFinished); string(e.Result) != "1" {
			t.Errorf("the run has the result %s", e.Result)
		}
	}
	l := newLab(t, adapter.AgentFunc(func(_ context.Context, run *adapter.Run) error {
		run.Finish(json.RawMessage(`1`), nil)
		return &adapter.UserError{Message: "no", Code: "upstream_refused", Err: errors.New("403")}
	}))
	events := l.say("hi")
	if got := encoded(t, events[len(events)-1]); got != `{"type":"RUN_ERROR","message":"no","code":"upstream_refused"}` {
		t.Errorf("logged %s", got)
	}
}

// What an error tells beside its words is in its RUN_ERROR, also where answers are given
// back; what is no JSON is left out, and is no reason not to end.
func TestMetadataOfAnError(t *testing.T) {
	for _, back := range []bool{false, true} {
		for value, want := range map[string]string{`{"n":1.0}`: `"metadata":{"k":{"n":1.0}},`, `{`: ""} {
			metadata := protocol.Metadata{"k": json.RawMessage(value)}
			l := newLab(t, adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
				if _, err := run.Ask(ctx, confirmation("?")); err != nil {
					return err
				}
				if back {
					return &adapter.GiveBackError{Message: "no", Metadata: metadata}
				}
				return fmt.Errorf("wrapped: %w", &adapter.UserError{Message: "no", Metadata: metadata})
			}))
			events := l.answer(resolved(interrupts(t, l.say("hi"))[0].ID, "true"))
			if got := encoded(t, events[len(events)-1]); got != `{"type":"RUN_ERROR",`+want+`"message":"no","code":"agent_error"}` {
				t.Errorf("logged %s", got)
			}
		}
	}
}

// A code is the agent's word and does nothing: that of a replay that diverges gives no
// answer back.
func TestCodeOfAnErrorIsAWord(t *testing.T) {
	l := newLab(t, adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
		if _, err := run.Ask(ctx, confirmation("?")); err != nil {
			return err
		}
		return run.Delegate("helper", "", func(string) error {
			return &adapter.UserError{Message: "no", Code: adapter.CodeReplayDiverged}
		})
	}))
	open := interrupts(t, l.say("hi"))
	events := l.answer(resolved(open[0].ID, "true"))
	if got := encoded(t, events[len(events)-1]); got != `{"type":"RUN_ERROR","message":"no","code":"agent_replay_diverged"}` {
		t.Errorf("logged %s", got)
	}
	at := slices.IndexFunc(events, func(e protocol.Event) bool { return e.Type() == protocol.TypeSubagentError })
	if at < 0 || events[at].(*protocol.SubagentError).Code != adapter.CodeReplayDiverged {
		t.Errorf("logged %s", show(events))
	}
	if a := l.submit(&protocol.RunAgentInput{Resume: []protocol.ResumeEntry{resolved(open[0].ID, "true")}}); a.Disposition != admission.Repeat {
		t.Errorf("the answer once more: %s %+v", a.Disposition, a.Refusal)
	}
}
