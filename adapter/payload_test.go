package adapter_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/operate"
	"github.com/aguiws/aguiws/adapter/runner"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
	"github.com/aguiws/aguiws/redisstore"
)

// countedPieces counts what is put, and loses the first reply of each kind.
type countedPieces struct {
	store.Store
	pieces, kept atomic.Int64
}

func (c *countedPieces) PutPayloadPiece(ctx context.Context, key store.ThreadKey, upload string, i int, data []byte) error {
	err := c.Store.PutPayloadPiece(ctx, key, upload, i, data)
	if c.pieces.Add(1) == 1 {
		return store.ErrOutcomeUnknown
	}
	return err
}

func (c *countedPieces) KeepPayload(ctx context.Context, key store.ThreadKey, upload string, p store.NewPayload) (store.PayloadInfo, error) {
	info, err := c.Store.KeepPayload(ctx, key, upload, p)
	if c.kept.Add(1) == 1 {
		return store.PayloadInfo{}, store.ErrOutcomeUnknown
	}
	return info, err
}

// resultsOf are the contents of the results that were logged.
func resultsOf(events []protocol.Event) (list []*protocol.Content) {
	for _, e := range events {
		if r, ok := e.(*protocol.ToolCallResult); ok {
			list = append(list, &r.Content)
		}
	}
	return list
}

// callsTool opens a call and closes it, as a result needs.
func callsTool(run *adapter.Run) (string, error) {
	id := run.NewID()
	return id, run.Emit(&protocol.ToolCallStart{ToolCallID: id, ToolCallName: "report"}, &protocol.ToolCallEnd{ToolCallID: id})
}

func TestALargeResultTravelsByReference(t *testing.T) {
	large := strings.Repeat("0123456789abcdé ", 40_000) // three pieces
	var whole, opened string
	agent := adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
		if messages := run.Input().Messages; messages[len(messages)-1].Content.String() == "again" {
			for _, m := range messages {
				if m.Role == protocol.RoleTool {
					var err error
					if whole, err = run.Whole(ctx, m.Content, 1<<20); err != nil {
						return err
					}
				}
			}
		}
		call, err := callsTool(run)
		if err != nil {
			return err
		}
		p, err := adapter.Step(ctx, run, "report", func(ctx context.Context) (adapter.Payload, error) {
			return run.PutPayload(ctx, strings.NewReader(large), adapter.PayloadOptions{MediaType: "text/plain", Name: "report.txt"})
		})
		if err != nil {
			return err
		}
		if err := run.ToolResultPayload(call, p); err != nil {
			return err
		}
		if _, err := run.Ask(ctx, confirmation("well?")); err != nil {
			return err
		}
		r, err := run.OpenPayload(ctx, p.Ref) // after a replay: the reference is journaled
		if err != nil {
			return err
		}
		text, err := io.ReadAll(r)
		opened = string(text)
		return err
	})
	counted := new(countedPieces)
	l := newLabOn(t, func(s store.Store) store.Store { counted.Store = s; return counted }, agent)
	asked := l.say("make it")
	results := resultsOf(asked)
	if len(results) != 1 {
		t.Fatalf("%s", show(asked))
	}
	p, ok := adapter.PayloadIn(results[0])
	if !ok || p.Size != int64(len(large)) || p.Name != "report.txt" || !strings.HasPrefix(large, p.Preview) || p.Preview == "" || len(results[0].String()) > 1000 {
		t.Fatalf("%+v in %s", p, results[0])
	}
	l.answer(resolved(interrupts(t, asked)[0].ID, "true"))
	if opened != large {
		t.Errorf("after the answer %d bytes are read of %d", len(opened), len(large))
	}
	if n := counted.pieces.Load(); n != 4 { // three, and one whose reply was lost
		t.Errorf("%d pieces were put", n)
	}
	l.say("again")
	if whole != large {
		t.Errorf("the next run reads %d bytes of %d", len(whole), len(large))
	}
	l.wellFormed()
	if _, err := l.store.Payload(l.ctx(), store.ThreadKey{Namespace: "other", Thread: l.key.Thread}, strings.TrimPrefix(p.Digest, "sha256:")); err != nil {
		t.Error(err)
	}
}

func TestResultsFromALengthOnAreReferredTo(t *testing.T) {
	large := `{"rows":"` + strings.Repeat("x", 1000) + `"}`
	agent := adapter.AgentFunc(func(_ context.Context, run *adapter.Run) error {
		for _, result := range []string{"small", large, large, strings.Repeat("y", 2000)} {
			call, err := callsTool(run)
			if err != nil {
				return err
			}
			if err := run.ToolResult(call, result); err != nil {
				return err
			}
		}
		return nil
	})
	for name, tt := range map[string]struct {
		configure func(*runner.Options)
		referred  string
	}{
		"off": {func(*runner.Options) {}, "no no no no"},
		"on":  {func(o *runner.Options) { o.PayloadsFrom = 1000 }, "no application/json application/json text/plain; charset=utf-8"},
		"no room": {func(o *runner.Options) { o.PayloadsFrom, o.MaxThreadPayloadBytes = 1000, 1500 },
			"no application/json application/json no"},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t, agent, tt.configure)
			var got, digests []string
			for _, r := range resultsOf(l.say("go")) {
				p, ok := adapter.PayloadIn(r)
				if !ok {
					got = append(got, "no")
					continue
				}
				got, digests = append(got, p.MediaType), append(digests, p.Ref)
			}
			if strings.Join(got, " ") != tt.referred {
				t.Errorf("%q", got)
			}
			if len(digests) > 1 && digests[0] != digests[1] {
				t.Errorf("equal results are kept twice: %q", digests)
			}
			l.wellFormed()
		})
	}
}

