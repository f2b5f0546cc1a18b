package adapter_test

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/runner"
	"github.com/aguiws/aguiws/adapter/store"
)

// company is a durable store whose nodes come and go as a test wants.
type company struct {
	store.Store
	asked  chan struct{} // receives before each answer
	takers func(agent string) (int, error)

	mu      sync.Mutex
	offered []string // by the last one that said
	refused bool     // the store was out of reach once, when a node said that it takes none
}

func (c *company) Offer(_ context.Context, agents []string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(agents) == 0 && !c.refused {
		c.refused = true
		return errors.New("out of reach")
	}
	c.offered = slices.Sorted(slices.Values(agents))
	return nil
}

func (c *company) offers() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.offered
}

func (*company) Durable() bool        { return true }
func (*company) Lease() time.Duration { return 10 * time.Second }

func (c *company) Takers(_ context.Context, agents []string) ([]int, error) {
	if offered := c.offers(); len(offered) > 0 {
		return nil, errors.New("it still takes runs itself, and looks for others")
	}
	c.asked <- struct{}{}
	counts := make([]int, len(agents))
	for i, agent := range agents {
		n, err := c.takers(agent)
		if err != nil {
			return nil, err
		}
		counts[i] = n
	}
	return counts, nil
}

// paced is an agent of so many steps, each of which tells that it has begun, and
// waits to be let.
type paced struct {
	steps   int
	reached chan int
	goOn    chan struct{}
}

func newPaced(steps int) *paced {
	return &paced{steps, make(chan int, 10), make(chan struct{})}
}

func (p *paced) Run(ctx context.Context, run *adapter.Run) error {
	for n := range p.steps {
		_, err := adapter.Step(ctx, run, "step", func(ctx context.Context) (int, error) {
			p.reached <- n
			select {
			case <-p.goOn:
			case <-ctx.Done():
			}
			return n, ctx.Err()
		})
		if err != nil {
			return err
		}
	}
	return run.Say("done")
}

// drainAmong drains the lab's runner while the agent's first step is under way.
// takers answers for each agent, by how often was asked.
func drainAmong(t *testing.T, agent *paced, takers func(question int, agent string) (int, error)) (*lab, *company, func()) {
	t.Helper()
	c := &company{asked: make(chan struct{}, 100)}
	c.takers = func(agent string) (int, error) { return takers(len(c.asked), agent) }
	l := newLabOn(t, func(s store.Store) store.Store { c.Store = s; return c }, agent,
		func(o *runner.Options) { o.Agents["other"] = agent })
	if got := c.offers(); !slices.Equal(got, []string{"", "other"}) {
		t.Errorf("it says that it takes runs of %q", got)
	}
	l.submit(user("hi"))
	if n := await(l, agent.reached); n != 0 {
		t.Fatalf("it begins with step %d", n)
	}
	return l, c, l.drain()
}

// nothingLeft fails the test unless no run is active.
func (l *lab) nothingLeft() {
	l.t.Helper()
	view, err := l.store.Read(l.ctx(), l.key, store.ReadQuery{})
	if err != nil || view.Active != nil {
		l.t.Fatalf("a run is left: %+v %v", view, err)
	}
}

// done fails the test unless the thread's run ends as if one worker had carried it.
func (l *lab) done() {
	l.t.Helper()
	succeeded(l.t, l.untilEnd())
	l.wellFormed()
	if got := l.texts(); !slices.Equal(got, []string{"done"}) {
		l.t.Errorf("texts %q", got)
	}
}

// A node that ends takes no more runs, whether it has some to finish or none.
func TestDrainIdle(t *testing.T) {
	c := &company{refused: true, asked: make(chan struct{}, 100), takers: func(string) (int, error) { return 0, nil }}
	l := newLabOn(t, func(s store.Store) store.Store { c.Store = s; return c }, newPaced(1))
	if got := c.offers(); len(got) != 1 {
		t.Errorf("it says that it takes runs of %q", got)
	}
	if err := l.runner.Shutdown(l.ctx()); err != nil {
		t.Fatal(err)
	}
	if got := c.offers(); len(got) != 0 {
		t.Errorf("it still says that it takes runs of %q", got)
	}
}

