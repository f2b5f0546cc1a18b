package redisstore

import (
	"context"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/lua"
	"github.com/aguiws/aguiws/redisstore/redistest"
)

var calledFunctions = regexp.MustCompile(`cmdstat_fcall:calls=(\d+)`)

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
		{name: "loaded by nobody", user: "-function"},
		{name: "called by nobody", user: "-fcall"},
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
			s := open(t, strings.Replace(server.URL(), "://", "://limited:secret@", 1), Options{})
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
			calls := 0
			if m := calledFunctions.FindStringSubmatch(text); m != nil {
				calls, _ = strconv.Atoi(m[1])
			}
			if scripts := strings.Contains(text, "cmdstat_eval"); tt.used != (calls > 0) || tt.used == scripts {
				t.Errorf("%d functions were called; scripts: %t\n%s", calls, scripts, text)
			}
		})
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
