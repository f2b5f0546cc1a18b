package login

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/operate"
	"github.com/aguiws/aguiws/adapter/store"
)

// givingOut is a provider that gives a token for every code.
func givingOut(t *testing.T) *httptest.Server {
	var given atomic.Int32
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"access_token":"a%d","token_type":"bearer"}`, given.Add(1))
	}))
	t.Cleanup(s.Close)
	return s
}

// tab is a browser's tab that is at a flow.
type tab struct {
	*Desk
	begun  Begun
	state  string
	scopes []string
}

func begins(t *testing.T, d *Desk, r *askingRunner, scopes ...string) tab {
	t.Helper()
	of := ofAnn
	of.Scopes = scopes
	r.open = operate.OpenInterrupt{ID: "i", Login: &of}
	begun, err := d.Begin(within(t), Visitor{Thread: store.ThreadKey{Namespace: "n", Thread: "t"}, Interrupt: "i", User: of.User})
	if err != nil {
		t.Fatal(err)
	}
	to, err := url.Parse(begun.URL)
	if err != nil {
		t.Fatal(err)
	}
	return tab{d, begun, to.Query().Get("state"), strings.Fields(to.Query().Get("scope"))}
}

func (b *tab) returns(t *testing.T, with string) error {
	t.Helper()
	back := httptest.NewRequest(http.MethodGet, "/login/callback/git?"+with+"&state="+b.state, nil)
	back.AddCookie(b.begun.Cookie)
	_, err := b.Return(within(t), "git", "", nil, back)
	return err
}

// Of two flows that are under way at once neither takes from the other what it was for,
// whichever ends first.
func TestTwoFlowsAtOnce(t *testing.T) {
	for _, firstEnds := range []bool{true, false} {
		st, r := embedded(t), new(askingRunner)
		at := givingOut(t).URL
		s := service(t, st, at, sealerOf(t, keyOf(1)), nil)
		first := begins(t, NewDesk(s, r), r, "repo")
		second := begins(t, NewDesk(service(t, st, at, sealerOf(t, keyOf(1)), nil), r), r, "mail") // on another server
		if !slices.Equal(first.scopes, []string{"repo"}) || !slices.Equal(second.scopes, []string{"mail", "repo"}) {
			t.Fatalf("they ask for %q and %q", first.scopes, second.scopes)
		}
		order := []tab{first, second}
		if !firstEnds {
			slices.Reverse(order)
		}
		for _, each := range order {
			if err := each.returns(t, "code=x"); err != nil {
				t.Fatal(err)
			}
		}
		for _, scope := range []string{"repo", "mail"} {
			of := ofAnn
			of.Scopes = []string{scope}
			if has, err := s.Has(within(t), of); err != nil || !has {
				t.Errorf("the first ends first: %t: nothing has %s: %v", firstEnds, scope, err)
			}
		}
	}
}

// Flows that two servers begin at the same moment know nothing of each other: the last
// token stays, and who lacks something is asked for both.
func TestTwoFlowsThatKnowNothingOfEachOther(t *testing.T) {
	st, r := embedded(t), new(askingRunner)
	s := service(t, st, givingOut(t).URL, sealerOf(t, keyOf(1)), nil)
	d := NewDesk(s, r)
	first := begins(t, d, r, "repo")
	d.forgetUnderWay(within(t), s.providers["git"], ofAnn.User)
	second := begins(t, d, r, "mail")
	d.forgetUnderWay(within(t), s.providers["git"], ofAnn.User)
	for _, each := range []tab{first, second} {
		if err := each.returns(t, "code=x"); err != nil {
			t.Fatal(err)
		}
	}
	if third := begins(t, d, r, "repo"); !slices.Equal(third.scopes, []string{"mail", "repo"}) {
		t.Errorf("the next one asks for %q", third.scopes)
	}
}

// What was declined is not asked for along with something else.
func TestDeclinedScopesAreNotAskedFor(t *testing.T) {
	r := new(askingRunner)
	d := NewDesk(service(t, embedded(t), givingOut(t).URL, sealerOf(t, keyOf(1)), nil), r)
	first := begins(t, d, r, "repo")
	if err := first.returns(t, "error=access_denied"); err != problemDenied {
		t.Fatal(err)
	}
	if next := begins(t, d, r, "mail"); !slices.Equal(next.scopes, []string{"mail"}) {
		t.Errorf("the next one asks for %q", next.scopes)
	}
}

// Who comes back to a question that was cancelled while the code was exchanged is told that
// the account is connected all the same.
func TestCancelledDuringTheExchange(t *testing.T) {
	for code, want := range map[string]*Problem{adapter.CodeUnknownInterrupt: problemLate, adapter.CodeExpired: problemLate, adapter.CodeStoreUnavailable: problemBusy} {
		r := new(askingRunner)
		s := service(t, embedded(t), givingOut(t).URL, sealerOf(t, keyOf(1)), nil)
		b := begins(t, NewDesk(s, r), r, "repo")
		r.refuses = code
		if err := b.returns(t, "code=x"); err != want || !want.Stored {
			t.Errorf("%s: %v", code, err)
		}
		if has, err := s.Has(within(t), ofAnn); err != nil || !has {
			t.Errorf("%s: the account is not connected: %v", code, err)
		}
	}
}
