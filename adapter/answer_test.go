package adapter_test

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/admission"
	"github.com/aguiws/aguiws/adapter/runner"
	"github.com/aguiws/aguiws/protocol"
)

// The documents show the agent that is tested here.
func TestDocumentsShowTheClerk(t *testing.T) {
	read := func(name string) string {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	_, source, _ := strings.Cut(read("example_test.go"), "\nfunc (c *Clerk) Run(")
	body, _, _ := strings.Cut(source, "\n}\n")
	shown := "func (c *Clerk) Run(" + body + "\n}\n"
	if !strings.Contains(read("../README.md"), shown) {
		t.Error("README.md shows something else")
	}
	if commented := "//\t" + strings.ReplaceAll(strings.TrimSuffix(shown, "\n"), "\n", "\n//\t") + "\n"; !strings.Contains(read("doc.go"), commented) {
		t.Error("doc.go shows something else")
	}
}

// Only a clear yes sends the letter.
func TestClerkSendsWhatIsApproved(t *testing.T) {
	for name, test := range map[string]struct {
		answer  func(id string) protocol.ResumeEntry
		refused bool
		sent    []string
	}{
		"approved":               {answer: with(`{"approved":true}`), sent: []string{"Dear all"}},
		"approved with a reason": {answer: with(`{"approved":true,"reason":"fine"}`), sent: []string{"Dear all"}},
		"declined":               {answer: with(`{"approved":false}`)},
		"cancelled":              {answer: cancelled},
		"cancelled with a yes": {answer: func(id string) protocol.ResumeEntry {
			e := with(`{"approved":true}`)(id)
			e.Status = protocol.ResumeCancelled
			return e
		}},
		"false":                   {answer: with(`false`), refused: true},
		"no payload":              {answer: with(``), refused: true},
		"a yes in another letter": {answer: with(`{"approved":false,"Approved":true}`), refused: true},
	} {
		t.Run(name, func(t *testing.T) {
			var sent []string
			l := newLab(t, &Clerk{
				write: func(context.Context, protocol.Messages) (string, error) { return "Dear all", nil },
				send:  func(_ context.Context, letter string) error { sent = append(sent, letter); return nil },
			})
			open := interrupts(t, l.say("write to all"))
			answer := test.answer(open[0].ID)
			if test.refused {
				a := l.submit(&protocol.RunAgentInput{Resume: []protocol.ResumeEntry{answer}})
				if a.Disposition != admission.Refused || a.Refusal.Code != adapter.CodePayloadInvalid {
					t.Fatalf("%s %+v", a.Disposition, a.Refusal)
				}
				answer = with(`{"approved":false}`)(open[0].ID)
			}
			succeeded(t, l.answer(answer))
			if !slices.Equal(sent, test.sent) {
				t.Errorf("sent %q", sent)
			}
			want := "I have not sent it."
			if test.sent != nil {
				want = "Sent."
			}
			if got := l.texts(); !slices.Equal(got, []string{want}) {
				t.Errorf("said %q", got)
			}
		})
	}
}

func with(payload string) func(id string) protocol.ResumeEntry {
	return func(id string) protocol.ResumeEntry { return resolved(id, payload) }
}

// What was answered can be had only with whether anything was.
func TestAnswer(t *testing.T) {
	if payload, resolved := (adapter.Answer{}).Payload(); resolved || payload != nil || (adapter.Answer{}).Approved() {
		t.Error("the zero answer says something")
	}
	for name, test := range map[string]struct {
		answer func(id string) protocol.ResumeEntry
		want   string // payload, resolved, decoded, resolved, error, approved
	}{
		"yes":              {with(`true`), `true true true true false true`},
		"yes in an object": {with(`{"approved":true}`), `{"approved":true} true map[approved:true] true false true`},
		"no":               {with(`false`), `false true false true false false`},
		"no in an object":  {with(`{"approved":false,"Approved":true}`), `{"approved":false,"Approved":true} true map[Approved:true approved:false] true false false`},
		"yes in words":     {with(`"yes"`), `"yes" true yes true false false`},
		"yes as a text":    {with(`{"approved":"true"}`), `{"approved":"true"} true map[approved:true] true false false`},
		"nothing":          {with(``), ` true <nil> true true false`},
		"cancelled":        {cancelled, ` false <nil> false false false`},
		"cancelled with a word": {func(id string) protocol.ResumeEntry {
			e := with(`true`)(id)
			e.Status = protocol.ResumeCancelled
			return e
		}, ` false <nil> false false false`},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t, adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
				answers, err := run.Ask(ctx, confirmation("?"))
				if err != nil {
					return err
				}
				var decoded any
				payload, resolved := answers.Of[0].Payload()
				also, err := answers.Of[0].Decode(&decoded)
				return run.Say(fmt.Sprint(string(payload), " ", resolved, " ", decoded, " ", also, " ", err != nil, " ", answers.Of[0].Approved()))
			}))
			open := interrupts(t, l.say("hi"))
			succeeded(t, l.answer(test.answer(open[0].ID)))
			if got := l.texts(); !slices.Equal(got, []string{test.want}) {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

// The messages that came with the answers are the agent's to read, now and in
// every replay.
func TestAnswersHaveTheirMessages(t *testing.T) {
	for name, configure := range map[string]func(*runner.Options){"replayed": func(*runner.Options) {}, "blocking": blocking} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t, adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
				var said []string
				for _, question := range []string{"one", "two"} {
					answers, err := run.Ask(ctx, confirmation(question))
					if err != nil {
						return err
					}
					for _, m := range answers.Messages {
						said = append(said, string(m.Role)+" "+m.Content.String())
					}
				}
				return run.Say(strings.Join(said, ", "))
			}), configure)
			end := l.say("hi")
			for _, text := range []string{"rather tomorrow", "or never"} {
				in := user(text)
				in.Resume = []protocol.ResumeEntry{resolved(interrupts(t, end)[0].ID, "true")}
				l.begins(in)
				end = l.untilEnd()
			}
			if got := l.texts(); !slices.Equal(got, []string{"user rather tomorrow, user or never"}) {
				t.Errorf("said %q", got)
			}
		})
	}
}
