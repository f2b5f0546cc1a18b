package login

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aguiws/aguiws/adapter/admission"
	"github.com/aguiws/aguiws/adapter/operate"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
)

// asking is a runner with one interrupt open.
type askingRunner struct {
	mu       sync.Mutex
	open     operate.OpenInterrupt
	answered []operate.LoginAnswer
	refuses  string // a code
}

func (r *askingRunner) Open(_ context.Context, keys []store.ThreadKey) ([]operate.Suspended, error) {
	return []operate.Suspended{{Thread: keys[0], Interrupts: []operate.OpenInterrupt{r.open}}}, nil
}

func (r *askingRunner) AnswerLogin(ctx context.Context, a operate.LoginAnswer) (admission.Admitted, error) {
	if err := ctx.Err(); err != nil {
		return admission.Admitted{}, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.refuses != "" {
		return admission.Admitted{Disposition: admission.Refused, Refusal: &protocol.RunError{Code: r.refuses}}, nil
	}
	r.answered = append(r.answered, a)
	return admission.Admitted{Disposition: admission.Started}, nil
}

// flows keeps flows in memory.
type flows struct {
	store.Logins
	data map[string][]byte
	keep time.Duration // of all that was put, the longest of what is not a note
	by   map[string]string
}

func (f *flows) PutFlow(_ context.Context, id string, data []byte, keep time.Duration) error {
	if f.data[id] = data; len(data) > 100 {
		f.keep = max(f.keep, keep)
	}
	return nil
}
func (f *flows) Flow(_ context.Context, id string) ([]byte, error) { return f.data[id], nil }
func (f *flows) TakeFlow(_ context.Context, id, by string) (store.FlowTaken, error) {
	if f.by[id] != "" {
		return store.FlowTaken{Used: true}, nil
	}
	f.by[id] = by
	return store.FlowTaken{Data: f.data[id]}, nil
}
func (f *flows) Tokens(context.Context, string) ([]store.StoredToken, error) { return nil, nil }

// A flow ends after ten minutes, and says so; the interrupt stays open.
func TestFlowExpires(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		kept := &flows{data: map[string][]byte{}, by: map[string]string{}}
		r := &askingRunner{open: operate.OpenInterrupt{ID: "i", Login: &ofAnn}}
		d := NewDesk(service(t, kept, "http://127.0.0.1:9", sealerOf(t, keyOf(1)), nil), r)
		v := Visitor{Thread: store.ThreadKey{Namespace: "n", Thread: "t"}, Interrupt: "i", User: ofAnn.User}
		begun, err := d.Begin(t.Context(), v)
		if err != nil {
			t.Fatal(err)
		}
		to, err := url.Parse(begun.URL)
		if err != nil {
			t.Fatal(err)
		}
		for name, want := range map[string]string{"code_challenge_method": "S256", "response_type": "code", "redirect_uri": "http://127.0.0.1:1/login/callback/git", "scope": "repo"} {
			if got := to.Query().Get(name); got != want {
				t.Errorf("%s is %q", name, got)
			}
		}
		if age := time.Duration(begun.Cookie.MaxAge) * time.Second; kept.keep != age || age <= flowTime || age > time.Hour {
			t.Errorf("a flow is kept for %v, its cookie for %v", kept.keep, age)
		}
		time.Sleep(flowTime + time.Second)
		back := httptest.NewRequest("GET", "/login/callback/git?code=x&state="+to.Query().Get("state"), nil)
		back.AddCookie(begun.Cookie)
		if _, err := d.Return(t.Context(), "git", "", nil, back); !errors.Is(err, problemExpired) {
			t.Errorf("%v", err)
		}
		if asked, err := d.Asked(t.Context(), v); err != nil || asked.Problem != problemExpired || len(r.answered) > 0 {
			t.Errorf("%+v, %v, answered %v", asked, err, r.answered)
		}
		// Once it has begun anew what went wrong is over.
		if _, err := d.Begin(t.Context(), v); err != nil {
			t.Fatal(err)
		}
		if asked, err := d.Asked(t.Context(), v); err != nil || asked.Problem != nil {
			t.Errorf("%+v, %v", asked, err)
		}
		r.open.Stale = true
		if _, err := d.Begin(t.Context(), v); !errors.Is(err, problemStale) {
			t.Errorf("%v", err)
		}
	})
}

