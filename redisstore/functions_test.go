package redisstore

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/internal/link"
	"github.com/aguiws/aguiws/redisstore/lua"
	"github.com/aguiws/aguiws/redisstore/redistest"
)

// Redis 7 decides by functions, if the user may use them. Whatever becomes of them, calls do not
// notice.
func TestFunctions(t *testing.T) {
	other := fmt.Sprintf("#!lua name=%sother\nredis.register_function('other', function() return 1 end)", lua.LibraryName)
	ours := regexp.MustCompile(`^#!lua name=(\w+)`).FindStringSubmatch(lua.Library)[1]
	loaded := func(t *testing.T, server *redistest.Server, name string) bool {
		answer, err := server.Do("FUNCTION", "DELETE", name)
		if err != nil {
			t.Fatal(err)
		}
		return answer == "+OK"
	}
	for _, tt := range []struct {
		name   string
		before func(t *testing.T, server *redistest.Server)
		user   string // what it may not do
		after  func(t *testing.T, server *redistest.Server)
		used   bool
		warned int
	}{
		{name: "used", used: true},
		{name: "forgotten", used: true, after: forgets},
		{name: "beside another build that deletes them", used: true, after: func(t *testing.T, server *redistest.Server) {
			if !loaded(t, server, ours) {
				t.Error("they are not there")
			}
		}},
		{name: "where another build left its own", used: true, before: func(t *testing.T, server *redistest.Server) {
			if _, err := server.Do("FUNCTION", "LOAD", other); err != nil {
				t.Fatal(err)
			}
		}, after: func(t *testing.T, server *redistest.Server) {
			if loaded(t, server, lua.LibraryName+"other") {
				t.Error("those of another build are still there")
			}
		}},
		{name: "loaded by nobody", user: "-function", warned: 1},
		{name: "called by nobody", user: "-fcall", warned: 1},
		{name: "not seen", user: "-function|list -function|delete", used: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			server := redistest.Start(t, redistest.Options{TCP: true})
			if answer, err := server.Do("FUNCTION", "STATS"); err != nil || strings.HasPrefix(answer, "-") {
				t.Skip("this Redis has no functions", answer, err)
			}
			if tt.before != nil {
				tt.before(t, server)
			}
			ordered(t, server, append([]string{"ACL", "SETUSER", "limited", "on", ">secret", "~*", "&*", "+@all"}, strings.Fields(tt.user)...)...)
			var log bytes.Buffer
			s := open(t, strings.Replace(server.URL(), "://", "://limited:secret@", 1), Options{Logger: slog.New(slog.NewTextHandler(&log, nil))})
			aRun(t, s, "first")
			if tt.after != nil {
				tt.after(t, server)
			}
			aRun(t, s, "second")
			ordered(t, server, "CONFIG", "RESETSTAT")
			aRun(t, s, "third")
			text, err := server.Do("INFO", "commandstats")
			if err != nil {
				t.Fatal(err)
			}
			// A call that is refused is there too.
			if functions, scripts := strings.Contains(text, "cmdstat_fcall"), strings.Contains(text, "cmdstat_eval"); tt.used != functions || tt.used == scripts {
				t.Errorf("functions: %t; scripts: %t\n%s", functions, scripts, text)
			}
			if n := strings.Count(log.String(), "FCALL"); n != tt.warned {
				t.Errorf("%d warnings say what the user needs:\n%s", n, log.String())
			}
		})
	}
}

