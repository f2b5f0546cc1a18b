package soak

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/aguiws/aguiws/conformance/internal/command"
	"github.com/aguiws/aguiws/internal/suite"
	"github.com/aguiws/aguiws/redisstore/redistest"
)

var duration = flag.Duration("for", 15*time.Second, "how long the servers are worked")

func TestMain(m *testing.M) { os.Exit(command.Main(m)) }

const (
	people  = 10
	lap     = 15 * time.Second
	minLaps = 10 // of a short soak, by shorter laps
	fewest  = 4  // laps, however long they take: of fewer nothing can be told
	lease   = 5 * time.Second
	// telling is how long a soak must be to say anything about memory and keys.
	telling = 3 * time.Minute
)

func TestSoak(t *testing.T) {
	suite.Full(t)
	seed := uint64(time.Now().UnixNano())
	if given, err := strconv.ParseUint(os.Getenv("AGUIWS_SEED"), 10, 64); err == nil {
		seed = given
	}
	fmt.Printf("AGUIWS_SEED=%d\n", seed)

	redis := redistest.Start(t, redistest.Options{AOF: "everysec"})
	site := &site{t: t, redis: redis, did: map[string]int{}, approved: map[int]bool{}}
	effects := ""
	for range 2 {
		probe := "127.0.0.1:" + strconv.Itoa(redistest.FreePort(t))
		server := command.Start(t, command.Options{
			Redis: redis.URL(), Lease: lease, Effects: effects, Args: []string{"--pprof-addr", probe, "--log-level", "warn"},
		})
		effects = server.EffectsFile()
		site.nodes = append(site.nodes, &node{server: server, profiles: "http://" + probe})
	}
	site.passing = command.Start(t, command.Options{Redis: redis.URL(), Lease: lease, Effects: effects, Args: []string{"--log-level", "warn"}})
	for range entries / 2 {
		site.keepDiaries()
	}

	crowd := make([]*person, people)
	for n := range crowd {
		crowd[n] = &person{site: site, name: n, chance: rand.New(rand.NewPCG(seed, uint64(n)))}
	}
	begun := time.Now()
	var found record
	for (time.Since(begun) < *duration || len(found.laps) < fewest) && !t.Failed() {
		end := time.Now().Add(min(lap, *duration/minLaps))
		var working sync.WaitGroup
		for _, p := range crowd {
			working.Go(func() {
				for time.Now().Before(end) && !t.Failed() {
					p.live()
				}
			})
		}
		working.Wait()
		site.keepDiaries()
		site.passing.Restart()
		if !t.Failed() {
			found.add(time.Since(begun), site.lives.Load(), site.measure())
			fmt.Println(found.row(len(found.laps) - 1))
		}
	}
	site.judgeEffects(effects)
	fmt.Println(site.tally())
	table, grown := found.verdict(*duration >= telling)
	fmt.Println(table)
	for _, what := range grown {
		t.Error(what)
	}
	took, laps := time.Since(begun).Round(time.Second), fmt.Sprintf("after the first %d of %d laps", found.warm(), len(found.laps))
	switch {
	case t.Failed():
		fmt.Println("VERDICT: failed")
	case *duration < telling:
		fmt.Printf("VERDICT: %s were too short to say more than that it works\n", took)
	default:
		fmt.Printf("VERDICT: nothing grew in %s, %s\n", took, laps)
	}
}