// Whoever closes the tab as soon as the token is stored has logged in all the same.
func TestTabIsClosedEarly(t *testing.T) {
	for _, point := range []string{"login_exchanged", "login_stored"} {
		provider := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write([]byte(`{"access_token":"a","token_type":"bearer"}`))
		}))
		defer provider.Close()
		ctx, leave := context.WithCancel(within(t))
		defer leave()
		r := &askingRunner{open: operate.OpenInterrupt{ID: "i", Login: &ofAnn}}
		s := service(t, embedded(t), provider.URL, sealerOf(t, keyOf(1)), nil)
		s.opts.Hook = func(at string) {
			if at == point {
				leave()
			}
		}
		d := NewDesk(s, r)
		begun, err := d.Begin(ctx, Visitor{Thread: store.ThreadKey{Namespace: "n", Thread: "t"}, Interrupt: "i", User: ofAnn.User})
		if err != nil {
			t.Fatal(err)
		}
		to, _ := url.Parse(begun.URL)
		back := httptest.NewRequest("GET", "/login/callback/git?code=x&state="+to.Query().Get("state"), nil)
		back.AddCookie(begun.Cookie)
		if _, err := d.Return(ctx, "git", "", nil, back); err != nil || len(r.answered) != 1 || ctx.Err() == nil {
			t.Errorf("%s: %v, answered %v", point, err, r.answered)
		}
	}
}

// Over TLS no other host of the site can plant a flow's cookie.
func TestCookieOverTLS(t *testing.T) {
	for public, want := range map[string][2]string{"https://chat.example": {"__Host-aguiws-login-", "/"}, "HTTPS://chat.example/": {"__Host-aguiws-login-", "/"}, "http://127.0.0.1:1": {"aguiws-login-", "/login/callback"},
		"https://example.com/agents/": {"__Host-aguiws-login-", "/"}, "http://127.0.0.1:1/agents": {"aguiws-login-", "/agents/login/callback"}} {
		kept := &flows{data: map[string][]byte{}, by: map[string]string{}}
		s, err := New(kept, Options{Sealer: sealerOf(t, keyOf(1)), PublicURL: public,
			Providers: []Provider{{Name: "git", AuthorizeURL: "https://git.example/a", TokenURL: "https://git.example/t", ClientID: "x"}}})
		if err != nil {
			t.Fatal(err)
		}
		d := NewDesk(s, &askingRunner{open: operate.OpenInterrupt{ID: "i", Login: &ofAnn}})
		begun, err := d.Begin(t.Context(), Visitor{Thread: store.ThreadKey{Namespace: "n", Thread: "t"}, Interrupt: "i", User: ofAnn.User})
		if err != nil {
			t.Fatal(err)
		}
		c := begun.Cookie
		if !strings.HasPrefix(c.Name, want[0]) || c.Path != want[1] || c.Secure != (c.Path == "/") || c.Domain != "" || !c.HttpOnly || c.SameSite != http.SameSiteLaxMode || !IsCookie(c.Name) {
			t.Errorf("%s: %s", public, c)
		}
		to, _ := url.Parse(begun.URL)
		if got, want := to.Query().Get("redirect_uri"), strings.ToLower(strings.TrimSuffix(public, "/"))+"/login/callback/git"; got != want {
			t.Errorf("%s: the redirect URI is %s", public, got)
		}
		back := httptest.NewRequest("GET", "/login/callback/git?error=access_denied&state="+to.Query().Get("state"), nil)
		planted := *c
		planted.Name = strings.TrimPrefix(c.Name, "__Host-") + "x"
		back.AddCookie(&planted)
		if _, err := d.Return(t.Context(), "git", "", nil, back); !errors.Is(err, problemOtherBrowser) {
			t.Errorf("by a cookie of another name: %v", err)
		}
		back.AddCookie(c)
		if _, err := d.Return(t.Context(), "git", "", nil, back); !errors.Is(err, problemDenied) {
			t.Errorf("by its own: %v", err)
		}
	}
}

func TestProblemsSayWhatToDo(t *testing.T) {
	codes := map[string]bool{}
	for _, p := range Problems() {
		if p.What == "" || p.Advice == "" || p.Status < 400 || codes[p.Code] || problemOf(p.Code) != p {
			t.Errorf("%+v", p)
		}
		codes[p.Code] = true
	}
}
