package process

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aguiws/aguiws/client"
	"github.com/aguiws/aguiws/conformance/internal/command"
	"github.com/aguiws/aguiws/conformance/internal/wire"
	"github.com/aguiws/aguiws/internal/suite"
	"github.com/aguiws/aguiws/protocol"
	"github.com/aguiws/aguiws/redisstore/redistest"
)

const (
	people = 3 // each with a thread and two tabs
	kills  = 20
)

// Two servers on one Redis are killed, in turn and at random moments, while people
// let tools run and stream text through both. Each approval has its effect exactly
// once; where nobody could know, the human was asked, looked, and said.
func TestRandomKills(t *testing.T) {
	suite.Full(t)
	seed := uint64(time.Now().UnixNano())
	if given, err := strconv.ParseUint(os.Getenv("AGUIWS_SEED"), 10, 64); err == nil {
		seed = given
	}
	t.Logf("AGUIWS_SEED=%d", seed)
	chance := rand.New(rand.NewPCG(seed, 0))

	redis := redistest.Start(t, redistest.Options{AOF: "everysec"})
	options := command.Options{Redis: redis.URL(), Lease: lease}
	servers := []*command.Server{command.Start(t, options), nil}
	options.Effects = servers[0].EffectsFile()
	servers[1] = command.Start(t, options)

	var enough atomic.Bool
	var working sync.WaitGroup
	crowd := make([]*person, people)
	for n := range crowd {
		urls := []string{servers[n%2].Socket(), servers[(n+1)%2].Socket()}
		thread := fmt.Sprintf("person-%d", n)
		crowd[n] = &person{
			t: t, name: n, effects: options.Effects, chance: rand.New(rand.NewPCG(seed, uint64(n)+1)),
			tabs: []*wire.Tab{
				wire.Open(t, thread+" left", thread, urls...),
				wire.Open(t, thread+" right", thread, urls[1], urls[0]),
			},
		}
		working.Go(func() {
			for !enough.Load() && !t.Failed() {
				crowd[n].act()
			}
		})
	}
	for n := range kills {
		pause(between(chance, 100*time.Millisecond, 1500*time.Millisecond))
		servers[n%2].Kill()
		pause(between(chance, 0, 400*time.Millisecond))
		servers[n%2].Restart()
		if t.Failed() {
			break
		}
	}
	enough.Store(true)
	working.Wait()

	happened := map[int]int{}
	for _, e := range command.Effects(t, options.Effects) {
		happened[amount(t, e)]++
	}
	approved, asked, lost, stopped := 0, 0, 0, 0
	for n, p := range crowd {
		for _, number := range p.approved {
			if happened[number] != 1 {
				t.Errorf("payment %d was approved once and took place %d times", number, happened[number])
			}
			delete(happened, number)
		}
		for _, number := range p.unsure {
			if happened[number] > 1 {
				t.Errorf("payment %d was approved once and took place %d times", number, happened[number])
			}
			delete(happened, number)
		}
		approved += len(p.approved)
		lost += p.lost
		asked += p.asked
		stopped += p.stopped
		fresh(t, servers[n%2], fmt.Sprintf("person-%d", n), p.tabs...)
		said(t, p.tabs[0], protocol.RoleUser, p.said...)
		complete := 0
		for _, text := range p.tabs[0].Texts(protocol.RoleAssistant) {
			if text == numbers(30) {
				complete++
			}
		}
		if complete != p.slow {
			t.Errorf("person %d asked for %d streams and has %d complete ones", n, p.slow, complete)
		}
		for _, tab := range p.tabs {
			wire.Sound(t, tab)
		}
	}
	for number, times := range happened {
		t.Errorf("payment %d was not approved and took place %d times", number, times)
	}
	t.Logf("%d kills, %d approvals, %d runs stopped that waited for one, %d uncertain steps asked about, %d runs whose workers were lost too often", kills, approved, stopped, asked, lost)
	if approved == 0 {
		t.Error("nothing was approved: the test has shown nothing")
	}
	// It takes three kills to lose a run, and a thread has one at a time.
	if lost > people*(kills/3) {
		t.Errorf("%d runs were given up after %d kills", lost, kills)
	}
}

