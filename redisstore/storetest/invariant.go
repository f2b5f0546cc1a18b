package storetest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
)

var invariantTests = []test{
	{"a storm of calls from three nodes, late, doubled and stale, leaves every log in order", func(e *env) {
		e.retain = 1 << 30
		clock := e.stopped()
		var nodes []store.Store
		var ears []*heard
		for _, id := range []string{"a", "b", "c"} {
			s := e.node(id)
			nodes, ears = append(nodes, s), append(ears, listen(s))
		}
		seed := playSeed(e.T)
		e.Logf("%s=%d", SeedVariable, seed)
		var storms []*storm
		var group sync.WaitGroup
		for i := range 3 {
			st := &storm{th: e.on(nodes[0], fmt.Sprint("storm", i)), nodes: nodes, clock: clock, accepted: map[string]bool{}, logged: map[int64]string{}}
			storms = append(storms, st)
			for _, s := range nodes {
				st.th.from(s).view(store.ReadQuery{Follower: true})
			}
			for w := range 4 {
				group.Go(func() {
					r := rand.New(rand.NewPCG(seed+uint64(i), uint64(w)))
					for n := range scaled(40, 150) {
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
	{"five nodes carry every queued run, each exactly once, told only by due", func(e *env) {
		threads, runs := scaled(8, 20), 8
		e.lease = time.Hour // no run is lost here, however slow the machine is
		first := e.node("n0")
		nodes := []store.Store{first, e.node("n1"), e.node("n2"), e.node("n3"), e.node("n4")}
		for i := range threads {
			th := e.on(first, fmt.Sprint("t", i))
			for n := range runs {
				th.begun(th.wait(fmt.Sprintf("%d-%d", i, n)))
			}
		}
		var group sync.WaitGroup
		var mu sync.Mutex
		carried := map[string]int{}
		for i, s := range nodes {
			group.Go(func() {
				for n := 0; ; n++ {
					due, err := wanting(e.Context(), s, 7)
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
			th := e.on(first, fmt.Sprint("t", i))
			for n := 0; th.due(); n++ {
				id, err := carry(e.Context(), first, th.key, fmt.Sprintf("last-%d-%d", i, n))
				must(th, id, err)
				carried[id]++
			}
			want := ""
			for n := range runs {
				run := fmt.Sprintf("%d-%d", i, n)
				want += " start:" + run + " end:" + run
				same(th, "times that "+run+" was carried", carried[run], 1)
			}
			same(th, "log", " "+th.log(), want)
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
	activated, err := s.Activate(ctx, activation(res.Claim))
	if err != nil || activated.Status != store.CommitOK {
		return "", fmt.Errorf("activate %s: status %d, %w", id, activated.Status, err)
	}
	done, err := s.Commit(ctx, ending(res.Claim, 2, activated.End.Seq, "end:"+id, store.EndFinish))
	if err != nil || done.Status != store.CommitOK {
		return "", fmt.Errorf("end %s: status %d, %w", id, done.Status, err)
	}
	return id, nil
}
