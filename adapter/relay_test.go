package adapter_test

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/protocol"
)

// odd are events as others may write them, all of them within AG-UI.
var odd = []string{
	`{"messageId":"a","role":"assistant","type":"TEXT_MESSAGE_START"}`,
	`{"x-odd":[1,{"b":1,"a":2}],"type" : "TEXT_MESSAGE_CONTENT","delta":"h\u0069 \/ <b>","messageId":"a"}`,
	`{"type":"STATE_SNAPSHOT","snapshot":{"n":123456789012345678901234567890.10,"b":1e2,"a":1}}`,
	`{"new":1,"type":"SOMETHING_NEW","z":{"b":1,"a":12345678901234567890}}`,
	`{"timestamp":1764000000000,"type":"TEXT_MESSAGE_END","messageId":"a"}`,
	`{"type":"CUSTOM","value":{"z":1,"a":-0.0},"name":"n"}`,
}

func relay(run *adapter.Run, texts ...string) error {
	for _, text := range texts {
		e, err := protocol.Decode([]byte(text))
		if err != nil {
			return err
		}
		if err := run.Relay(e, []byte(text)); err != nil {
			return err
		}
	}
	return nil
}

// in reports whether texts are among the lab's events, as they are and in their order.
func in(l *lab, texts ...string) bool {
	for _, e := range l.events {
		if len(texts) > 0 && string(e) == texts[0] {
			texts = texts[1:]
		}
	}
	return len(texts) == 0
}

func TestRelayIsByteForByte(t *testing.T) {
	for name, agent := range map[string]adapter.AgentFunc{
		"at once": func(_ context.Context, run *adapter.Run) error { return relay(run, odd...) },
		"in a step": func(ctx context.Context, run *adapter.Run) error {
			_, err := adapter.Step(ctx, run, "s", func(context.Context) (int, error) { return 0, relay(run, odd...) })
			return err
		},
		"in a branch": func(ctx context.Context, run *adapter.Run) error {
			return adapter.Parallel(ctx, run, func(_ context.Context, run *adapter.Run) error {
				if err := run.Emit(&protocol.Custom{Name: "held", Value: []byte("1")}); err != nil {
					return err
				}
				if err := relay(run, odd...); err != nil {
					return err
				}
				return run.Emit(&protocol.Custom{Name: "held too", Value: []byte("1")})
			})
		},
		"while a chunk is open": func(_ context.Context, run *adapter.Run) error {
			id, delta := "c", "x"
			if err := run.Emit(&protocol.TextMessageChunk{MessageID: &id, Delta: &delta}); err != nil {
				return err
			}
			return relay(run, odd...)
		},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t, agent)
			succeeded(t, l.say("hi"))
			if l.wellFormed(); !in(l, odd...) {
				t.Errorf("logged %s", bytes.Join(l.events, []byte("\n")))
			}
		})
	}
}

// What was relayed before a question is not told again after its answer, and what is
// relayed then is as it came. A message that is open across the question opens again.
func TestRelayAfterAnAnswer(t *testing.T) {
	l := newLab(t, adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
		if err := relay(run, odd[:2]...); err != nil {
			return err
		}
		if _, err := run.Ask(ctx, confirmation("?")); err != nil {
			return err
		}
		return relay(run, odd[2:]...)
	}))
	open := interrupts(t, l.say("hi"))
	if !in(l, odd[:2]...) {
		t.Fatalf("logged %s", bytes.Join(l.events, []byte("\n")))
	}
	l.events = nil
	succeeded(t, l.answer(resolved(open[0].ID, "true")))
	l.wellFormed()
	left := slices.DeleteFunc(slices.Clone(odd[2:]), func(text string) bool { return strings.Contains(text, "MESSAGE_END") })
	if !in(l, left...) || in(l, odd[0]) || in(l, odd[1]) {
		t.Errorf("logged %s", bytes.Join(l.events, []byte("\n")))
	}
	if got := l.texts(); !slices.Equal(got, []string{"hi / <b>"}) {
		t.Errorf("texts %q", got)
	}
}

// restartable is an agent that may begin again.
type restartable struct{ adapter.AgentFunc }

func (restartable) Restartable() bool { return true }

