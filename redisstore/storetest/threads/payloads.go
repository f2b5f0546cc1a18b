package threads

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/storetest/stage"
)

// putPieces puts a value as the payload that it is, piece by piece.
func putPieces(th *stage.Thread, upload, value string) store.NewPayload {
	th.Helper()
	i := 0
	for piece := range slices.Chunk([]byte(value), store.PayloadPiece) {
		if err := th.Store.PutPayloadPiece(th.Context(), th.Key, upload, i, piece); err != nil {
			th.Fatal(err)
		}
		i++
	}
	sum := sha256.Sum256([]byte(value))
	return store.NewPayload{Digest: hex.EncodeToString(sum[:]), Size: int64(len(value)), Type: "text/plain", Name: "a \x00 name"}
}

// put is putPieces and KeepPayload.
func put(th *stage.Thread, value string, with ...func(*store.NewPayload)) (store.PayloadInfo, error) {
	th.Helper()
	p := putPieces(th, "of "+value[:min(len(value), 20)], value)
	for _, f := range with {
		f(&p)
	}
	return th.Store.KeepPayload(th.Context(), th.Key, "of "+value[:min(len(value), 20)], p)
}

func keptPayload(th *stage.Thread, value string, with ...func(*store.NewPayload)) store.PayloadInfo {
	th.Helper()
	info, err := put(th, value, with...)
	return stage.Must(th, info, err)
}

// payload is a payload in a word or its bytes.
func payload(th *stage.Thread, digest string) string {
	th.Helper()
	info, err := th.Store.Payload(th.Context(), th.Key, digest)
	if stage.Must(th, info, err) == nil {
		return "none"
	}
	if info.Gone {
		return "gone"
	}
	var all []byte
	for i := 0; int64(len(all)) < info.Size; i++ {
		piece, err := th.Store.ReadPayload(th.Context(), th.Key, digest, i)
		if stage.Must(th, piece, err) == nil {
			return fmt.Sprintf("%d of %d bytes", len(all), info.Size)
		}
		all = append(all, piece...)
	}
	return string(all)
}

// duePayloads are the digests that come due of the thread.
func duePayloads(th *stage.Thread) (list []store.DuePayload) {
	th.Helper()
	for more := true; more; {
		due, rest, err := th.Store.DuePayloads(th.Context())
		list, more = append(list, stage.Must(th, due, err)...), rest
	}
	return list
}

func keeping(d time.Duration) func(*store.NewPayload) {
	return func(p *store.NewPayload) { p.Keep = d }
}

func within(thread, namespace int64) func(*store.NewPayload) {
	return func(p *store.NewPayload) { p.Thread, p.Namespace = thread, namespace }
}

