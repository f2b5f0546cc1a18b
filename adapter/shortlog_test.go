package adapter_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/runner"
	"github.com/aguiws/aguiws/protocol"
)

// Clients choose the names of members that nobody knows: the log has some of them,
// cut, on one line, once, and no value.
func TestUnknownMembersAreLoggedShort(t *testing.T) {
	var log logged
	l := newLab(t, adapter.AgentFunc(func(context.Context, *adapter.Run) error { return nil }), func(o *runner.Options) {
		o.Logger = slog.New(slog.NewTextHandler(&log, nil))
	})
	send := func(run, members string) string {
		t.Helper()
		log.take()
		in, err := protocol.DecodeInput([]byte(`{"threadId":"thread","runId":"` + run + `","messages":[{"id":"m` + run + `","role":"user","content":"hi"}]` + members + `}`))
		if err != nil {
			t.Fatal(err)
		}
		l.begins(in)
		l.untilEnd()
		return log.take()
	}
	long := send("long", `,"my-password-`+strings.Repeat("Z", 3<<20)+`":"a secret"`)
	if len(long) > 500 || strings.Contains(long, "a secret") || !strings.Contains(long, "bytes)") {
		t.Errorf("%d bytes: %.500s", len(long), long)
	}
	var many strings.Builder
	for i := range 50_000 {
		fmt.Fprintf(&many, `,"\u0001%x":0`, i)
	}
	if got := send("many", many.String()); len(got) > 3000 || !strings.Contains(got, "and 49980 more") {
		t.Errorf("%d bytes: %.500s", len(got), got)
	}
	if got := send("forged", `,"q\u001b[31m\nlevel=ERROR msg=forged":1`); strings.Count(got, "\n") != 1 || strings.ContainsRune(got, '\x1b') {
		t.Errorf("got %q", got)
	}
	if got := send("again", `,"q\u001b[31m\nlevel=ERROR msg=forged":1`); got != "" {
		t.Errorf("it is told again: %s", got)
	}
}

// What agents say of themselves is cut, too, and so is what a server logs of clients.
func TestLongTextsAreLoggedShort(t *testing.T) {
	var log logged
	l := newLab(t, adapter.AgentFunc(func(context.Context, *adapter.Run) error {
		panic(strings.Repeat("p", 1<<20))
	}), func(o *runner.Options) { o.Logger = slog.New(slog.NewTextHandler(&log, nil)) })
	l.say("hi")
	if got := log.take(); len(got) > 40<<10 || !strings.Contains(got, "ppp") {
		t.Errorf("%d bytes of a panic", len(got))
	}
	huge := strings.Repeat("é", 1<<20)
	log.take()
	l.runner.StoreLog(slog.New(slog.NewTextHandler(&log, nil))).With("user", huge).Warn("said", "thread", huge, "error", errors.New(huge), "value", []any{huge}, "n", 7, "nothing", nil)
	got := log.take()
	if len(got) > 6<<10 || strings.Count(got, "(2097152 bytes)") != 3 || strings.ContainsRune(got, '\uFFFD') || !strings.Contains(got, "n=7") {
		t.Errorf("%d bytes: %.300s", len(got), got)
	}
}
