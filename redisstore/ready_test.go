package redisstore

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/internal/suite"
	"github.com/aguiws/aguiws/redisstore/redistest"
)

// Whether the store answers costs one command, however many partitions there are.
func TestReadyIsOneCommand(t *testing.T) {
	server := redistest.Start(t, redistest.Options{})
	s := open(t, server.URL(), Options{Partitions: 64, Timeout: patience})
	ready := func() {
		t.Helper()
		if err := s.Ready(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	ready()
	before := commands(t, server)
	const times = 20
	for range times {
		ready()
	}
	// The store itself says now and then that it is there.
	if n := commands(t, server) - before; n < times || n > 2*times {
		t.Errorf("%d commands for %d questions", n, times)
	}
	server.Freeze()
	defer server.Thaw()
	ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
	defer cancel()
	if err := s.Ready(ctx); !errors.Is(err, store.ErrOutcomeUnknown) {
		t.Errorf("a frozen server is ready: %v", err)
	}
}

// A master that does not answer shows at the first question.
func TestReadyAsksEachMaster(t *testing.T) {
	suite.Full(t)
	masters := patientCluster(t)
	s := open(t, masters.URL(), Options{Timeout: soon})
	if err := s.Ready(context.Background()); err != nil {
		t.Fatal(err)
	}
	masters.Servers[1].Freeze()
	defer masters.Servers[1].Thaw()
	if err := s.Ready(context.Background()); !errors.Is(err, store.ErrPartial) {
		t.Errorf("got %v", err)
	}
}
