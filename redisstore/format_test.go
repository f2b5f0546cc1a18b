package redisstore

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/redistest"
	"github.com/aguiws/aguiws/redisstore/storetest"
	"github.com/alicebob/miniredis/v2"
)

func TestFormatsAreWithoutAGap(t *testing.T) {
	for i, f := range formats {
		if f.number != formats[0].number+i || f.changed == "" || f.read == "" {
			t.Errorf("%+v", f)
		}
	}
}

func storedFormatOf(t *testing.T, server *redistest.Server, prefix string) string {
	t.Helper()
	answer, err := server.Do("HGET", prefix+":meta", "format")
	if err != nil {
		t.Fatal(err)
	}
	return answer
}

func TestTheFormatIsRecordedAtFirstUse(t *testing.T) {
	server := redistest.Start(t, redistest.Options{})
	open(t, server.URL(), Options{})
	if got := storedFormatOf(t, server, "aguiws"); got != "3" {
		t.Errorf("format %q", got)
	}
	open(t, server.URL(), Options{Prefix: "later", format: span{1, 4}})
	if got := storedFormatOf(t, server, "later"); got != "4" {
		t.Errorf("a new prefix got format %q", got)
	}
	if _, err := server.Do("HDEL", "later:meta", "format"); err != nil {
		t.Fatal(err)
	}
	open(t, server.URL(), Options{Prefix: "later", format: span{1, 1}})
	if got := storedFormatOf(t, server, "later"); got != "1" {
		t.Errorf("data from before there was a number got format %q", got)
	}
}

func TestAFormatThatIsNotKnownIsRefused(t *testing.T) {
	server := redistest.Start(t, redistest.Options{})
	open(t, server.URL(), Options{Prefix: "new", format: span{2, 3}})
	open(t, server.URL(), Options{Prefix: "old", format: span{1, 1}})
	for name, c := range map[string]struct {
		prefix string
		reads  span
		says   string
	}{
		"newer": {"new", span{1, 2}, `the data under prefix "new" is of format 3, and this server knows formats 1 to 2: upgrade this server, or give it another prefix`},
		"older": {"old", span{2, 2}, `the data under prefix "old" is of format 1, and this server knows format 2: start a release once that knows both`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Open(context.Background(), server.URL(), &Options{Prefix: c.prefix, format: c.reads})
			var refused *FormatError
			if !errors.As(err, &refused) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("got %v", err)
			}
		})
	}
	if got := storedFormatOf(t, server, "new") + storedFormatOf(t, server, "old"); got != "31" {
		t.Errorf("who was refused has written formats %s", got)
	}
}

func TestAnOlderFormatIsRaisedWhenNobodyRunsWhoKnowsOnlyThat(t *testing.T) {
	test := func(t *testing.T, url string) {
		older := open(t, url, Options{format: span{1, 1}})
		_, err := Open(context.Background(), url, &Options{format: span{1, 2}})
		var refused *FormatError
		if !errors.As(err, &refused) || refused.Servers != 1 || !strings.Contains(err.Error(), "is of format 1, this server writes format 2") ||
			!strings.Contains(err.Error(), "are running (1): stop them first") {
			t.Fatalf("beside a server that runs: %v", err)
		}
		if err := older.Close(); err != nil {
			t.Fatal(err)
		}
		// A connection that ends is counted until Redis has seen the end.
		newer, err := Open(context.Background(), url, &Options{format: span{1, 2}})
		for deadline := time.Now().Add(patience); err != nil && time.Now().Before(deadline); {
			newer, err = Open(context.Background(), url, &Options{format: span{1, 2}})
		}
		if err != nil {
			t.Fatalf("when it has ended: %v", err)
		}
		closing(t, newer)
		open(t, url, Options{format: span{1, 2}})
		if _, err := Open(context.Background(), url, &Options{format: span{1, 1}}); !errors.As(err, &refused) || refused.Stored != 2 {
			t.Errorf("the older server again: %v", err)
		}
	}
	t.Run("one server", func(t *testing.T) { test(t, redistest.Start(t, redistest.Options{}).URL()) })
	t.Run("Cluster", func(t *testing.T) {
		if testing.Short() {
			t.Skip("starting a cluster takes seconds; -short leaves it out")
		}
		test(t, redistest.Cluster(t).URL())
	})
}