var PayloadTests = []stage.Test{
	{"a payload is read as it was put, whatever its size, by any node, and by no other thread", func(e *stage.Env) {
		th := e.Thread()
		th.Begun(th.Execute("r1"))
		other, elsewhere := e.On(th.Store, "other"), e.On(th.Store, "t")
		elsewhere.Key.Namespace = "elsewhere"
		node := e.Node("b")
		for _, value := range []string{"x", "\x01\x00bytes", strings.Repeat("abcdefg ", store.PayloadPiece/8), strings.Repeat("0123456789", 3*store.PayloadPiece/10)} {
			info := keptPayload(th, value)
			if info.Size != int64(len(value)) || info.Type != "text/plain" || info.Name != "a \x00 name" || info.Created.IsZero() || !info.Expires.IsZero() {
				e.Errorf("%d bytes: %+v", len(value), info)
			}
			if got := payload(th.From(node), info.Digest); got != value {
				e.Errorf("%d bytes are read as %d", len(value), len(got))
			}
			stage.Same(th, "of others", payload(other, info.Digest)+payload(elsewhere, info.Digest), "nonenone")
		}
		stage.Same(th, "unknown", payload(th, strings.Repeat("0", 64)), "none")
	}},
	{"an equal payload is stored once, and stays for the longer of the two times", func(e *stage.Env) {
		clock := e.Stopped()
		th := e.Thread()
		th.Begun(th.Execute("r1"))
		first := keptPayload(th, "value", keeping(time.Hour), within(7, 7))
		again := keptPayload(th, "value", keeping(2*time.Hour), within(7, 7))
		stage.Same(th, "digest", again.Digest, first.Digest)
		stage.Same(th, "expires", again.Expires.Sub(first.Expires), time.Hour)
		stage.Same(th, "shorter", keptPayload(th, "value", keeping(time.Minute)).Expires, again.Expires)
		sent, err := th.Store.KeepPayload(e.Context(), th.Key, "of value", store.NewPayload{Digest: first.Digest, Size: 5, Keep: time.Hour})
		stage.Same(th, "sent again", stage.Must(th, sent, err).Expires, again.Expires)
		if _, err := put(th, "other", within(7, 0)); !errors.Is(err, store.ErrPayloadQuota) {
			e.Errorf("beyond the thread's bytes: %v", err)
		}
		clock.Move(2 * time.Hour)
		stage.Same(th, "expired", payload(th, first.Digest), "gone")
		duePayloads(th)
		stage.Same(th, "swept", payload(th, first.Digest), "gone")
		keptPayload(th, "other", within(7, 7)) // its bytes count no more
		keptPayload(th, "value", within(20, 20))
		stage.Same(th, "put again", payload(th, first.Digest), "value")
		clock.Move(1000 * time.Hour)
		duePayloads(th)
		stage.Same(th, "for ever", payload(th, first.Digest), "value")
	}},
	{"what is missing of a payload is said, and it is put again", func(e *stage.Env) {
		th := e.Thread()
		th.Begun(th.Execute("r1"))
		value := strings.Repeat("x", store.PayloadPiece+1)
		p := putPieces(th, "u", value)
		p.Size += store.PayloadPiece
		if _, err := th.Store.KeepPayload(e.Context(), th.Key, "u", p); !errors.Is(err, store.ErrPayloadLost) {
			e.Errorf("a piece is missing: %v", err)
		}
		if _, err := th.Store.KeepPayload(e.Context(), th.Key, "never", p); !errors.Is(err, store.ErrPayloadLost) {
			e.Errorf("all are missing: %v", err)
		}
		stage.Same(th, "afterwards", payload(th, p.Digest), "none")
		stage.Same(th, "put again", payload(th, keptPayload(th, value).Digest), value)
	}},
	{"a namespace has its bytes in all its threads, and others have theirs", func(e *stage.Env) {
		th, other, elsewhere := e.Thread(), e.On(e.Node("b"), "other"), e.On(e.Node("c"), "t")
		elsewhere.Key.Namespace = "elsewhere"
		for _, th := range []*stage.Thread{th, other, elsewhere} {
			th.Begun(th.Execute("r1"))
		}
		keptPayload(th, "123456", within(0, 10))
		if _, err := put(other, "abcdef", within(0, 10)); !errors.Is(err, store.ErrPayloadQuota) {
			e.Errorf("beyond the namespace's bytes: %v", err)
		}
		keptPayload(elsewhere, "abcdef", within(0, 10))
		keptPayload(th, "123456", within(0, 6)) // has its room
		th.Stop("label-r1")
		stage.Same(th, "deleted", stage.Deleted(th), true)
		keptPayload(other, "abcdef", within(0, 10))
	}},
	{"payloads go with their thread, and are no other's of that name", func(e *stage.Env) {
		clock := e.Stopped()
		th := e.Thread()
		th.Begun(th.Execute("r1"))
		kept, short := keptPayload(th, "kept"), keptPayload(th, "short", keeping(time.Hour))
		th.Stop("label-r1")
		stage.Same(th, "deleted", stage.Deleted(th), true)
		stage.Same(th, "then", payload(th, kept.Digest)+payload(th, short.Digest), "nonenone")
		if _, err := put(th, "late"); err == nil {
			e.Error("a deleted thread takes a payload")
		}
		th.Begun(th.Execute("r2"))
		stage.Same(th, "in the next life", payload(th, kept.Digest), "none")
		clock.Move(100 * time.Hour)
		if due := duePayloads(th); len(due) > 0 {
			e.Errorf("due of what is gone: %v", due)
		}
	}},
	{"what nothing refers to is forgotten, unless it is put again", func(e *stage.Env) {
		clock := e.Stopped()
		th := e.Thread()
		th.Begun(th.Execute("r1"))
		referred, orphan, again := keptPayload(th, "referred"), keptPayload(th, "orphan"), keptPayload(th, "again")
		if due := duePayloads(th); len(due) > 0 {
			e.Fatalf("at once: %v", due)
		}
		clock.Move(store.PayloadGrace)
		due := duePayloads(th)
		if len(due) != 3 {
			e.Fatalf("due: %v", due)
		}
		if more := duePayloads(th); len(more) > 0 {
			e.Errorf("at once again: %v", more)
		}
		keptPayload(th, "again")
		for _, d := range due {
			if d.Thread != th.Key {
				e.Errorf("of %v", d.Thread)
			}
			if err := th.Store.SettlePayload(e.Context(), d, d.Digest == referred.Digest); err != nil {
				e.Error(err)
			}
		}
		stage.Same(th, "then", payload(th, referred.Digest)+payload(th, orphan.Digest)+payload(th, again.Digest), "referrednoneagain")
		clock.Move(store.PayloadGrace)
		if due := duePayloads(th); len(due) != 1 || due[0].Digest != again.Digest {
			e.Errorf("what was put again comes again: %v", due)
		}
		clock.Move(1000 * time.Hour)
		if due := duePayloads(th); len(due) != 1 || due[0].Digest != again.Digest {
			e.Errorf("what was not settled comes again, and nothing else: %v", due)
		}
	}},
	{"what an execution may go on with is said", func(e *stage.Env) {
		clock := e.Stopped()
		th := e.Thread()
		claim := th.Begun(th.Execute("r1"))
		keptPayload(th, "value")
		live := func(what string, want bool) {
			e.Helper()
			clock.Move(store.PayloadGrace)
			if due := duePayloads(th); len(due) != 1 || due[0].Live != want {
				e.Errorf("%s: %+v", what, due)
			}
		}
		th.Bury(stage.Failing(claim))
		live("a dead letter", true)
		th.OK(stage.Ending(th.Begun(th.Execute("r2")), 2, th.View().Seq, "end", store.EndFinish))
		live("at rest", false)
	}},
	{"a thread has a bounded number of payloads, and lets go of all at once", func(e *stage.Env) {
		th := e.Thread()
		th.Begun(th.Execute("r1"))
		var last store.PayloadInfo
		for i := range store.MaxPayloads {
			last = keptPayload(th, fmt.Sprintf("value %d", i))
		}
		if _, err := put(th, "one more"); !errors.Is(err, store.ErrPayloadQuota) {
			e.Errorf("one more: %v", err)
		}
		th.Stop("label-r1")
		stage.Same(th, "deleted", stage.Deleted(th), true)
		stage.Same(th, "then", payload(th, last.Digest), "none")
	}},
	{"pieces are bytes", func(e *stage.Env) {
		th := e.Thread()
		th.Begun(th.Execute("r1"))
		value := bytes.Repeat([]byte{1, 0, 255, '"'}, 1000)
		stage.Same(th, "read", payload(th, keptPayload(th, string(value)).Digest), string(value))
	}},
}
