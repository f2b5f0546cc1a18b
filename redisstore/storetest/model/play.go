package model

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"encoding/json"
	"fmt"
	mrand "math/rand/v2"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/storetest/stage"
)

// Play says how Model plays.
type Play struct {
	Operations int
	// Inspect, if set, looks at the whole space every few operations, for what
	// the contract cannot see.
	Inspect func(space string) error
	// Delivered, if set, returns for each thread of the space, by its id, the agents in whose
	// streams it has entries, one for each entry.
	Delivered func(space string, agents []string) (map[string][]string, error)
}

// SeedVariable is the environment variable that makes Model play a game again.
const SeedVariable = "AGUIWS_SEED"

// Model plays random calls of the whole contract, from several nodes, on many
// threads, and holds every answer, and what readers see after it, against a
// model of the threads. Several players do so at a time, each in a space of its
// own.
func Model(t *testing.T, open stage.Open, how Play) {
	seed := playSeed(t)
	t.Logf("%s=%d plays this again", SeedVariable, seed)
	const players = 4
	var group sync.WaitGroup
	var all [players]*player
	for i := range players {
		all[i] = newPlayer(stage.NewEnv(t, open), how, mrand.New(mrand.NewPCG(seed, uint64(i))))
	}
	for _, p := range all {
		group.Go(func() { p.play(how.Operations / players) })
	}
	group.Wait()
	total := map[string]int{}
	for _, p := range all {
		for name, n := range p.played {
			total[name] += n
		}
	}
	t.Logf("played %v", total)
}

func playSeed(t *testing.T) uint64 {
	if given := os.Getenv(SeedVariable); given != "" {
		seed, err := strconv.ParseUint(given, 10, 64)
		if err != nil {
			t.Fatalf("%s: %v", SeedVariable, err)
		}
		return seed
	}
	var b [8]byte
	if _, err := rand.Read(b[:]); err != nil {
		t.Fatal(err)
	}
	return binary.LittleEndian.Uint64(b[:])
}

const (
	playRetain  = 60 // more than one call logs
	playThreads = 5
	playRuns    = 20 // of a thread, after which it is brought to rest and deleted
)

// player plays on threads of its own space.
type player struct {
	e      *stage.Env
	how    Play
	r      *mrand.Rand
	clock  *stage.Clock
	nodes  []store.Store
	games  []*game
	n      int
	played map[string]int
	over   bool

	cursor  string                      // of the notices
	notices map[string]bool             // that were told, by id
	gone    map[string][]string         // that must be told, by thread
	kept    map[string][]store.Decision // on record, of threads that are not played on any more

	mu    sync.Mutex
	heard []store.Delivery
}

// game is one thread with its model.
type game struct {
	*model
	witness witness
	sent    []move        // calls that may be sent again
	claims  []store.Claim // that were once held
	trace   []traced
	entry   string   // the latest that was delivered
	ids     []string // of its messages
	tidy    bool     // its messages are those that its order names
	places  []place  // where messages were read up to
}

// traced is a call as it was made.
type traced struct {
	node, name string
	args       any
}

// move is one call: how to send it, and what it must answer; refused: an error.
type move struct {
	name string
	args any
	send func(s store.Store) (any, error)
	want func(node string) (answer any, refused bool)
	// same reports whether sending it again is still the same call: the token of
	// a claim that was given up must not name another one. Nil: it always is.
	same func() bool
}

func newPlayer(e *stage.Env, how Play, r *mrand.Rand) *player {
	p := &player{e: e, how: how, r: r, clock: e.Stopped(), played: map[string]int{},
		notices: map[string]bool{}, gone: map[string][]string{}, kept: map[string][]store.Decision{}}
	e.Retain = playRetain
	for _, id := range []string{"a", "b", "c"} {
		s := e.Node(id)
		s.Listen(func(d store.Delivery) {
			p.mu.Lock()
			defer p.mu.Unlock()
			d.Events = slices.Clone(d.Events)
			p.heard = append(p.heard, d)
		})
		p.nodes = append(p.nodes, s)
	}
	page, err := p.nodes[0].Notices(p.ctx(), store.NoticeQuery{})
	if err != nil {
		e.Fatal(err)
	}
	p.cursor = page.Next
	for range playThreads {
		p.games = append(p.games, p.newGame())
	}
	return p
}

func (p *player) next() int { p.n++; return p.n }

func (p *player) newGame() *game {
	return p.on(store.ThreadKey{Namespace: "play", Thread: fmt.Sprint("t", p.next())})
}

// on is a game on a thread that is not used yet.
func (p *player) on(key store.ThreadKey) *game {
	g := &game{model: newModel(key, p.e.Lease, playRetain), ids: p.messageIDs(), tidy: !p.one(4)}
	v, err := p.nodes[0].Read(p.ctx(), key, store.ReadQuery{Follower: true})
	if err != nil || v.Seq != 0 || len(v.Labelled)+len(v.Queue) > 0 || v.Active != nil || v.Latest != nil || v.Suspension != nil {
		p.fail(g, fmt.Sprintf("a thread that is not used reads as %s, %v", printed(v), err))
		return g
	}
	g.epoch, g.version, g.dispatchEpoch, g.deleted = v.Epoch, v.Version, v.DispatchEpoch, v.Deleted
	return g
}