// A node that finds nobody finishes its runs before it ends, steps and all.
func TestDrainAlone(t *testing.T) {
	for name, takers := range map[string]func(int, string) (int, error){
		"nobody there":               func(int, string) (int, error) { return 0, nil },
		"others without the agent":   func(_ int, agent string) (int, error) { return len(agent), nil },
		"another that is going, too": func(question int, _ string) (int, error) { return max(0, 2-question), nil },
	} {
		t.Run(name, func(t *testing.T) {
			agent := newPaced(3)
			l, _, wait := drainAmong(t, agent, takers)
			close(agent.goOn)
			wait()
			l.nothingLeft()
			if n := len(agent.reached); n != 2 {
				t.Errorf("the draining worker began %d more steps", n)
			}
			l.done()
		})
	}
}

// Who cannot find out whether others are there hands its runs back.
func TestDrainWithoutAnAnswer(t *testing.T) {
	agent := newPaced(2)
	l, _, wait := drainAmong(t, agent, func(int, string) (int, error) { return 0, errors.New("no answer") })
	close(agent.goOn)
	wait()
	if n := len(agent.reached); n != 0 {
		t.Errorf("the draining worker began %d more steps", n)
	}
	l.replace(agent)
	l.done()
	if n := len(agent.reached); n != 1 {
		t.Errorf("the other worker ran %d steps", n)
	}
}

// Nodes may come and go while one drains: what counts is who is there when a run
// reaches a step.
func TestDrainWhileOthersComeAndGo(t *testing.T) {
	for _, comes := range []bool{true, false} {
		t.Run(strconv.FormatBool(comes), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				agent, change := newPaced(3), make(chan struct{})
				l, c, wait := drainAmong(t, agent, func(int, string) (int, error) {
					select {
					case <-change:
						return map[bool]int{true: 1}[comes], nil
					default:
						return map[bool]int{false: 1}[comes], nil
					}
				})
				for range 3 { // what the second says counts when there is a third
					await(l, c.asked)
				}
				if comes {
					agent.goOn <- struct{}{}
					if n := await(l, agent.reached); n != 1 {
						t.Fatalf("step %d", n)
					}
				}
				close(change)
				for len(c.asked) > 0 {
					<-c.asked
				}
				for range 2 {
					await(l, c.asked)
				}
				if comes {
					l.worker(l.store, agent)
				}
				close(agent.goOn)
				wait()
				if !comes {
					l.nothingLeft()
				}
				l.done()
				if want, n := map[bool]int{true: 1, false: 2}[comes], len(agent.reached); n != want {
					t.Errorf("%d more steps, want %d", n, want)
				}
			})
		})
	}
}

// A node that is alone leaves what it cannot finish in time to the next one.
func TestDrainAloneUntilTheDeadline(t *testing.T) {
	agent := newPaced(2)
	c := &company{asked: make(chan struct{}, 100), takers: func(string) (int, error) { return 0, nil }}
	l := newLabOn(t, func(s store.Store) store.Store { c.Store = s; return c }, agent)
	l.submit(user("hi"))
	await(l, agent.reached)
	agent.goOn <- struct{}{}
	await(l, agent.reached)
	ctx, cancel := context.WithTimeout(l.ctx(), 10*time.Millisecond)
	defer cancel()
	if err := l.runner.Shutdown(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("shutdown: %v", err)
	}
	l.replace(agent)
	asked := interrupts(t, l.untilEnd()) // the step had begun
	close(agent.goOn)
	succeeded(t, l.answer(resolved(asked[0].ID, `{"action":"rerun"}`)))
	l.wellFormed()
}
