package event

import (
	"strings"
	"testing"

	"github.com/aguiws/aguiws/adapter/store"
)

var wait = Wait{store.ThreadKey{Namespace: "acme/user/ann", Thread: "invoice 7"}, "5e0c6a3e", "event:payment#1"}

func TestToken(t *testing.T) {
	secret := []byte("0123456789abcdef0123456789abcdef")
	token := wait.Token(secret)
	if again := wait.Token(secret); again != token {
		t.Errorf("%q and %q", token, again)
	}
	if got, ok := Open(secret, token); !ok || got != wait {
		t.Errorf("%+v %v", got, ok)
	}
	long := wait
	long.Thread = store.ThreadKey{Namespace: strings.Repeat("n", 1024), Thread: strings.Repeat("t", 1024)}
	if got, ok := Open(secret, long.Token(secret)); !ok || got != long {
		t.Error("a token of the longest names cannot be read")
	}
	if _, ok := Open([]byte("another"), token); ok {
		t.Error("another secret reads it")
	}
	for i := range token {
		changed := []byte(token)
		if changed[i]++; changed[i] == token[i] {
			continue
		}
		if _, ok := Open(secret, string(changed)); ok {
			t.Errorf("changed at %d it is read", i)
		}
	}
	for _, none := range []string{"", token[:20], token[:len(token)-2], token + "AA", strings.Repeat("A", MaxToken+1)} {
		if _, ok := Open(secret, none); ok {
			t.Errorf("%.40q is read", none)
		}
	}
	others := map[string]bool{token: true, wait.Interrupt(): true}
	for _, other := range []Wait{
		{store.ThreadKey{Namespace: "acme/user/bob", Thread: "invoice 7"}, wait.Execution, wait.Key},
		{store.ThreadKey{Namespace: "acme/user/ann", Thread: "invoice 8"}, wait.Execution, wait.Key},
		{wait.Thread, "5e0c6a3f", wait.Key},
		{wait.Thread, wait.Execution, "event:payment#2"},
	} {
		if others[other.Token(secret)] {
			t.Errorf("%+v has the token of another", other)
		}
		others[other.Token(secret)] = true
	}
	if (Wait{Execution: "a", Key: "bc"}).Interrupt() == (Wait{Execution: "ab", Key: "c"}).Interrupt() {
		t.Error("two waits have one interrupt")
	}
}

func FuzzOpen(f *testing.F) {
	secret := []byte("0123456789abcdef0123456789abcdef")
	f.Add(wait.Token(secret))
	f.Add("AAAA")
	f.Fuzz(func(t *testing.T, token string) {
		if got, ok := Open(secret, token); ok && got.Token(secret) != token {
			t.Errorf("%q is taken for %+v", token, got)
		}
	})
}