func TestPayloadsThatCannotBe(t *testing.T) {
	broken := errors.New("broken")
	for name, tt := range map[string]struct {
		value   io.Reader
		options adapter.PayloadOptions
		want    string
	}{
		"too large":  {strings.NewReader(strings.Repeat("x", 101)), adapter.PayloadOptions{}, "larger than one may be"},
		"no type":    {strings.NewReader("x"), adapter.PayloadOptions{MediaType: "text/html; ="}, "no media type"},
		"its reader": {io.MultiReader(strings.NewReader("x"), readerOf{broken}), adapter.PayloadOptions{}, "broken"},
		"quota":      {strings.NewReader(strings.Repeat("x", 60)), adapter.PayloadOptions{}, "no room"},
	} {
		t.Run(name, func(t *testing.T) {
			var failed error
			l := newLab(t, adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
				_, failed = run.PutPayload(ctx, tt.value, tt.options)
				return nil
			}), func(o *runner.Options) { o.MaxPayloadBytes, o.MaxThreadPayloadBytes = 100, 50 })
			l.say("go")
			if failed == nil || !strings.Contains(failed.Error(), tt.want) {
				t.Errorf("%v", failed)
			}
		})
	}
}

type readerOf struct{ error }

func (r readerOf) Read([]byte) (int, error) { return 0, r.error }

func TestReferencesOfOtherThreadsOpenNothing(t *testing.T) {
	var put adapter.Payload
	failed := map[string]error{}
	l := newLab(t, adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) (err error) {
		if run.ThreadID() == "thread" {
			put, err = run.PutPayload(ctx, strings.NewReader("secret"), adapter.PayloadOptions{})
			return err
		}
		_, digest, _ := adapter.ParsePayloadRef(put.Ref)
		for _, ref := range []string{put.Ref, "b3RoZXI." + digest, "", "x", "b3RoZXI.zz", "b3RoZXI"} {
			if _, err := run.OpenPayload(ctx, ref); !errors.Is(err, adapter.ErrNoPayload) {
				failed[ref] = err
			}
		}
		return nil
	}))
	l.say("put")
	l.on("other").say("steal")
	for ref, err := range failed {
		t.Errorf("%q: %v", ref, err)
	}
}

// What the thread refers to outlives the look at it, and what it does not refer to does not.
func TestOrphansAreSwept(t *testing.T) {
	var orphan, shown, inState adapter.Payload
	l := newLab(t, adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) (err error) {
		for value, p := range map[string]*adapter.Payload{"orphan": &orphan, "shown": &shown, "state": &inState} {
			if *p, err = run.PutPayload(ctx, strings.NewReader(value), adapter.PayloadOptions{MediaType: "text/plain"}); err != nil {
				return err
			}
		}
		call, err := callsTool(run)
		if err != nil {
			return err
		}
		if err := run.ToolResultPayload(call, shown); err != nil {
			return err
		}
		return run.SetState(map[string]any{"report": inState})
	}))
	l.say("go")
	is := func(p adapter.Payload) string {
		info, err := l.store.Payload(l.ctx(), l.key, strings.TrimPrefix(p.Digest, "sha256:"))
		if err != nil {
			t.Fatal(err)
		}
		if info == nil {
			return "none"
		}
		return "there"
	}
	if got := is(orphan) + is(shown) + is(inState); got != "theretherethere" {
		t.Fatal(got)
	}
	// Another node looks as it starts; then many looks later.
	l.forward(store.PayloadGrace + time.Second)
	l.replace(adapter.AgentFunc(func(context.Context, *adapter.Run) error { return nil }))
	for ctx := l.ctx(); is(orphan) != "none"; {
		if ctx.Err() != nil {
			t.Fatal("the orphan stays")
		}
	}
	if got := is(shown) + is(inState); got != "therethere" {
		t.Error(got)
	}
}

// What was taken out of the thread can be restored, and what it refers to with it, though
// the log does not say any more that it was there.
func TestPayloadsOfBranchesStay(t *testing.T) {
	var shown, orphan adapter.Payload
	agent := adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) (err error) {
		if messages := run.Input().Messages; messages[len(messages)-1].Content.String() != "put" {
			return run.Say("something else")
		}
		// They are settled in this order, of their digests if they came in one moment.
		if shown, err = run.PutPayload(ctx, strings.NewReader("shown"), adapter.PayloadOptions{}); err != nil {
			return err
		}
		if orphan, err = run.PutPayload(ctx, strings.NewReader("stray"), adapter.PayloadOptions{}); err != nil {
			return err
		}
		call, err := callsTool(run)
		if err != nil {
			return err
		}
		return run.ToolResultPayload(call, shown)
	})
	var ahead atomic.Int64
	l := newLabOn(t, func(store.Store) store.Store {
		st, err := redisstore.Embedded(&redisstore.Options{Lease: leaseInTests, Retain: 10, Clock: func() time.Time {
			return time.Now().Add(time.Duration(ahead.Load()))
		}})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { st.Close() })
		return st
	}, agent)
	l.say("put")
	l.inject(operate.Injection{Text: "rather not", Before: "m-put"})
	for _, text := range []string{"a", "b", "c"} {
		l.say(text)
	}
	is := func(p adapter.Payload) bool {
		info, err := l.store.Payload(l.ctx(), l.key, strings.TrimPrefix(p.Digest, "sha256:"))
		if err != nil {
			t.Fatal(err)
		}
		return info != nil
	}
	ahead.Add(int64(store.PayloadGrace + time.Second))
	l.replace(agent)
	for ctx := l.ctx(); is(orphan); {
		if ctx.Err() != nil {
			t.Fatal("the orphan stays")
		}
	}
	if !is(shown) {
		t.Error("what a branch refers to is gone")
	}
}