func TestRelayInATakeover(t *testing.T) {
	of := func(id, subagent string) string {
		return `{"subagentRunId":"` + subagent + `","type":"TEXT_MESSAGE_START","messageId":"` + id + `"}`
	}
	agent := restartable{func(_ context.Context, run *adapter.Run) error {
		if err := relay(run, `{"name":"helper","type":"SUBAGENT_STARTED","subagentRunId":"s"}`, of("b", "s")); err != nil {
			return err
		}
		if err := relay(run, odd...); err != nil {
			return err
		}
		return relay(run, `{"subagentRunId":"s","type":"TEXT_MESSAGE_END","messageId":"b"}`, `{"subagentRunId":"s","type":"SUBAGENT_FINISHED"}`)
	}}
	l := newLab(t, agent)
	l.beginOn(l.worker(l.cutBefore(l.store, protocol.TypeCustom), agent), "hi", "run-1")
	succeeded(t, l.untilEnd())
	l.wellFormed()
	if !in(l, append(slices.Clone(odd[:5]), odd...)...) {
		t.Errorf("logged %s", bytes.Join(l.events, []byte("\n")))
	}
	// What must be called otherwise is encoded anew, and nothing else is.
	if !in(l, of("b", "s"), `{"type":"TEXT_MESSAGE_START","subagentRunId":"s~2","messageId":"b~2"}`) {
		t.Errorf("logged %s", bytes.Join(l.events, []byte("\n")))
	}
}

func TestRelayed(t *testing.T) {
	for name, test := range map[string]struct {
		text   string // relayed
		logged string // "": nothing
		err    string
	}{
		"chunk": {`{"type":"TEXT_MESSAGE_CHUNK","messageId":"a","delta":"x"}`,
			`{"type":"TEXT_MESSAGE_START","messageId":"a","role":"assistant"}`, ""},
		"lines": {"{\n\t\"name\": \"n\",\r\n\t\"type\": \"CUSTOM\", \"value\": \"a\\n b\"}\n",
			`{"name":"n","type":"CUSTOM","value":"a\n b"}`, ""},
		"white space around": {` {"type": "CUSTOM","name":"n","value":1} `, `{"type": "CUSTOM","name":"n","value":1}`, ""},
		"out of order":       {`{"type":"TEXT_MESSAGE_END","messageId":"never"}`, "", "not-open"},
		"a run's own end":    {`{"type":"RUN_FINISHED","threadId":"t","runId":"r"}`, "", "is not an agent's to emit"},
		"a frame of ours":    {`{"type":"ws.detached","threadId":"thread"}`, "", `"ws.detached" is no event's type`},
	} {
		t.Run(name, func(t *testing.T) {
			var got error
			l := newLab(t, adapter.AgentFunc(func(_ context.Context, run *adapter.Run) error {
				got = relay(run, test.text)
				return nil
			}))
			succeeded(t, l.say("hi"))
			l.wellFormed()
			if test.err == "" && got != nil || test.err != "" && (got == nil || !strings.Contains(got.Error(), test.err)) {
				t.Errorf("error %v, want %q", got, test.err)
			}
			if test.logged != "" && !in(l, test.logged) {
				t.Errorf("logged %s", bytes.Join(l.events, []byte("\n")))
			}
		})
	}
}

func TestRelayOfWhatIsNoEvent(t *testing.T) {
	l := newLab(t, adapter.AgentFunc(func(_ context.Context, run *adapter.Run) error {
		custom := &protocol.Custom{Name: "n", Value: []byte("1")}
		if err := run.Relay(custom, nil); err != nil {
			return err
		}
		return errors.Join(nil, wants(run.Relay(nil, nil)), wants(run.Relay(custom, []byte(`["no"]`))), wants(run.Relay(custom, []byte("{\n}}"))))
	}))
	succeeded(t, l.say("hi"))
	if !in(l, `{"type":"CUSTOM","name":"n","value":1}`) {
		t.Errorf("logged %s", bytes.Join(l.events, []byte("\n")))
	}
}

// wants turns the absence of an error into one.
func wants(err error) error {
	if err == nil {
		return errors.New("no error")
	}
	return nil
}
