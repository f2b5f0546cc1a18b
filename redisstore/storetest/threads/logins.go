package threads

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/storetest/stage"
)

// logins is a fresh node's; it skips stores that keep none.
func logins(e *stage.Env, node string) store.Logins {
	e.Helper()
	s, ok := e.Node(node).(store.Logins)
	if !ok {
		e.Skip("the store keeps no logins")
	}
	return s
}

func tokens(e *stage.Env, s store.Logins, user string) map[string]string {
	e.Helper()
	list, err := s.Tokens(e.Context(), user)
	if err != nil {
		e.Fatal(err)
	}
	have := map[string]string{}
	for _, t := range list {
		have[t.Provider] = t.Version + " " + string(t.Sealed)
	}
	return have
}

func yes(e *stage.Env, what string, want bool) func(bool, error) {
	return func(got bool, err error) {
		e.Helper()
		if err != nil || got != want {
			e.Errorf("%s: %t, %v", what, got, err)
		}
	}
}

var LoginTests = []stage.Test{
	{"a flow is taken once, by one of many, who finds it again", func(e *stage.Env) {
		nodes := []store.Logins{logins(e, "a"), logins(e, "b")}
		ctx := e.Context()
		if err := nodes[0].PutFlow(ctx, "f1", []byte("\x00data"), time.Hour); err != nil {
			e.Fatal(err)
		}
		if data, err := nodes[1].Flow(ctx, "f1"); err != nil || string(data) != "\x00data" {
			e.Fatalf("%q, %v", data, err)
		}
		var group sync.WaitGroup
		var won atomic.Int32
		var winner atomic.Value
		for i := range 128 {
			group.Go(func() {
				by := fmt.Sprint("by", i)
				taken, err := nodes[i%2].TakeFlow(ctx, "f1", by)
				switch {
				case err != nil:
					e.Error(err)
				case string(taken.Data) == "\x00data" && !taken.Used:
					won.Add(1)
					winner.Store(by)
				case taken.Data != nil || !taken.Used:
					e.Errorf("a loser is told %q, %t", taken.Data, taken.Used)
				}
			})
		}
		group.Wait()
		if won.Load() != 1 {
			e.Fatalf("%d have taken it", won.Load())
		}
		if again, err := nodes[0].TakeFlow(ctx, "f1", winner.Load().(string)); err != nil || string(again.Data) != "\x00data" {
			e.Errorf("sent again: %q, %v", again.Data, err)
		}
	}},
	{"a flow that there is not is neither taken nor used", func(e *stage.Env) {
		s := logins(e, "a")
		taken, err := s.TakeFlow(e.Context(), "never", "by")
		if err != nil || taken.Data != nil || taken.Used {
			e.Errorf("%+v, %v", taken, err)
		}
		if data, err := s.Flow(e.Context(), "never"); err != nil || data != nil {
			e.Errorf("%q, %v", data, err)
		}
	}},
	{"tokens are a user's, by provider, and nobody else's", func(e *stage.Env) {
		a, b := logins(e, "a"), logins(e, "b")
		ctx := e.Context()
		put := func(user, provider, version, data, was string, want bool) {
			e.Helper()
			yes(e, "put "+version, want)(a.PutToken(ctx, user, store.StoredToken{Provider: provider, Version: version, Sealed: []byte(data)}, was, time.Hour))
		}
		put("acme/ann", "git", "v1", "one\x00", "", true)
		put("acme/ann", "mail", "v2", "two", "", true)
		put("other/ann", "git", "v3", "three", "", true)
		put("", "git", "v4", "four", "", true)
		put("acme/ann", "git", "v5", "late", "v0", false)
		put("acme/ann", "git", "v6", "newer", "v1", true)
		put("acme/ann", "git", "v6", "newer", "v1", true) // sent again
		put("acme/bob", "git", "v7", "x", "v1", false)    // none is there
		for user, want := range map[string]string{"acme/ann": "map[git:v6 newer mail:v2 two]", "other/ann": "map[git:v3 three]", "": "map[git:v4 four]", "acme/bob": "map[]"} {
			if got := fmt.Sprint(tokens(e, b, user)); got != want {
				e.Errorf("%q has %s, not %s", user, got, want)
			}
		}
		yes(e, "drop an older one", false)(b.DropToken(ctx, "acme/ann", "git", "v1"))
		yes(e, "drop it", true)(b.DropToken(ctx, "acme/ann", "git", "v6"))
		yes(e, "drop it again", false)(b.DropToken(ctx, "acme/ann", "git", "v6"))
		yes(e, "drop whichever", true)(b.DropToken(ctx, "acme/ann", "mail", ""))
		if got := tokens(e, a, "acme/ann"); len(got) > 0 {
			e.Errorf("ann still has %v", got)
		}
	}},
	{"a put of a token that is sent again undoes neither a deletion nor a later put", func(e *stage.Env) {
		a, b := logins(e, "a"), logins(e, "b")
		ctx := e.Context()
		put := func(s store.Logins, version, was string, want bool) {
			e.Helper()
			yes(e, "put "+version, want)(s.PutToken(ctx, "ann", store.StoredToken{Provider: "git", Version: version, Sealed: []byte("of " + version)}, was, time.Hour))
		}
		holds := func(want string) {
			e.Helper()
			if got := fmt.Sprint(tokens(e, b, "ann")); got != want {
				e.Errorf("ann has %s, not %s", got, want)
			}
		}
		put(a, "v1", "", true)
		yes(e, "drop it", true)(b.DropToken(ctx, "ann", "git", ""))
		put(a, "v1", "", true)
		holds("map[]")
		put(b, "v2", store.NoToken, true)
		put(b, "v1x", store.NoToken, false)
		put(a, "v3", "", true)
		put(b, "v2", "", true)
		put(a, "v1", "", true)
		holds("map[git:v3 of v3]")
		yes(e, "drop it", true)(b.DropToken(ctx, "ann", "git", "v3"))
		put(a, "v3", "v2", true)
		holds("map[]")
		for i := range 20 { // what is known of those before stays small
			put(a, fmt.Sprint("w", i), "", true)
		}
		put(b, "w15", "", true)
		holds("map[git:w19 of w19]")
	}},
	{"one caller at a time works at a token, until its time is over or another version is there", func(e *stage.Env) {
		clock := e.Stopped()
		a, b := logins(e, "a"), logins(e, "b")
		ctx := e.Context()
		token := store.StoredToken{Provider: "git", Version: "v1", Sealed: []byte("x")}
		hold := func(s store.Logins, version, by string, want bool) {
			e.Helper()
			yes(e, by+" holds "+version, want)(s.HoldToken(ctx, "ann", "git", version, by, time.Minute))
		}
		hold(a, "v1", "one", false) // there is none
		yes(e, "put", true)(a.PutToken(ctx, "ann", token, "", time.Hour))
		hold(a, "v1", "one", true)
		hold(a, "v1", "one", true)
		hold(b, "v1", "two", false)
		clock.Move(time.Minute)
		hold(b, "v1", "two", true)
		hold(a, "v1", "one", false)
		token.Version = "v2"
		yes(e, "put", true)(b.PutToken(ctx, "ann", token, "v1", time.Hour))
		hold(a, "v1", "one", false)
		hold(a, "v2", "one", true)
		yes(e, "put again", true)(b.PutToken(ctx, "ann", token, "v1", time.Hour))
		hold(b, "v2", "two", false)
		token.Sealed = []byte("anew")
		yes(e, "seal it anew", true)(b.PutToken(ctx, "ann", token, "v2", time.Hour))
		hold(b, "v2", "two", false)
		if list, err := a.Tokens(ctx, "ann"); err != nil || len(list) != 1 || !slices.Equal(list[0].Sealed, []byte("anew")) {
			e.Errorf("%v, %v", list, err)
		}
	}},
}
