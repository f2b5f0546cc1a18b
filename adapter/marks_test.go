package adapter_test

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
	"github.com/aguiws/aguiws/redisstore"
	"github.com/aguiws/aguiws/redisstore/redistest"
)

// A long thread's restated messages are a mark in the log. Whoever follows from wherever
// reads the very bytes that were delivered where the run was carried, or is restated.
func TestMarksReadAsTheBytesThatWereDelivered(t *testing.T) {
	server := redistest.Start(t, redistest.Options{})
	stores := make([]store.Store, 2)
	for i := range stores {
		s, err := redisstore.Open(context.Background(), server.URL(), &redisstore.Options{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { s.Close() })
		stores[i] = s
	}
	agent := adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
		if err := run.Say("<b>a & b</b> é \u2028"); err != nil {
			return err
		}
		if _, err := run.Confirm(ctx, "really?"); err != nil {
			return err
		}
		return run.Say("done")
	})
	l := &lab{t: t, store: stores[0], key: store.ThreadKey{Namespace: "test", Thread: "thread"}}
	l.start(agent)
	l.follow(nil)
	other := &lab{t: t, store: stores[1], key: l.key}
	other.start(agent)

	in := user("go")
	for i := range 100 {
		in.Messages = append(in.Messages, protocol.Message{ID: fmt.Sprint("old-", i), Role: protocol.RoleUser, Name: "<n>",
			Content: protocol.Text(strings.Repeat("words & <more> ", 20)), Metadata: protocol.Metadata{"n": []byte(`1.50`)}})
	}
	l.begins(in)
	open := interrupts(t, l.untilEnd())
	asked := len(l.events)
	epoch := l.cursor.Position().Epoch
	check := func(from int) {
		t.Helper()
		for after := range len(l.events) {
			cursor := other.runner.Follow(l.key, func() {})
			defer cursor.Close()
			a, err := cursor.Attach(l.ctx(), &store.Position{Epoch: epoch, Seq: int64(after)})
			if err != nil {
				t.Fatal(err)
			}
			if a.Recovered != (after >= from) {
				t.Fatalf("after %d of %d: recovered %v (%s)", after, len(l.events), a.Recovered, a.Reason)
			}
			at := after
			if !a.Recovered {
				at = len(l.events)
			}
			for at < len(l.events) {
				page, err := cursor.Next(l.ctx())
				if err != nil || page.Restated != nil {
					t.Fatalf("after %d: %+v %v", at, page.Restated, err)
				}
				for _, e := range page.Events {
					if !bytes.Equal(e, l.events[at]) {
						t.Fatalf("event %d is\n%.300s\nnot\n%.300s", at+1, e, l.events[at])
					}
					at++
				}
			}
		}
	}
	check(0)
	succeeded(t, l.answer(resolved(open[0].ID, `{"approved":true}`)))
	check(asked - 1) // the question's mark has gone
	l.wellFormed()
}