// A fail-over may forget that the format was raised: who has raised it knows.
func TestAFormatThatWasForgottenIsRaisedAgain(t *testing.T) {
	server := redistest.Start(t, redistest.Options{})
	open(t, server.URL(), Options{format: span{1, 2}})
	for _, command := range [][]string{{"HSET", "aguiws:meta", "format", "1"}, {"CLIENT", "KILL", "TYPE", "pubsub"}} {
		if _, err := server.Do(command...); err != nil {
			t.Fatal(err)
		}
	}
	for deadline := time.Now().Add(patience); storedFormatOf(t, server, "aguiws") != "2"; {
		if time.Now().After(deadline) {
			t.Fatal("it is as it was")
		}
	}
}

func TestTheEmbeddedStoresDataHasAFormat(t *testing.T) {
	server := miniredis.NewMiniRedis()
	t.Cleanup(server.Close)
	onMiniredis(server)(t, storetest.Node{Space: "space"})
	if got := server.HGet("space:meta", "format"); got != "3" {
		t.Errorf("format %q", got)
	}
}

func TestDiagnoseSaysWhichFormatThereIs(t *testing.T) {
	server := redistest.Start(t, redistest.Options{})
	open(t, server.URL(), Options{format: span{1, 1}})
	for says, reads := range map[string]span{
		`"aguiws" has been used, with 64 partitions and data of format 1`: {1, 1},
		`"aguiws" holds data of format 1, which becomes format 2`:         {1, 2},
		`is of format 1, and this server knows formats 2 to 3`:            {2, 3},
	} {
		found := ""
		for _, f := range Diagnose(context.Background(), server.URL(), &Options{format: reads}) {
			if f.Subject == "prefix" {
				found = f.Detail
			}
		}
		if !strings.Contains(found, says) {
			t.Errorf("%q does not say %q", found, says)
		}
	}
}

// A server that was not heard when the format was raised finds out when it is back, and
// touches nothing from then on.
func TestAServerThatRunsNoticesAFormatThatItDoesNotKnow(t *testing.T) {
	ctx := context.Background()
	server := redistest.Start(t, redistest.Options{})
	s := open(t, server.URL(), Options{format: span{1, 1}})
	begun, err := s.Begin(ctx, inline(0, "r"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := server.Do("HSET", "aguiws:meta", "format", "2"); err != nil {
		t.Fatal(err)
	}
	if _, err := server.Do("CLIENT", "KILL", "TYPE", "pubsub"); err != nil {
		t.Fatal(err)
	}
	select {
	case err := <-s.Outdated():
		var outdated *FormatError
		if !errors.As(err, &outdated) || outdated.Stored != 2 || outdated.Written != 1 {
			t.Errorf("got %v", err)
		}
	case <-time.After(patience):
		t.Fatal("it goes on")
	}
	before, err := server.Do("DUMP", s.keys.thread(testKey).rec())
	if err != nil {
		t.Fatal(err)
	}
	_, read := s.Read(ctx, testKey, store.ReadQuery{})
	_, commit := s.Commit(ctx, store.Batch{Claim: begun.Claim, Number: 2, Expect: 1, Events: [][]byte{[]byte("e")}})
	_, renew := s.Renew(ctx, begun.Claim)
	_, due := wanting(ctx, s, 1)
	_, threads := s.Threads(ctx, store.ThreadQuery{Namespace: testKey.Namespace})
	for call, err := range map[string]error{"read": read, "commit": commit, "renew": renew, "due": due, "threads": threads} {
		if !errors.Is(err, store.ErrOutcomeUnknown) || !errors.As(err, new(*FormatError)) {
			t.Errorf("%s: %v", call, err)
		}
	}
	if after, err := server.Do("DUMP", s.keys.thread(testKey).rec()); err != nil || after != before {
		t.Errorf("the thread has changed, %v", err)
	}
}
