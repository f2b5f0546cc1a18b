package storetest

import (
	"fmt"
	"sync"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
)

// inParallel calls f for 0 to n-1 from several goroutines.
func inParallel(n, workers int, f func(i int)) {
	var group sync.WaitGroup
	for w := range workers {
		group.Go(func() {
			for i := w; i < n; i += workers {
				f(i)
			}
		})
	}
	group.Wait()
}

// enqueue is a Begin that queues, made without a look at the thread.
func enqueue(key store.ThreadKey, run string) store.Begin {
	return store.Begin{Thread: key, RunID: run, Label: "label-" + run, Execution: "exe-" + run, Record: raws(`{}`)[0],
		Kind: store.Enqueue{Input: raws(`{}`)[0], Cancelled: [2][]byte{[]byte("start:" + run), []byte("cancelled:" + run)}}}
}

var stressTests = []test{
	{"of many dispatches none has two owners among eight nodes that all want it", func(e *env) {
		e.lease = time.Hour
		var nodes []store.Store
		for i := range 8 {
			nodes = append(nodes, e.node(fmt.Sprint("n", i)))
		}
		threads := scaled(100, 1000)
		key := func(i int) store.ThreadKey {
			return store.ThreadKey{Namespace: "space", Thread: fmt.Sprint(i)}
		}
		inParallel(threads, 16, func(i int) {
			if _, err := nodes[i%8].Begin(e.Context(), enqueue(key(i), "r1")); err != nil {
				e.Error(err)
			}
		})
		var mu sync.Mutex
		owners := map[store.ThreadKey][]string{}
		inParallel(8, 8, func(n int) {
			for i := range threads {
				k := key((i + n*7) % threads)
				res, err := nodes[n].Claim(e.Context(), store.ClaimRequest{Thread: k, Token: fmt.Sprint(n, "-", i)})
				if err != nil {
					e.Error(err)
				}
				if res.Kind != store.ClaimNothing {
					mu.Lock()
					owners[k] = append(owners[k], res.Claim.Token)
					mu.Unlock()
				}
			}
		})
		for k, tokens := range owners {
			if len(tokens) != 1 {
				e.Errorf("%v has owners %v", k, tokens)
			}
		}
		same(e.on(nodes[0], "0"), "claimed", len(owners), threads)
	}},
	{"hundreds of dispatches behind a lost one are all carried, in order", func(e *env) {
		c := e.stopped()
		th := e.thread()
		th.begun(th.execute("lost"))
		for i := range scaled(100, 500) {
			b := enqueue(th.key, fmt.Sprint("r", i))
			b.Version = int64(i + 1)
			th.begun(b)
		}
		c.move(e.lease + time.Millisecond)
		other := th.from(e.node("b"))
		claim := other.claimed("t", store.ClaimTakeover).Claim
		other.ok(ending(claim, 1, 1, "end:lost", store.EndFinish))
		for i := range scaled(100, 500) {
			other.carried(fmt.Sprint("r", i))
		}
		other.claimed("t2", store.ClaimNothing)
	}},
}
