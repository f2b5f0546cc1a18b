package model

import (
	"fmt"
	"sync"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/storetest/stage"
)

// enqueue is a Begin that queues, made without a look at the thread.
func enqueue(key store.ThreadKey, run string) store.Begin {
	return store.Begin{Thread: key, RunID: run, Label: "label-" + run, Execution: "exe-" + run, Record: stage.Raws(`{}`)[0],
		Kind: store.Enqueue{Input: stage.Raws(`{}`)[0], Cancelled: [2][]byte{[]byte("start:" + run), []byte("cancelled:" + run)}}}
}

var StressTests = []stage.Test{
	{"of many dispatches none has two owners among eight nodes that all want it", func(e *stage.Env) {
		e.Lease = time.Hour
		var nodes []store.Store
		for i := range 8 {
			nodes = append(nodes, e.Node(fmt.Sprint("n", i)))
		}
		threads := stage.Scaled(100, 1000)
		key := func(i int) store.ThreadKey {
			return store.ThreadKey{Namespace: "space", Thread: fmt.Sprint(i)}
		}
		stage.InParallel(threads, 16, func(i int) {
			if _, err := nodes[i%8].Begin(e.Context(), enqueue(key(i), "r1")); err != nil {
				e.Error(err)
			}
		})
		var mu sync.Mutex
		owners := map[store.ThreadKey][]string{}
		stage.InParallel(8, 8, func(n int) {
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
		stage.Same(e.On(nodes[0], "0"), "claimed", len(owners), threads)
	}},
	{"hundreds of dispatches behind a lost one are all carried, in order", func(e *stage.Env) {
		c := e.Stopped()
		th := e.Thread()
		th.Begun(th.Execute("lost"))
		for i := range stage.Scaled(100, 500) {
			b := enqueue(th.Key, fmt.Sprint("r", i))
			b.Version = int64(i + 1)
			th.Begun(b)
		}
		c.Move(e.Lease + time.Millisecond)
		other := th.From(e.Node("b"))
		claim := other.Claimed("t", store.ClaimTakeover).Claim
		other.OK(stage.Ending(claim, 1, 1, "end:lost", store.EndFinish))
		for i := range stage.Scaled(100, 500) {
			other.Carried(fmt.Sprint("r", i))
		}
		other.Claimed("t2", store.ClaimNothing)
	}},
}
