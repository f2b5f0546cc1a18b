package adapter_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/protocol"
)

// payers are ways to pay somebody in a step.
var payers = map[string]func(ctx context.Context, run *adapter.Run, to string, pay func() error) error{
	"a call": func(ctx context.Context, run *adapter.Run, to string, pay func() error) error {
		return payBy(ctx, run, adapter.ToolCall{Args: rawJSON(fmt.Sprintf(`{"to":%q}`, to))}, pay)
	},
	"an idempotent call": func(ctx context.Context, run *adapter.Run, to string, pay func() error) error {
		return payBy(ctx, run, adapter.ToolCall{Args: rawJSON(fmt.Sprintf(`{"to":%q}`, to)), Idempotent: true}, pay)
	},
	"a call by its id": func(ctx context.Context, run *adapter.Run, to string, pay func() error) error {
		return payBy(ctx, run, adapter.ToolCall{ID: "call-" + to}, pay)
	},
	"a call with arguments that are no JSON": func(ctx context.Context, run *adapter.Run, to string, pay func() error) error {
		return payBy(ctx, run, adapter.ToolCall{Args: rawJSON("to " + to)}, pay)
	},
	"a step": func(ctx context.Context, run *adapter.Run, to string, pay func() error) error {
		_, err := adapter.StepWith(ctx, run, "pay", adapter.StepOptions{Input: to}, func(context.Context) (bool, error) { return true, pay() })
		return err
	},
	"an idempotent step": func(ctx context.Context, run *adapter.Run, to string, pay func() error) error {
		_, err := adapter.StepWith(ctx, run, "pay", adapter.StepOptions{Idempotent: true, Input: []any{1, to}}, func(context.Context) (bool, error) { return true, pay() })
		return err
	},
}

func payBy(ctx context.Context, run *adapter.Run, c adapter.ToolCall, pay func() error) error {
	c.Name, c.Policy = "pay", adapter.PolicyAllow
	c.Do = func(context.Context, adapter.Invocation) (rawJSON, error) { return rawJSON("{}"), pay() }
	_, err := adapter.CallTools(ctx, run, c)
	return err
}

// A step that is given something else is not the one that was journaled: not in
// another order, and whatever became of it.
func TestReplayWithSomethingElse(t *testing.T) {
	for name, pays := range payers {
		t.Run(name, func(t *testing.T) {
			t.Run("in another order", func(t *testing.T) {
				var paid []string
				var dying *cutStore
				calls := 0
				agent := adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
					calls++
					to := []string{"alice", "bob"} // as ranging over a map gives them
					if calls > 1 {
						slices.Reverse(to)
					}
					for i, name := range to {
						if calls == 1 && i == 1 {
							dying.sever()
						}
						if err := pays(ctx, run, name, func() error { paid = append(paid, name); return nil }); err != nil {
							return err
						}
					}
					return nil
				})
				l := newLab(t, agent)
				dying = l.cutAfter(l.store, -1)
				l.beginOn(l.worker(dying, agent), "hi", "run-0")
				failedWith(t, l.untilEnd(), adapter.CodeReplayDiverged)
				if !slices.Equal(paid, []string{"alice"}) {
					t.Errorf("paid %q", paid)
				}
			})
			t.Run("after an answer", func(t *testing.T) {
				to := "alice"
				var paid []string
				l := newLab(t, adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
					if err := pays(ctx, run, to, func() error { paid = append(paid, to); return nil }); err != nil {
						return err
					}
					_, err := run.Ask(ctx, confirmation("?"))
					return err
				}))
				open := interrupts(t, l.say("hi"))
				to = "bob"
				failedWith(t, l.answer(resolved(open[0].ID, "1")), adapter.CodeReplayDiverged)
				to = "alice" // the decision was given back
				succeeded(t, l.answer(resolved(open[0].ID, "2")))
				if !slices.Equal(paid, []string{"alice"}) {
					t.Errorf("paid %q", paid)
				}
			})
			for _, action := range []string{"rerun", "done", "fail"} {
				t.Run("started, not recorded, "+action, func(t *testing.T) {
					var mu sync.Mutex
					var dying *cutStore
					to, lost := "alice", make(chan struct{}, 1)
					var paid []string
					agent := adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
						mu.Lock()
						name := to
						mu.Unlock()
						return pays(ctx, run, name, func() error {
							mu.Lock()
							defer mu.Unlock()
							paid = append(paid, name)
							if len(paid) == 1 {
								to = "bob"
								dying.sever()
								lost <- struct{}{}
							}
							return nil
						})
					})
					l := newLab(t, agent)
					dying = l.cutAfter(l.store, -1)
					l.beginOn(l.worker(dying, agent), "hi", "run-0")
					await(l, lost)
					end := l.untilEnd()
					if finished, ok := end[len(end)-1].(*protocol.RunFinished); ok && finished.Outcome.Type == protocol.OutcomeInterrupt {
						end = l.answer(resolved(finished.Outcome.Interrupts[0].ID, `{"action":"`+action+`"}`))
					}
					failedWith(t, end, adapter.CodeReplayDiverged)
					mu.Lock()
					defer mu.Unlock()
					if !slices.Equal(paid, []string{"alice"}) {
						t.Errorf("paid %q", paid)
					}
				})
			}
		})
	}
}

