package cli

import (
	"context"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/aguiws/aguiws/redisstore/redistest"
)

const (
	newerFormat = `the data under prefix "aguiws" is of format 1000, and this server knows format 3: upgrade this server, or give it another prefix`
	raise       = "HSET aguiws:meta partitions 64 format 1000"
)

func TestRefusesDataOfANewerFormat(t *testing.T) {
	s := redistest.Start(t, redistest.Options{})
	if _, err := s.Do(strings.Fields(raise)...); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	err := run(context.Background(), []string{"--addr", "127.0.0.1:0", "--redis", s.URL()}, env(), &out, io.Discard)
	if err == nil || err.Error() != "--redis: redisstore: "+newerFormat || out.Len() > 0 {
		t.Errorf("%v, said %q", err, out.String())
	}
	found, err := checked(t, "--redis", s.URL())
	if err == nil {
		t.Error("the check passes")
	}
	wantLines(t, found, "FAIL  redis prefix: "+newerFormat)
}

// A server that runs ends when another one has raised the format.
func TestEndsWhenTheFormatIsRaised(t *testing.T) {
	s := redistest.Start(t, redistest.Options{})
	c := start(t, env(), "--redis", s.URL())
	if _, err := s.Do(strings.Fields(raise)...); err != nil {
		t.Fatal(err)
	}
	// It looks when it was not heard for a while.
	if _, err := s.Do("CLIENT", "KILL", "TYPE", "pubsub"); err != nil {
		t.Fatal(err)
	}
	select {
	case err := <-c.ended:
		if err == nil || !strings.Contains(err.Error(), newerFormat) {
			t.Errorf("it ended with %v", err)
		}
		c.ended = nil
	case <-time.After(patience):
		t.Fatal("it goes on")
	}
	if log := c.log.String(); !strings.Contains(log, "the store is closed to this server") {
		t.Errorf("the log does not say why:\n%s", log)
	}
}
