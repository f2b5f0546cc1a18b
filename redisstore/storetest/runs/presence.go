package runs

import (
	"bytes"
	"io"
	"slices"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/storetest/stage"
)

// offers makes a node take runs of these agents and of no others.
func offers(e *stage.Env, s store.Store, agents ...string) {
	e.Helper()
	if err := s.Offer(e.Context(), agents); err != nil {
		e.Fatal(err)
	}
}

// takers asks a node how many others take runs of each agent.
func takers(e *stage.Env, s store.Store, agents ...string) []int {
	e.Helper()
	takers, err := s.Takers(e.Context(), agents)
	if err != nil {
		e.Fatal(err)
	}
	return takers
}

// counts fails the test unless a node finds so many others.
func counts(e *stage.Env, what string, s store.Store, want ...int) {
	e.Helper()
	if got := takers(e, s, "", "one", "two *"); !slices.Equal(got, want) {
		e.Errorf("%s: the takers are %v, want %v", what, got, want)
	}
}

var PresenceTests = []stage.Test{
	{"the nodes of a store share a secret that stays", func(e *stage.Env) {
		secret := e.Node("a").Secret()
		if len(secret) != 32 || !bytes.Equal(secret, e.Node("b").Secret()) || bytes.Equal(secret, make([]byte, 32)) {
			e.Errorf("secrets of %d bytes differ, or are none", len(secret))
		}
	}},
	{"a node counts the others that take runs of an agent, and not itself", func(e *stage.Env) {
		a, b, c := e.Node("a"), e.Node("b"), e.Node("c")
		counts(e, "nobody has said anything", a, 0, 0, 0)
		offers(e, a, "", "one")
		counts(e, "alone", a, 0, 0, 0)
		counts(e, "seen from another", b, 1, 1, 0)
		offers(e, b, "", "two *")
		counts(e, "the first of two", a, 1, 0, 1)
		counts(e, "the second of two", b, 1, 1, 0)
		counts(e, "one that takes nothing", c, 2, 1, 1)
		stranger := stage.NewEnv(e.T, e.Open)
		counts(stranger, "another installation", stranger.Node("a"), 0, 0, 0)
		if got := takers(e, c); len(got) != 0 {
			e.Errorf("of no agents there are takers: %v", got)
		}
	}},
	{"a node that takes other runs, or none, is counted so from then on", func(e *stage.Env) {
		a, b := e.Node("a"), e.Node("b")
		for range 3 {
			offers(e, b, "", "one")
			counts(e, "two agents", a, 1, 1, 0)
			offers(e, b, "one", "two *")
			counts(e, "two others", a, 0, 1, 1)
			offers(e, b, "one", "two *")
			counts(e, "the same once more", a, 0, 1, 1)
			offers(e, b)
			counts(e, "none", a, 0, 0, 0)
		}
		// Two that stop taking runs at the same time find nobody.
		offers(e, a, "")
		offers(e, b, "")
		offers(e, a)
		offers(e, b)
		counts(e, "the first to stop", a, 0, 0, 0)
		counts(e, "the second", b, 0, 0, 0)
	}},
	{"a node that is gone takes nothing", func(e *stage.Env) {
		a, b := e.Node("a"), e.Node("b")
		offers(e, b, "one")
		counts(e, "there", a, 0, 1, 0)
		gone, ok := b.(io.Closer)
		if !ok {
			e.Skip("the store cannot be closed")
		}
		if err := gone.Close(); err != nil {
			e.Fatal(err)
		}
		th := e.On(a, "t")
		stage.Eventually(th, "nobody takes runs", func() bool { return takers(e, a, "one")[0] == 0 })
		if err := b.Offer(e.Context(), []string{"one"}); err == nil {
			e.Error("a store that is closed offers")
		}
		if _, err := b.Takers(e.Context(), []string{"one"}); err == nil {
			e.Error("a store that is closed counts")
		}
	}},
}