func (p *player) play(operations int) {
	for i := 0; i < operations && !p.over; i++ {
		g := p.games[p.r.IntN(len(p.games))]
		if len(g.begun) >= playRuns && p.r.IntN(4) == 0 {
			p.leave(g)
			continue
		}
		g.now = p.clock.Read()
		m := p.choose(g)
		if n := len(g.sent); n > 0 && p.r.IntN(12) == 0 {
			if again := g.sent[p.r.IntN(n)]; again.same == nil || again.same() {
				m = again
			}
		}
		p.make(g, m)
		if i%8 == 0 && !p.over {
			p.listen()
			p.mailbox()
		}
		if i%32 == 0 && !p.over {
			p.survey()
		}
		if i%128 == 0 && !p.over {
			p.browse()
			p.records()
		}
	}
	for _, g := range p.games {
		p.finishAll(g)
	}
	p.listen()
	p.all()
}

// make sends a call, and compares.
func (p *player) make(g *game, m move) {
	node := p.nodes[p.r.IntN(len(p.nodes))]
	g.now = p.clock.Read()
	g.decided = false
	p.played[m.name]++
	g.trace = append(g.trace, traced{node.Node(), m.name, m.args})
	got, err := m.send(node)
	want, refused := m.want(node.Node())
	switch {
	case (err != nil) != refused:
		p.fail(g, fmt.Sprintf("error %v, wanted one: %t", err, refused))
		return
	case err == nil:
		if difference := alike(got, want); difference != "" {
			p.fail(g, "answered "+difference)
			return
		}
	}
	if m.name != "clock" && m.want != nil {
		g.sent = append(g.sent, m)
		if len(g.sent) > 24 {
			g.sent = g.sent[1:]
		}
	}
	p.check(g, node)
}

func (p *player) fail(g *game, what string) {
	p.over = true
	var last strings.Builder
	for _, c := range g.trace[max(0, len(g.trace)-12):] {
		fmt.Fprintf(&last, "%s %s %.2000s\n", c.node, c.name, printed(c.args))
	}
	p.e.Errorf("thread %s: %s\nafter\n%s", g.key.Thread, what, last.String())
}

// leave deletes the thread, once that is possible, or erases it, and plays on one of its
// key or on another.
func (p *player) leave(g *game) {
	free := g.active == nil && len(g.queued) == 0
	switch {
	case !free && !p.deletes(g, false):
		return
	case p.one(4):
		if !p.erases(g) {
			return
		}
	default:
		if !free || p.one(2) {
			p.finishAll(g)
		}
		if p.over || !p.deletes(g, true) {
			return
		}
	}
	g.now = p.clock.Read()
	g.erased()
	p.note(g)
	next := p.on(g.key)
	if next.recorded = g.recorded; p.one(4) {
		if err := p.nodes[0].ForgetDecisions(p.ctx(), g.key); err != nil {
			p.fail(g, err.Error())
		}
		next.recorded = nil
	}
	if !next.deleted || next.epoch == g.epoch || next.dispatchEpoch < g.dispatchEpoch {
		p.fail(g, fmt.Sprintf("deleted under epochs %s and %d, it goes on under %s and %d, deleted %t", g.epoch, g.dispatchEpoch, next.epoch, next.dispatchEpoch, next.deleted))
	}
	if p.one(2) {
		p.kept[g.key.Thread] = next.recorded
		next = p.newGame()
	}
	for i := range p.games {
		if p.games[i] == g {
			p.games[i] = next
		}
	}
}

func (p *player) deletes(g *game, want bool) bool {
	p.played["delete"]++
	deleted, err := p.nodes[p.r.IntN(len(p.nodes))].Delete(p.ctx(), g.key, stage.Deleting(""))
	if err != nil || deleted != want {
		p.fail(g, fmt.Sprintf("deleted %t, %v, want %t", deleted, err, want))
		return false
	}
	return true
}

func (p *player) erases(g *game) bool {
	p.played["erase"]++
	if err := p.nodes[p.r.IntN(len(p.nodes))].Erase(p.ctx(), g.key, stage.Deleting("")); err != nil {
		p.fail(g, err.Error())
		return false
	}
	return true
}

// finishAll brings every run of a thread to its end.
func (p *player) finishAll(g *game) {
	for !p.over {
		if lies := g.active != nil && g.active.token == "" || g.idle() && len(g.queued) > 0; lies && !g.due() {
			p.clock.Move(time.Minute)
		}
		g.now = p.clock.Read()
		id := fmt.Sprint("s", p.next())
		switch {
		case g.open != nil:
			p.make(g, p.beginMove(g, p.steering(g, id)))
		case g.active != nil && g.active.token != "" && g.active.runStarted > 0:
			p.make(g, p.endMove(g, store.EndFinish))
		case g.active != nil && g.active.token != "":
			p.make(g, p.activateMove(g, g.claimOf(g.active)))
		case g.active != nil || g.ready() != nil:
			p.make(g, p.claimMove(g, store.ClaimRequest{Thread: g.key, Token: id}))
		case len(g.queued) == 0:
			g.witness.whole(p, g)
			return
		}
	}
}

func (p *player) ctx() context.Context { return p.e.Context() }

func printed(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprintf("%+v", v)
	}
	text := string(b)
	for _, empty := range []string{"[]", "{}", `""`} {
		text = strings.ReplaceAll(text, ":"+empty, ":null")
	}
	return text
}

// alike compares answers as they print, with no difference between nothing and
// what is empty.
func alike(got, want any) string {
	if reflect.DeepEqual(got, want) {
		return ""
	}
	if a, b := printed(got), printed(want); a != b {
		return fmt.Sprintf("%s\nwant %s", a, b)
	}
	return ""
}
