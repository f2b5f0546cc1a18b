package storetest

import (
	"bytes"
	"io"
	"slices"

	"github.com/aguiws/aguiws/adapter/store"
)

// offers makes a node take runs of these agents and of no others.
func (e *env) offers(s store.Store, agents ...string) {
	e.Helper()
	if err := s.Offer(e.Context(), agents); err != nil {
		e.Fatal(err)
	}
}

// takers asks a node how many others take runs of each agent.
func (e *env) takers(s store.Store, agents ...string) []int {
	e.Helper()
	takers, err := s.Takers(e.Context(), agents)
	if err != nil {
		e.Fatal(err)
	}
	return takers
}

// counts fails the test unless a node finds so many others.
func (e *env) counts(what string, s store.Store, want ...int) {
	e.Helper()
	if got := e.takers(s, "", "one", "two *"); !slices.Equal(got, want) {
		e.Errorf("%s: the takers are %v, want %v", what, got, want)
	}
}

var presenceTests = []test{
	{"the nodes of a store share a secret that stays", func(e *env) {
		secret := e.node("a").Secret()
		if len(secret) != 32 || !bytes.Equal(secret, e.node("b").Secret()) || bytes.Equal(secret, make([]byte, 32)) {
			e.Errorf("secrets of %d bytes differ, or are none", len(secret))
		}
	}},
	{"a node counts the others that take runs of an agent, and not itself", func(e *env) {
		a, b, c := e.node("a"), e.node("b"), e.node("c")
		e.counts("nobody has said anything", a, 0, 0, 0)
		e.offers(a, "", "one")
		e.counts("alone", a, 0, 0, 0)
		e.counts("seen from another", b, 1, 1, 0)
		e.offers(b, "", "two *")
		e.counts("the first of two", a, 1, 0, 1)
		e.counts("the second of two", b, 1, 1, 0)
		e.counts("one that takes nothing", c, 2, 1, 1)
		stranger := newEnv(e.T, e.open)
		stranger.counts("another installation", stranger.node("a"), 0, 0, 0)
		if got := e.takers(c); len(got) != 0 {
			e.Errorf("of no agents there are takers: %v", got)
		}
	}},
	{"a node that takes other runs, or none, is counted so from then on", func(e *env) {
		a, b := e.node("a"), e.node("b")
		for range 3 {
			e.offers(b, "", "one")
			e.counts("two agents", a, 1, 1, 0)
			e.offers(b, "one", "two *")
			e.counts("two others", a, 0, 1, 1)
			e.offers(b, "one", "two *")
			e.counts("the same once more", a, 0, 1, 1)
			e.offers(b)
			e.counts("none", a, 0, 0, 0)
		}
		// Two that stop taking runs at the same time find nobody.
		e.offers(a, "")
		e.offers(b, "")
		e.offers(a)
		e.offers(b)
		e.counts("the first to stop", a, 0, 0, 0)
		e.counts("the second", b, 0, 0, 0)
	}},
	{"a node that is gone takes nothing", func(e *env) {
		a, b := e.node("a"), e.node("b")
		e.offers(b, "one")
		e.counts("there", a, 0, 1, 0)
		gone, ok := b.(io.Closer)
		if !ok {
			e.Skip("the store cannot be closed")
		}
		if err := gone.Close(); err != nil {
			e.Fatal(err)
		}
		th := e.on(a, "t")
		eventually(th, "nobody takes runs", func() bool { return e.takers(a, "one")[0] == 0 })
		if err := b.Offer(e.Context(), []string{"one"}); err == nil {
			e.Error("a store that is closed offers")
		}
		if _, err := b.Takers(e.Context(), []string{"one"}); err == nil {
			e.Error("a store that is closed counts")
		}
	}},
}
