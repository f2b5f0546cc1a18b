// Package stage holds what the tests of a store stand on: an installation of nodes, threads
// that are seen through one of them, and the moves that a test makes (begin, claim, commit,
// nack). It promises nothing of a store.
package stage

import (
	"crypto/rand"
	"testing"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
)

// Node says which store a subtest wants.
type Node struct {
	Space   string           // stores of one space see the same threads
	ID      string           // the node's id
	Lease   time.Duration    // of claims
	Retain  int              // events in a log at rest; 0: the store's default
	Bytes   int              // of events in a log at rest; 0: the store's default
	Age     time.Duration    // of events in a log; 0: the store's default
	Large   int              // bytes of an event that is stored apart; 0: the store's default
	Keep    time.Duration    // of runs that ended; 0: the store's default
	Notices int              // that are kept; 0: the store's default
	Records time.Duration    // for which decisions are on record; 0: the store's default
	TTL     time.Duration    // of threads at rest; 0: for ever
	History string           // stands for the history of the data; "": the store finds out
	Clock   func() time.Time // stands for the store's clock; nil: its own
}

// Open opens a store and closes it when the test ends.
type Open func(t testing.TB, n Node) store.Store

type Test = struct {
	Name string
	Run  func(e *Env)
}

// Env is one subtest's installation.
type Env struct {
	*testing.T
	Open    Open
	Space   string
	Lease   time.Duration
	Retain  int
	Bytes   int // and so on, as in Node
	Age     time.Duration
	Large   int
	Keep    time.Duration
	TTL     time.Duration
	Notices int
	Records time.Duration
	History string
	Clock   *Clock
}

func NewEnv(t *testing.T, open Open) *Env {
	return &Env{T: t, Open: open, Space: "t" + rand.Text()[:8], Lease: 10 * time.Second}
}

// Clock is a store's clock that stands until it is moved.
type Clock struct{ now chan time.Time }

func newClock() *Clock {
	c := &Clock{make(chan time.Time, 1)}
	c.now <- time.UnixMilli(1_700_000_000_000)
	return c
}

func (c *Clock) Read() time.Time {
	now := <-c.now
	c.now <- now
	return now
}

func (c *Clock) Move(d time.Duration) { c.now <- (<-c.now).Add(d) }

// Stopped gives the subtest's nodes a clock that stands still.
func (e *Env) Stopped() *Clock {
	e.Clock = newClock()
	return e.Clock
}

func (e *Env) Node(id string) store.Store {
	e.Helper()
	n := Node{Space: e.Space, ID: id, Lease: e.Lease, Retain: e.Retain, Bytes: e.Bytes, Age: e.Age, Large: e.Large,
		Keep: e.Keep, Notices: e.Notices, Records: e.Records, TTL: e.TTL, History: e.History}
	if e.Clock != nil {
		n.Clock = e.Clock.Read
	}
	return e.Open(e.T, n)
}

// Thread is a thread seen through one node, with calls that must not fail.
type Thread struct {
	*Env
	Store store.Store
	Key   store.ThreadKey
}

// Thread returns a fresh thread on a fresh node.
func (e *Env) Thread() *Thread {
	e.Helper()
	return e.On(e.Node("a"), "t")
}

func (e *Env) On(s store.Store, id string) *Thread {
	return &Thread{e, s, store.ThreadKey{Namespace: "space", Thread: id}}
}

// From is the same thread through another node.
func (th *Thread) From(s store.Store) *Thread { return &Thread{th.Env, s, th.Key} }
