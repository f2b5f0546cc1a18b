package model

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/storetest/stage"
)

var InvariantTests = []stage.Test{
	{"a storm of calls from three nodes, late, doubled and stale, leaves every log in order", func(e *stage.Env) {
		e.Retain = 1 << 30
		clock := e.Stopped()
		var nodes []store.Store
		var ears []*stage.Heard
		for _, id := range []string{"a", "b", "c"} {
			s := e.Node(id)
			nodes, ears = append(nodes, s), append(ears, stage.Listen(s))
		}
		seed := playSeed(e.T)
		e.Logf("%s=%d", SeedVariable, seed)
		var storms []*storm
		var group sync.WaitGroup
		for i := range 3 {
			st := &storm{th: e.On(nodes[0], fmt.Sprint("storm", i)), nodes: nodes, clock: clock, accepted: map[string]bool{}, logged: map[int64]string{}}
			storms = append(storms, st)
			for _, s := range nodes {
				st.th.From(s).View(store.ReadQuery{Follower: true})
			}
			for w := range 4 {
				group.Go(func() {
					r := rand.New(rand.NewPCG(seed+uint64(i), uint64(w)))
					for n := range stage.Scaled(40, 150) {
						st.step(r, fmt.Sprintf("%d-%d-%d", i, w, n))
					}
				})
			}
		}
		group.Wait()
		for i, st := range storms {
			st.finishAll()
			st.check(ears)
			e.Logf("thread %d: %d runs, %d events", i, len(st.accepted), len(st.logged))
		}
	}},
	{"five nodes carry every queued run, each exactly once, told only by due", func(e *stage.Env) {
		threads, runs := stage.Scaled(8, 20), 8
		e.Lease = time.Hour // no run is lost here, however slow the machine is
		first := e.Node("n0")
		nodes := []store.Store{first, e.Node("n1"), e.Node("n2"), e.Node("n3"), e.Node("n4")}
		for i := range threads {
			th := e.On(first, fmt.Sprint("t", i))
			for n := range runs {
				th.Begun(th.Wait(fmt.Sprintf("%d-%d", i, n)))
			}
		}
		var group sync.WaitGroup
		var mu sync.Mutex
		carried := map[string]int{}
		for i, s := range nodes {
			group.Go(func() {
				for n := 0; ; n++ {
					due, err := stage.Wanting(e.Context(), s, 7)
					if err != nil {
						e.Error(err)
						return
					}
					if len(due) == 0 {
						return
					}
					for k, key := range due {
						id, err := carry(e.Context(), s, key, fmt.Sprintf("%d-%d-%d", i, n, k))
						if err != nil {
							e.Error(err)
							return
						}
						mu.Lock()
						carried[id]++
						mu.Unlock()
					}
				}
			})
		}
		group.Wait()
		// A node may have gone home while the last runs of others were active.
		for i := range threads {
			th := e.On(first, fmt.Sprint("t", i))
			for n := 0; th.Due(); n++ {
				id, err := carry(e.Context(), first, th.Key, fmt.Sprintf("last-%d-%d", i, n))
				stage.Must(th, id, err)
				carried[id]++
			}
			want := ""
			for n := range runs {
				run := fmt.Sprintf("%d-%d", i, n)
				want += " start:" + run + " end:" + run
				stage.Same(th, "times that "+run+" was carried", carried[run], 1)
			}
			stage.Same(th, "log", " "+th.Logged(), want)
		}
	}},
}

// carry claims the thread's next run and brings it to its end. It returns the
// run's id; "" when another was faster.
func carry(ctx context.Context, s store.Store, key store.ThreadKey, token string) (string, error) {
	res, err := s.Claim(ctx, store.ClaimRequest{Thread: key, Token: token})
	if err != nil || res.Kind == store.ClaimNothing {
		return "", err
	}
	id := res.Claim.RunID
	activated, err := s.Activate(ctx, stage.Activation(res.Claim))
	if err != nil || activated.Status != store.CommitOK {
		return "", fmt.Errorf("activate %s: status %d, %w", id, activated.Status, err)
	}
	done, err := s.Commit(ctx, stage.Ending(res.Claim, 2, activated.End.Seq, "end:"+id, store.EndFinish))
	if err != nil || done.Status != store.CommitOK {
		return "", fmt.Errorf("end %s: status %d, %w", id, done.Status, err)
	}
	return id, nil
}