// person works in two tabs of one thread.
type person struct {
	t        *testing.T
	name     int
	effects  string
	chance   *rand.Rand
	tabs     []*wire.Tab
	acts     int
	said     []string
	slow     int   // how often text was streamed to its end
	approved []int // payments
	unsure   []int // payments approved in a run that ended because its workers were lost
	lost     int   // such runs
	asked    int   // about uncertain steps
	stopped  int   // runs that waited for an approval
}

// act does one thing and sees it through, from either tab.
func (p *person) act() {
	p.acts++
	if p.chance.IntN(3) == 0 {
		if !p.gaveUp(p.say("/slow 30 15")) {
			p.slow++
		}
		return
	}
	number := p.name*100_000 + p.acts
	approves := p.chance.IntN(4) > 0
	in := p.ask(fmt.Sprintf(`/tool pay {"amount":%d}`, number))
	end := in.End()
	lost := false
	if p.chance.IntN(5) == 0 && len(client.Asked(end)) > 0 && client.Asked(end)[0].Reason != uncertain {
		in.StopWaiting()
		p.stopped++
		return
	}
	for questions := p.open(end, &lost); len(questions) > 0; questions = p.open(end, &lost) {
		answer := decline
		switch {
		case questions[0].Reason == uncertain:
			p.asked++
			answer = p.look(number)
		case approves:
			answer = approve
		}
		other := p.tab()
		wire.Same(p.t, p.tabs...)
		end = other.Resume(client.Resolve(questions[0], answer)).End()
	}
	switch {
	case approves && lost:
		p.unsure = append(p.unsure, number)
	case approves:
		p.approved = append(p.approved, number)
	}
}

// open is what is asked after a run, and whether the run was given up.
func (p *person) open(end protocol.Event, lost *bool) []protocol.Interrupt {
	if *lost = false; len(client.Asked(end)) > 0 {
		return client.Asked(end)
	}
	if *lost = p.gaveUp(end); *lost {
		// A decision that nothing was done about is given back, and asked for again.
		wire.Same(p.t, p.tabs...)
		return p.tabs[0].Interrupts()
	}
	return nil
}

// gaveUp reports whether a run ended because one worker after the other was
// lost, which its client is told. Anything else but success is wrong.
func (p *person) gaveUp(end protocol.Event) bool {
	if failed, ok := end.(*protocol.RunError); ok && failed.Code == "worker_lost" {
		p.lost++
		return true
	}
	wire.Succeeded(p.t, end)
	return false
}

func (p *person) say(text string) protocol.Event { return p.ask(text).End() }

func (p *person) ask(text string) *wire.Input {
	p.said = append(p.said, text)
	wire.Same(p.t, p.tabs...)
	return p.tab().Say(text)
}

func (p *person) tab() *wire.Tab { return p.tabs[p.chance.IntN(len(p.tabs))] }

// look is what a human does who is asked whether a payment took place.
func (p *person) look(number int) string {
	for _, e := range command.Effects(p.t, p.effects) {
		if amount(p.t, e) == number {
			return `{"action":"done","result":{"executed":true}}`
		}
	}
	return `{"action":"rerun"}`
}

func amount(t *testing.T, e command.Effect) int {
	t.Helper()
	var args struct{ Amount int }
	if err := json.Unmarshal(e.Args, &args); err != nil {
		t.Fatal(err)
	}
	return args.Amount
}

func between(chance *rand.Rand, least, most time.Duration) time.Duration {
	return least + time.Duration(chance.Int64N(int64(most-least)))
}

// pause lets the servers work for a while before the next blow.
func pause(d time.Duration) { <-time.After(d) }
