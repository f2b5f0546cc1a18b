package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/runner"
	"github.com/aguiws/aguiws/adapter/script"
	"github.com/aguiws/aguiws/client"
	"github.com/aguiws/aguiws/protocol"
	"github.com/aguiws/aguiws/redisstore"
	"github.com/aguiws/aguiws/server"
	"github.com/aguiws/aguiws/server/identity"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const token = "a-token-of-the-test-0123456789abcdef"

// site is a server, and the arguments that lead to it.
type site struct {
	args []string
	c    *client.Client
}

func newSite(t *testing.T, agent adapter.Agent) *site {
	t.Helper()
	store, err := redisstore.Embedded(nil)
	if err != nil {
		t.Fatal(err)
	}
	runs, err := runner.New(store, &runner.Options{Agents: map[string]adapter.Agent{"": agent}})
	if err != nil {
		t.Fatal(err)
	}
	tokens, err := identity.NewTokens([]identity.Token{{Token: token, User: "ann"}})
	if err != nil {
		t.Fatal(err)
	}
	srv, err := server.New(runs, &server.Options{Auth: tokens})
	if err != nil {
		t.Fatal(err)
	}
	served := httptest.NewServer(srv.Handler())
	t.Cleanup(func() {
		if err := srv.Shutdown(context.Background()); err != nil {
			t.Error(err)
		}
		http.DefaultClient.CloseIdleConnections()
		served.Close()
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	file := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(file, []byte(token+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := client.Dial(t.Context(), served.URL+"/agui/ws", &client.Options{Token: token})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return &site{[]string{"--url", served.URL + "/", "--token-file", file}, c}
}

// asked has a thread's agent ask something, and returns the thread and the ids.
func (s *site) asked(t *testing.T, thread, command string) (*client.Thread, []string) {
	t.Helper()
	followed, err := s.c.Follow(t.Context(), thread, nil)
	if err != nil {
		t.Fatal(err)
	}
	end, err := followed.Say(command).Wait(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, i := range client.Asked(end) {
		ids = append(ids, i.ID)
	}
	if len(ids) == 0 {
		t.Fatalf("%s asks nothing", command)
	}
	return followed, ids
}

// run runs the command with what somebody types; asks is whether there is a terminal.
func (s *site) run(t *testing.T, typed string, asks bool, args ...string) (string, error) {
	t.Helper()
	var out strings.Builder
	err := run(t.Context(), append(s.args, args...), strings.NewReader(typed), &out, asks)
	return out.String(), err
}

// says waits until the last that a thread says holds this.
func says(t *testing.T, thread *client.Thread, text string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	err := thread.Await(ctx, func(v client.View) bool {
		return v.AtRest() && len(v.Messages) > 0 && strings.Contains(v.Messages[len(v.Messages)-1].Content.String(), text)
	})
	if err != nil {
		t.Fatalf("it does not say %q: %v %+v", text, err, thread.View().Messages)
	}
}

func TestAnswersByFlags(t *testing.T) {
	s := newSite(t, script.New(script.Options{}))
	if out, err := s.run(t, "", true); err != nil || out != "Nobody waits for an answer.\n" {
		t.Errorf("%s %v", out, err)
	}
	thread, ids := s.asked(t, "trip", "/parallel 2")
	out, err := s.run(t, "", false)
	if err != nil || !strings.Contains(out, ids[0]+"  thread trip") || !strings.Contains(out, `it would call task_2 {"number":2}`) {
		t.Errorf("%s %v", out, err)
	}
	for _, wrong := range [][]string{
		{"--approve", ids[0], "--decline", ids[0]}, {"--answer", ids[0], "--with", "{"}, {"--cancel", "nothing"}, {"--answer", ids[0], "--with", `{"approved":7}`},
	} {
		if out, err := s.run(t, "", false, wrong...); err == nil {
			t.Errorf("%q is taken: %s", wrong, out)
		}
	}
	if out, err := s.run(t, "", false, "--approve", ids[0]); err != nil || !strings.Contains(out, "when 1 more") {
		t.Errorf("%s %v", out, err)
	}
	if out, err := s.run(t, "", false, "--list"); err != nil || !strings.Contains(out, "it has an answer") {
		t.Errorf("%s %v", out, err)
	}
	if out, err := s.run(t, "", false, "--decline", ids[1]); err != nil || out != "Answered.\n" {
		t.Errorf("%s %v", out, err)
	}
	says(t, thread, "task_2 was declined")
}

func TestAsksInATerminal(t *testing.T) {
	s := newSite(t, script.New(script.Options{}))
	form, _ := s.asked(t, "form", "/form")
	pay, _ := s.asked(t, "pay", `/tool pay {"amount":10}`)
	book, _ := s.asked(t, "book", "/confirm \x1b[31mBook\u202e it?")
	typed := []string{
		"x", "j", "{", "j", `{"quarter":"Q9"}`, "j", `{"quarter":"Q3","year":2026,"revenue":1.5}`,
		"e", `{"amount":7}`,
		"e", "s",
	}
	out, err := s.run(t, strings.Join(typed, "\n")+"\n", true)
	if err != nil {
		t.Fatal(err)
	}
	says(t, form, `"revenue":1.5`)
	says(t, pay, "I have called pay.")
	for _, want := range []string{"that is no JSON", "interrupt_payload_invalid", `\x1b[31mBook\u202e it?`} {
		if !strings.Contains(out, want) {
			t.Errorf("it does not say %s:\n%s", want, out)
		}
	}
	if strings.ContainsAny(out, "\x1b\u202e") {
		t.Error("an agent writes to the terminal")
	}
	if out, err := s.run(t, "", true); err != nil { // the end of input ends it
		t.Errorf("%s %v", out, err)
	}
	if _, err := s.run(t, "d\n", true); err != nil {
		t.Error(err)
	}
	says(t, book, "Declined.")
}

// waits is an agent that asks without a schema, says what it was answered, and may list
// the answers that it takes.
func waits(ctx context.Context, run *adapter.Run) error {
	asked := protocol.Interrupt{Reason: "acme:ask", Message: `{"question":"Send it?"}`}
	if messages := run.Messages(); messages[len(messages)-1].Content.String() == "options" {
		asked.Metadata = protocol.Metadata{"answers": json.RawMessage(`[{"label":"Mon\u202eday","payload":{"day":1}},{"label":"Never","payload":null}]`)}
	}
	answers, err := run.Ask(ctx, asked)
	if err != nil {
		return err
	}
	payload, resolved := answers.Of[0].Payload()
	return run.Say(fmt.Sprintf("answered %t %s", resolved, payload))
}

func TestAnswersWithoutASchema(t *testing.T) {
	s := newSite(t, adapter.AgentFunc(waits))
	for _, test := range []struct {
		name, said, typed, flag, with, says string
	}{
		{"yes", "hello", "", "--approve", "", `answered true {"approved":true}`},
		{"no", "hello", "", "--decline", "", `answered true {"approved":false}`},
		{"text", "hello", "", "--answer", `"tomorrow"`, `answered true "tomorrow"`},
		{"cancel", "hello", "", "--cancel", "", "answered false"},
		{"typed yes", "hello", "a\n", "", "", `answered true {"approved":true}`},
		{"typed no", "hello", "d\n", "", "", `answered true {"approved":false}`},
		{"typed text", "hello", "t\nto \"morrow\"\n", "", "", `answered true "to \"morrow\""`},
		{"typed JSON", "hello", "j\n{\nj\n[1]\n", "", "", "answered true [1]"},
		{"typed option", "options", "9\n1\n", "", "", `answered true {"day":1}`},
		{"typed cancel", "options", "c\n", "", "", "answered false"},
	} {
		t.Run(test.name, func(t *testing.T) {
			thread, ids := s.asked(t, test.name, test.said)
			args := []string{}
			if test.flag != "" {
				args = []string{test.flag, ids[0], "--with", test.with}
			}
			out, err := s.run(t, test.typed, true, args...)
			if err != nil || strings.Contains(out, "\u202e") || strings.Contains(out, "question") {
				t.Fatalf("%v %s", err, out)
			}
			says(t, thread, test.says)
		})
	}
	_, ids := s.asked(t, "none", "options")
	if out, err := s.run(t, "", false, "--approve", ids[0]); err == nil || !strings.Contains(err.Error(), "no plain yes") {
		t.Errorf("%s %v", out, err)
	}
}

func TestSaysWhatIsWrong(t *testing.T) {
	stranger := httptest.NewServer(http.NotFoundHandler())
	defer stranger.Close()
	defer http.DefaultClient.CloseIdleConnections()
	s := newSite(t, script.New(script.Options{}))
	for args, want := range map[string]string{
		"--url " + stranger.URL:       "is it an aguiws server?",
		"--url http://127.0.0.1:1":    "refused",
		strings.Join(s.args[:2], " "): "unauthenticated",
	} {
		var out strings.Builder
		if err := run(t.Context(), strings.Fields(args), strings.NewReader(""), &out, false); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", args, err)
		}
	}
}