// A step that may run again does, when it is given the same, and nobody is
// asked.
func TestIdempotentStepIsGivenTheSame(t *testing.T) {
	for _, name := range []string{"an idempotent call", "an idempotent step"} {
		t.Run(name, func(t *testing.T) {
			var dying *cutStore
			var mu sync.Mutex
			paid := 0
			agent := adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
				return payers[name](ctx, run, "alice", func() error {
					mu.Lock()
					defer mu.Unlock()
					if paid++; paid == 1 {
						dying.sever()
					}
					return nil
				})
			})
			l := newLab(t, agent)
			dying = l.cutAfter(l.store, -1)
			l.beginOn(l.worker(dying, agent), "hi", "run-0")
			succeeded(t, l.untilEnd())
			l.wellFormed()
			mu.Lock()
			defer mu.Unlock()
			if paid != 2 {
				t.Errorf("paid %d times", paid)
			}
		})
	}
}

// What is given is compared as the values that it is in JSON.
func TestGivenValues(t *testing.T) {
	type letter struct {
		To   string `json:"to"`
		Copy int64  `json:"copy"`
	}
	const large = int64(1) << 60
	for name, test := range map[string]struct {
		first, then []any
		same        bool
	}{
		"the same":                  {[]any{"a", 1}, []any{"a", 1}, true},
		"in another order":          {[]any{"a", 1}, []any{1, "a"}, false},
		"members in another order":  {[]any{rawJSON(`{"copy":1,"to":"a"}`)}, []any{letter{"a", 1}}, true},
		"a map":                     {[]any{map[string]any{"to": "a", "copy": 1}}, []any{letter{"a", 1}}, true},
		"numbers written otherwise": {[]any{rawJSON(`[10, 0.5, 0, 1e20]`)}, []any{rawJSON(`[1e1,5E-1,-0.0,100000000000000000000]`)}, true},
		"large numbers":             {[]any{large}, []any{large}, true},
		"large numbers, one apart":  {[]any{large}, []any{large + 1}, false},
		"floats":                    {[]any{0.30000000000000004}, []any{0.3}, false},
		"tiny numbers":              {[]any{rawJSON("1e-400")}, []any{rawJSON("2e-400")}, false},
		"huge numbers":              {[]any{rawJSON("1e400")}, []any{rawJSON("2e400")}, false},
		"text and number":           {[]any{"1"}, []any{1}, false},
		"null and nothing":          {[]any{nil}, nil, false},
		"one thing less":            {[]any{"a", "b"}, []any{"a"}, false},
		// What an older program journaled is not compared with what it was not given.
		"nothing, then something": {nil, []any{"a"}, true},
	} {
		t.Run(name, func(t *testing.T) {
			given := test.first
			l := newLab(t, adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
				var input any
				if given != nil {
					input = given
				}
				_, err := adapter.StepWith(ctx, run, "s", adapter.StepOptions{Input: input}, func(context.Context) (bool, error) { return true, nil })
				if err != nil {
					return err
				}
				_, err = run.Ask(ctx, confirmation("?"))
				return err
			}))
			open := interrupts(t, l.say("hi"))
			given = test.then
			end := l.answer(resolved(open[0].ID, "1"))
			if test.same {
				succeeded(t, end)
			} else {
				failedWith(t, end, adapter.CodeReplayDiverged)
			}
		})
	}
}

// A step is not begun that is given what JSON cannot hold.
func TestGivenWhatIsNoJSON(t *testing.T) {
	l := newLab(t, adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
		_, err := adapter.StepWith(ctx, run, "s", adapter.StepOptions{Input: func() {}}, func(context.Context) (bool, error) { t.Error("begun"); return true, nil })
		return err
	}))
	failedWith(t, l.say("hi"), adapter.CodeAgentError)
}
