package adapter_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/admission"
	"github.com/aguiws/aguiws/adapter/operate"
	"github.com/aguiws/aguiws/adapter/runner"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
)

// accounts are logins of which a test says whether there are any.
type accounts struct {
	mu     sync.Mutex
	has    bool
	title  string
	looked int
}

func (a *accounts) say(has bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.has = has
}

func (a *accounts) Has(_ context.Context, of store.Login) (bool, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if of.Provider != "git" {
		return false, errors.New("there is no provider named " + of.Provider)
	}
	a.looked++
	return a.has, nil
}

func (a *accounts) Token(context.Context, store.Login) (adapter.Token, error) {
	return adapter.Token{Type: "Bearer", Access: "SECRET-4711"}, nil
}
func (a *accounts) Discard(context.Context, store.Login, adapter.Token) error {
	a.say(false)
	return nil
}
func (a *accounts) Title(p string) string { return a.title + p }
func (a *accounts) URL(thread, interrupt string) string {
	return "https://chat.example/login/" + thread + "/" + interrupt
}

// uses asks for an account and says what came of it.
var uses = adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
	account, err := run.Login(ctx, "git", "repo")
	switch {
	case errors.Is(err, adapter.ErrLoginDeclined):
		return run.Say("declined")
	case errors.Is(err, adapter.ErrLoginExpired):
		return run.Say("expired")
	case err != nil:
		return err
	}
	_, err = adapter.Step(ctx, run, "use", func(ctx context.Context) (bool, error) {
		token, err := account.Token(ctx)
		return token.Header() == "Bearer SECRET-4711", err
	})
	if err != nil {
		return err
	}
	return run.Say("used")
})

func (l *lab) loggedIn(id string) admission.Admitted {
	l.t.Helper()
	a, err := l.runner.AnswerLogin(l.ctx(), operate.LoginAnswer{Thread: l.key, Interrupt: id, From: store.Origin{Through: store.ThroughLogin}})
	if err != nil {
		l.t.Fatal(err)
	}
	return a
}

func TestLogin(t *testing.T) {
	for mode, configure := range map[string]func(*runner.Options){
		"by replay": func(*runner.Options) {}, "blocking": func(o *runner.Options) { o.Mode = runner.ModeBlocking },
	} {
		t.Run(mode, func(t *testing.T) {
			a := &accounts{}
			l := newLab(t, uses, configure, func(o *runner.Options) { o.Logins = a })
			l.submit(user("use it"))
			asked := l.asked()
			if asked.Reason != adapter.ReasonAuthRequired || string(asked.Metadata["authorizeUrl"]) != `"https://chat.example/login/thread/`+asked.ID+`"` || string(asked.Metadata["scopes"]) != `["repo"]` {
				t.Fatalf("asked %+v", asked)
			}
			// An answer of a client's is none, whatever it says.
			if r := l.submit(&protocol.RunAgentInput{Resume: []protocol.ResumeEntry{resolved(asked.ID, `{"approved":true}`)}}); r.Refusal == nil || r.Refusal.Code != adapter.CodeLoginRequired {
				t.Fatalf("a client's answer is %+v", r)
			}
			a.mu.Lock()
			a.has, a.title = true, "renamed " // which a replay does not mind
			a.mu.Unlock()
			if r := l.loggedIn(asked.ID); r.Disposition != admission.Started {
				t.Fatalf("%+v", r)
			}
			l.said("used")
			if r := l.loggedIn(asked.ID); r.Disposition != admission.Repeat {
				t.Errorf("again: %+v", r)
			}
			for _, event := range l.events {
				if strings.Contains(string(event), "SECRET") {
					t.Errorf("the log tells %s", event)
				}
			}
		})
	}
}

// What counts is whether there is a token: one that is gone by then is asked for again.
func TestLoginWithoutATokenAsksAgain(t *testing.T) {
	a := &accounts{}
	l := newLab(t, uses, func(o *runner.Options) { o.Logins = a })
	l.submit(user("use it"))
	first := l.asked()
	l.loggedIn(first.ID)
	second := l.asked()
	if second.ID == first.ID || second.Reason != adapter.ReasonAuthRequired {
		t.Fatalf("asked %+v", second)
	}
	a.say(true)
	l.loggedIn(second.ID)
	l.said("used")
}

func TestLoginThatNobodyDoes(t *testing.T) {
	for want, end := range map[string]func(l *lab, id string){
		"declined": func(l *lab, id string) {
			if a, err := l.runner.AnswerLogin(l.ctx(), operate.LoginAnswer{Thread: l.key, Interrupt: id, Declined: true}); err != nil || a.Refusal != nil {
				l.t.Fatal(a, err)
			}
		},
		"expired": func(l *lab, _ string) { l.forward(2 * time.Hour) },
	} {
		t.Run(want, func(t *testing.T) {
			l := newLab(t, uses, func(o *runner.Options) {
				o.Logins, o.MaxPark, o.OnExpiry = &accounts{}, time.Hour, adapter.ExpiryCancel
			})
			l.submit(user("use it"))
			end(l, l.asked().ID)
			l.said(want)
		})
	}
	t.Run("cancelled as any other", func(t *testing.T) {
		l := newLab(t, uses, func(o *runner.Options) { o.Logins = &accounts{} })
		l.submit(user("use it"))
		l.submit(&protocol.RunAgentInput{Resume: []protocol.ResumeEntry{cancelled(l.asked().ID)}})
		l.said("declined")
	})
}

func TestLoginAtNoProvider(t *testing.T) {
	agent := adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
		_, err := run.Login(ctx, "mail")
		if err == nil || errors.Is(err, adapter.ErrSuspended) {
			return err
		}
		return run.Say(err.Error())
	})
	l := newLab(t, agent, func(o *runner.Options) { o.Logins = &accounts{} })
	l.submit(user("x"))
	l.said("there is no provider named mail")
	l = newLab(t, agent)
	l.submit(user("x"))
	l.said(`adapter: a login at "mail": no providers are configured (Options.Logins)`)
}

// asked is the one interrupt with which the run ends.
func (l *lab) asked() protocol.Interrupt {
	l.t.Helper()
	return interrupts(l.t, l.untilEnd())[0]
}

// said waits for a run that ends well, and has said something at last.
func (l *lab) said(want string) {
	l.t.Helper()
	succeeded(l.t, l.untilEnd())
	l.wellFormed()
	if texts := l.texts(); len(texts) == 0 || texts[len(texts)-1] != want {
		l.t.Errorf("said %q, not %q", texts, want)
	}
}
