package redisstore

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/anishathalye/porcupine"
)

// request is a call of the store on one thread, as the model reads it.
type request struct {
	thread string
	kind   string // read, begin, claim, activate, end, checkpoint, renew or handback
	how    string // begin: queue, new, resume or steer; end: suspend or finish

	version               int64
	run, token, execution string
	number, expect, from  int64

	// The clock stood somewhere from early to late when the call was made.
	early, late int64
}

// answer is what the caller was told. A call without an answer may have been
// carried out, or not yet.
type answer struct {
	unknown bool
	verdict string

	version, seq    int64
	snapshot        int64
	run, exe, queue string
	claimed, ready  bool
	attempts        int
}

// threadSpec is one thread in the hands of one caller at a time. Times are ticks
// of the test's clock, of which a lease lasts just less than one.
type threadSpec struct {
	version, seq int64
	snapshot     int64
	run, token   string // the claimed dispatch; a token "" is nobody's
	kind         string // how it was claimed: begun, queued or takeover
	opened       bool
	number       int64 // of the claim's last batch
	attempts     int
	lease        int64 // the last tick in which the claim holds
	exe, asking  string
	queue        []string
	tried        map[string]int   // by waiting run: its claims before
	admitted     map[string]int64 // by run: the log's end before
	ended        map[string]ended
}

type ended struct {
	token  string
	number int64
	seq    int64
	ready  bool
}

// clone lets the next state be written without touching this one.
func (s *threadSpec) clone() *threadSpec {
	c := *s
	c.queue, c.tried, c.admitted, c.ended = slices.Clone(s.queue), maps.Clone(s.tried), maps.Clone(s.admitted), maps.Clone(s.ended)
	return &c
}

func (s *threadSpec) equal(o *threadSpec) bool {
	return s.version == o.version && s.seq == o.seq && s.snapshot == o.snapshot && s.run == o.run && s.token == o.token && s.kind == o.kind &&
		s.opened == o.opened && s.number == o.number && s.attempts == o.attempts && s.lease == o.lease &&
		s.exe == o.exe && s.asking == o.asking && slices.Equal(s.queue, o.queue) && maps.Equal(s.tried, o.tried) &&
		maps.Equal(s.admitted, o.admitted) && maps.Equal(s.ended, o.ended)
}

// apply carries a request out at a time, and returns the state after it.
func (s *threadSpec) apply(q *request, now int64) (*threadSpec, answer) {
	switch q.kind {
	case "read":
		return s, answer{version: s.version, seq: s.seq, snapshot: s.snapshot, run: s.run, exe: s.asking, queue: strings.Join(s.queue, " ")}
	case "begin":
		return s.begin(q, now)
	case "claim":
		return s.claim(q, now)
	case "activate":
		return s.activate(q)
	case "end":
		return s.end(q)
	case "checkpoint":
		return s.checkpoint(q)
	case "renew", "handback":
		return s.renew(q, now)
	}
	panic("the model knows no " + q.kind)
}

func (s *threadSpec) begin(q *request, now int64) (*threadSpec, answer) {
	resumes := q.how == "resume" || q.how == "steer"
	if at, known := s.admitted[q.run]; known {
		return s, answer{verdict: "accepted", seq: at, claimed: s.holds(q)}
	}
	switch {
	case q.version != s.version:
		return s, answer{verdict: "stale", seq: s.seq}
	case q.how == "queue":
	case s.run != "", s.asking != "" && !resumes, s.asking == "" && resumes, q.how == "resume" && s.exe != q.execution:
		return s, answer{verdict: "refused"}
	}
	n := s.clone()
	n.version++
	n.admitted[q.run] = s.seq
	a := answer{verdict: "accepted", seq: s.seq}
	if q.how == "queue" {
		n.queue = append(n.queue, q.run)
		return n, a
	}
	n.seq++
	n.run, n.token, n.kind, n.opened, n.number, n.attempts, n.lease = q.run, q.token, "begun", true, 1, 1, now
	n.exe, n.asking = q.execution, ""
	a.claimed = true
	return n, a
}

func (s *threadSpec) claim(q *request, now int64) (*threadSpec, answer) {
	held := func(s *threadSpec) answer {
		verdict := "takeover"
		if s.kind == "queued" {
			verdict = "queued"
		}
		return answer{verdict: verdict, run: s.run, attempts: s.attempts}
	}
	if s.run != "" && s.token == q.token {
		return s, held(s)
	}
	n := s.clone()
	switch {
	case s.run != "" && now <= s.lease, s.run == "" && (s.asking != "" || len(s.queue) == 0):
		return s, answer{verdict: "nothing"}
	case s.run == "":
		n.run, n.queue, n.opened = s.queue[0], n.queue[1:], false
		n.attempts = n.tried[n.run]
		delete(n.tried, n.run)
	}
	n.version++
	n.token, n.number, n.attempts, n.lease = q.token, 0, n.attempts+1, now
	if n.kind = "queued"; n.opened {
		n.kind = "takeover"
	}
	return n, held(n)
}

