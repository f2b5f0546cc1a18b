package storetest

import (
	"crypto/rand"
	"testing"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/internal/suite"
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

// Run runs the contract. Subtests run one after the other.
func Run(t *testing.T, open Open) {
	for _, g := range groups {
		t.Run(g.name, func(t *testing.T) {
			for _, tt := range g.tests {
				t.Run(tt.name, func(t *testing.T) {
					tt.run(newEnv(t, open))
				})
			}
		})
	}
}

// groups are all that Run runs.
var groups = []struct {
	name  string
	tests []test
}{
	{"Read", readTests}, {"Begin", beginTests}, {"Commit", commitTests}, {"End", endTests}, {"Resume", resumeTests}, {"Headers", headerTests},
	{"Expire", expireTests}, {"Claim", claimTests}, {"Work", workTests}, {"Stop", stopTests}, {"Join", joinTests}, {"Checkpoint", checkpointTests}, {"Follow", followTests}, {"Retry", retryTests}, {"History", historyTests},
	{"Inbox", inboxTests}, {"InboxOf", inboxOfTests}, {"Threads", threadsTests}, {"ThreadQuery", threadQueryTests}, {"Drafts", draftsTests}, {"Review", reviewTests}, {"Delete", deleteTests},
	{"Retire", retireTests}, {"Large", largeTests}, {"Messages", messageTests}, {"Page", pageTests}, {"Presence", presenceTests},
	{"Dispatch", dispatchTests}, {"Queue", queueTests}, {"Dedupe", dedupeTests}, {"Nack", nackTests}, {"Interrupt", stopAllTests},
	{"DeadLetters", deadLetterTests}, {"Retention", retentionTests}, {"Branches", branchTests}, {"Quotas", quotaTests}, {"Notices", noticeTests}, {"Decisions", decisionTests}, {"Withdrawn", withdrawnTests}, {"Logins", loginTests}, {"Payloads", payloadTests}, {"Tree", treeTests}, {"TreeWalk", treeWalkTests}, {"TreeMade", treeMadeTests}, {"TreePlay", treePlayTests}, {"Stress", stressTests}, {"Invariant", invariantTests},
}

// scaled returns a test's size: the second in the full suite.
func scaled(short, full int) int {
	if suite.IsFull() {
		return full
	}
	return short
}

type test struct {
	name string
	run  func(e *env)
}

// env is one subtest's installation.
type env struct {
	*testing.T
	open    Open
	space   string
	lease   time.Duration
	retain  int
	bytes   int // and so on, as in Node
	age     time.Duration
	large   int
	keep    time.Duration
	ttl     time.Duration
	notices int
	records time.Duration
	history string
	clock   *clock
}

func newEnv(t *testing.T, open Open) *env {
	return &env{T: t, open: open, space: "t" + rand.Text()[:8], lease: 10 * time.Second}
}

// clock is a store's clock that stands until it is moved.
type clock struct{ now chan time.Time }

func newClock() *clock {
	c := &clock{make(chan time.Time, 1)}
	c.now <- time.UnixMilli(1_700_000_000_000)
	return c
}

func (c *clock) read() time.Time {
	now := <-c.now
	c.now <- now
	return now
}

func (c *clock) move(d time.Duration) { c.now <- (<-c.now).Add(d) }

// stopped gives the subtest's nodes a clock that stands still.
func (e *env) stopped() *clock {
	e.clock = newClock()
	return e.clock
}

func (e *env) node(id string) store.Store {
	e.Helper()
	n := Node{Space: e.space, ID: id, Lease: e.lease, Retain: e.retain, Bytes: e.bytes, Age: e.age, Large: e.large,
		Keep: e.keep, Notices: e.notices, Records: e.records, TTL: e.ttl, History: e.history}
	if e.clock != nil {
		n.Clock = e.clock.read
	}
	return e.open(e.T, n)
}

// thread is a thread seen through one node, with calls that must not fail.
type thread struct {
	*env
	s   store.Store
	key store.ThreadKey
}

// thread returns a fresh thread on a fresh node.
func (e *env) thread() *thread {
	e.Helper()
	return e.on(e.node("a"), "t")
}

func (e *env) on(s store.Store, id string) *thread {
	return &thread{e, s, store.ThreadKey{Namespace: "space", Thread: id}}
}

// from is the same thread through another node.
func (th *thread) from(s store.Store) *thread { return &thread{th.env, s, th.key} }
