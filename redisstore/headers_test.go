package redisstore

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/alicebob/miniredis/v2"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/storetest/stage"
)

// What went along with an input may be a credential: it lies in the database as long as the
// run goes on, and no longer, whatever ends it.
func TestHeadersGoWithTheirRun(t *testing.T) {
	secret := json.RawMessage(`{"authorization":"s3cr3t"}`)
	for name, end := range map[string]func(t *testing.T, s *Store, c store.Claim) error{
		"end": func(t *testing.T, s *Store, c store.Claim) error {
			_, err := s.Commit(t.Context(), store.Batch{Claim: c, Number: 2, Expect: 1, Events: [][]byte{[]byte("end")}, End: &store.End{Kind: store.EndFinish}})
			return err
		},
		"suspend": func(t *testing.T, s *Store, c store.Claim) error {
			_, err := s.Commit(t.Context(), store.Batch{Claim: c, Number: 2, Expect: 1, Events: [][]byte{[]byte("end")},
				End: &store.End{Kind: store.EndSuspend, Suspension: json.RawMessage("{}"), Interrupts: []string{"int"}}})
			return err
		},
		"stop": func(t *testing.T, s *Store, c store.Claim) error {
			_, err := s.Stop(t.Context(), store.Stop{Thread: testKey, Request: "q", RunID: "r1", Terminal: []byte("stopped")})
			return err
		},
		"stop all": func(t *testing.T, s *Store, c store.Claim) error {
			_, err := s.StopAll(t.Context(), store.StopAll{Thread: testKey, Request: "q", Active: "r1", Terminal: []byte("stopped")})
			return err
		},
		"stop in the queue": func(t *testing.T, s *Store, c store.Claim) error {
			b := queued(1, "r2")
			b.Version, b.Headers = view(t, s, store.ReadQuery{}).Version, secret
			begin(t, s, b)
			if _, err := s.Stop(t.Context(), store.Stop{Thread: testKey, Request: "q2", RunID: "r2", Terminal: []byte("stopped")}); err != nil {
				return err
			}
			_, err := s.Stop(t.Context(), store.Stop{Thread: testKey, Request: "q", RunID: "r1", Terminal: []byte("stopped")})
			return err
		},
		"requeue": func(t *testing.T, s *Store, c store.Claim) error {
			if _, err := s.Bury(t.Context(), store.Nack{Claim: c, Terminal: []byte("dead")}); err != nil {
				return err
			}
			b := inline(view(t, s, store.ReadQuery{}).Version, "r2")
			b.Execution, b.Kind = "xr1", store.Requeue{Claimed: claimedAs("r2"), Letter: "r1"}
			c = begin(t, s, b)
			_, err := s.Commit(t.Context(), store.Batch{Claim: c, Number: 2, Expect: view(t, s, store.ReadQuery{}).Seq, Events: [][]byte{[]byte("end")}, End: &store.End{Kind: store.EndFinish}})
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			server := miniredis.RunT(t)
			s := onMiniredis(server)(t, stage.Node{ID: "a"}).(*Store)
			b := inline(0, "r1")
			b.Headers = secret
			c := begin(t, s, b)
			if !lies(server, "s3cr3t") {
				t.Fatal("it is not kept in a way that this test sees")
			}
			if err := end(t, s, c); err != nil {
				t.Fatal(err)
			}
			if lies(server, "s3cr3t") {
				t.Error("it is still kept")
			}
		})
	}
}

// lies reports whether a text is in a value of the database.
func lies(server *miniredis.Miniredis, text string) bool {
	for _, key := range server.Keys() {
		switch server.Type(key) {
		case "hash":
			fields, _ := server.HKeys(key)
			for _, field := range fields {
				if strings.Contains(server.HGet(key, field), text) {
					return true
				}
			}
		case "list":
			items, _ := server.List(key)
			if strings.Contains(strings.Join(items, ""), text) {
				return true
			}
		case "string":
			if value, _ := server.Get(key); strings.Contains(value, text) {
				return true
			}
		}
	}
	return false
}