// A server that refuses functions for a while gets the calls of a round trip in one more, and then
// scripts alone, until it has had time; then functions again, of which it gets what it has lost.
func TestFunctionsRestWhenTheyAreRefused(t *testing.T) {
	for name, tt := range map[string]struct {
		refused, accepted []string
		trips             int // of the first calls
	}{
		"full":                            {[]string{"maxmemory 1"}, []string{"maxmemory 0"}, 2},
		"without replicas":                {[]string{"min-replicas-to-write 1"}, []string{"min-replicas-to-write 0"}, 2},
		"forgotten":                       {[]string{""}, nil, 3},
		"forgotten, and full":             {[]string{"", "maxmemory 1"}, []string{"maxmemory 0"}, 3},
		"forgotten, and without replicas": {[]string{"", "min-replicas-to-write 1"}, []string{"min-replicas-to-write 0"}, 3},
	} {
		t.Run(name, func(t *testing.T) {
			server := redistest.Start(t, redistest.Options{})
			if answer, err := server.Do("FUNCTION", "STATS"); err != nil || strings.HasPrefix(answer, "-") {
				t.Skip("this Redis has no functions", answer, err)
			}
			now := time.UnixMilli(1_000_000_000_000)
			s, wire := onCounted(t, server.URL(), Options{Partitions: 4, Clock: func() time.Time { return now }, Timeout: patience, Logger: slog.New(slog.DiscardHandler)})
			tell := func(settings []string) {
				for _, setting := range settings {
					if setting == "" {
						ordered(t, server, "FUNCTION", "FLUSH")
					} else {
						ordered(t, server, append([]string{"CONFIG", "SET"}, strings.Fields(setting)...)...)
					}
				}
			}
			look := func(when, command string, most int) {
				t.Helper()
				var calls []link.Call
				for i := range s.conn.Keys.Parts {
					p := &s.conn.Keys.Parts[i]
					calls = append(calls, link.RenewCall(p.Base+"probe", p, "", store.Claim{}, time.Millisecond))
				}
				before := commandsRun(t, server, command)
				trips, _, others := wire.during(func() {
					if _, errs := s.conn.RunAll(t.Context(), calls); errors.Join(errs...) != nil {
						t.Fatal(when, errs)
					}
				})
				if n := commandsRun(t, server, command) - before; trips != most || n != len(calls) {
					t.Errorf("%s: %d round trips (%d are promised), %d of %d calls by %s, and %q", when, trips, most, n, len(calls), command, others)
				}
			}
			look("before", "fcall", 1)
			tell(tt.refused)
			look("at first", "evalsha", tt.trips)
			if tt.accepted != nil {
				look("then", "evalsha", 1)
				tell(tt.accepted)
				look("a moment later", "evalsha", 1)
				now = now.Add(time.Minute)
				if tt.trips == 3 {
					look("when the server has had time", "evalsha", 3)
				}
			}
			look("at last", "fcall", 1)
		})
	}
}

// A library that is missing on a node which gets none is loaded once for a while.
func TestMissingFunctionsAreLoadedOnce(t *testing.T) {
	server := redistest.Start(t, redistest.Options{})
	if answer, err := server.Do("FUNCTION", "STATS"); err != nil || strings.HasPrefix(answer, "-") {
		t.Skip("this Redis has no functions", answer, err)
	}
	s := open(t, server.URL(), Options{Clock: func() time.Time { return time.UnixMilli(1_000_000_000_000) }})
	other := redistest.Start(t, redistest.Options{})
	client, err := link.Connect(other.URL(), patience)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	p := &s.conn.Keys.Parts[0]
	call := link.RenewCall(p.Base+"probe", p, "", store.Claim{}, time.Millisecond)
	before := commandsRun(t, server, `function\|load`)
	for range 3 {
		if _, errs := s.conn.RunOver(t.Context(), client, []link.Call{call, call}); errors.Join(errs...) != nil {
			t.Fatal(errs)
		}
	}
	if n := commandsRun(t, server, `function\|load`) - before; n != 1 {
		t.Errorf("it was loaded %d times", n)
	}
}

// aRun lets a run begin, say something and end.
func aRun(t *testing.T, s *Store, thread string) {
	t.Helper()
	b := inline(0, "r1")
	b.Thread.Thread = thread
	claim := begin(t, s, b)
	commit(t, s, store.Batch{Claim: claim, Number: 2, Expect: 1, Events: [][]byte{delta}})
	commit(t, s, store.Batch{Claim: claim, Number: 3, Expect: 2, Events: [][]byte{delta}, End: &store.End{Kind: store.EndFinish}})
	if v, err := s.Read(context.Background(), b.Thread, store.ReadQuery{}); err != nil || v.Seq != 3 {
		t.Fatalf("%+v %v", v, err)
	}
}