func (s *threadSpec) holds(q *request) bool {
	return s.run == q.run && s.token == q.token && q.token != ""
}

func (s *threadSpec) activate(q *request) (*threadSpec, answer) {
	switch {
	case !s.holds(q):
		return s, answer{verdict: "fenced"}
	case s.number == 1:
		return s, answer{verdict: "ok", seq: s.seq}
	case s.number > 1 || s.opened:
		return s, answer{verdict: "mismatch"}
	}
	n := s.clone()
	n.version++
	n.seq++
	n.opened, n.number, n.exe = true, 1, q.execution
	return n, answer{verdict: "ok", seq: n.seq}
}

func (s *threadSpec) end(q *request) (*threadSpec, answer) {
	if e, known := s.ended[q.run]; known && e.token == q.token && e.number == q.number {
		return s, answer{verdict: "ok", seq: e.seq, ready: e.ready}
	}
	switch {
	case q.expect > s.seq:
		return s, answer{verdict: "ahead"}
	case !s.holds(q):
		return s, answer{verdict: "fenced"}
	case q.number > s.number+1:
		return s, answer{verdict: "ahead"}
	case q.number <= s.number || q.expect != s.seq:
		return s, answer{verdict: "mismatch"}
	}
	n := s.clone()
	n.version++
	n.seq++
	n.run, n.token, n.kind, n.opened, n.number, n.attempts, n.lease = "", "", "", false, 0, 0, 0
	a := answer{verdict: "ok", seq: n.seq}
	if q.how == "suspend" {
		n.asking = n.exe
	} else {
		n.exe, a.ready = "", len(n.queue) > 0
	}
	n.ended[q.run] = ended{q.token, q.number, n.seq, a.ready}
	return n, a
}

func (s *threadSpec) checkpoint(q *request) (*threadSpec, answer) {
	switch {
	case s.snapshot == q.expect:
		return s, answer{verdict: "moved"}
	case s.run != "", s.exe != "", s.version != q.version, s.snapshot != q.from, s.seq != q.expect:
		return s, answer{verdict: "no"}
	}
	n := s.clone()
	n.version++
	n.snapshot = s.seq
	return n, answer{verdict: "moved"}
}

func (s *threadSpec) renew(q *request, now int64) (*threadSpec, answer) {
	if !s.holds(q) {
		return s, answer{verdict: "lost"}
	}
	n := s.clone()
	attempts := max(s.attempts-1, 0)
	switch {
	case q.kind == "renew":
		n.lease = now
	case s.opened: // the thread stays this run's
		n.version++
		n.lease, n.token, n.number, n.attempts = -1, "", 0, attempts
	default:
		n.version++
		n.queue = slices.Insert(n.queue, 0, s.run)
		if attempts > 0 {
			n.tried[s.run] = attempts
		}
		n.run, n.token, n.kind, n.number, n.attempts, n.lease = "", "", "", 0, 0, 0
	}
	return n, answer{verdict: "held"}
}

// told is what the caller learns of an answer.
func told(q *request, a answer) answer {
	if q.kind == "handback" { // it says nothing
		return answer{}
	}
	if q.kind != "read" && a.verdict != "ok" && a.verdict != "accepted" {
		a.seq = 0
	}
	return a
}

// linear is the specification: each call takes effect at one instant between its
// beginning and its end.
func linear() porcupine.Model {
	m := porcupine.NondeterministicModel{
		Partition: func(history []porcupine.Operation) [][]porcupine.Operation {
			threads := map[string][]porcupine.Operation{}
			for _, o := range history {
				name := o.Input.(*request).thread
				threads[name] = append(threads[name], o)
			}
			return slices.Collect(maps.Values(threads))
		},
		Init: func() []any {
			return []any{&threadSpec{tried: map[string]int{}, admitted: map[string]int64{}, ended: map[string]ended{}}}
		},
		Step: func(state, input, output any) []any {
			q, want := input.(*request), output.(answer)
			var next []any
			for now := q.early; now <= q.late; now++ {
				if s, a := state.(*threadSpec).apply(q, now); want.unknown || told(q, a) == want {
					next = append(next, s)
				}
			}
			return next
		},
		Equal:             func(a, b any) bool { return a.(*threadSpec).equal(b.(*threadSpec)) },
		Hash:              func(s any) uint64 { return uint64(s.(*threadSpec).version)<<32 | uint64(s.(*threadSpec).seq) },
		DescribeOperation: func(in, out any) string { return describe(in.(*request), out.(answer)) },
	}
	return m.ToModel()
}

func describe(q *request, a answer) string {
	if a.unknown {
		return fmt.Sprintf("%+v: unanswered", *q)
	}
	return fmt.Sprintf("%+v: %+v", *q, a)
}
