package storetest

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
)

// putPieces puts a value as the payload that it is, piece by piece.
func (th *thread) putPieces(upload, value string) store.NewPayload {
	th.Helper()
	i := 0
	for piece := range slices.Chunk([]byte(value), store.PayloadPiece) {
		if err := th.s.PutPayloadPiece(th.Context(), th.key, upload, i, piece); err != nil {
			th.Fatal(err)
		}
		i++
	}
	sum := sha256.Sum256([]byte(value))
	return store.NewPayload{Digest: hex.EncodeToString(sum[:]), Size: int64(len(value)), Type: "text/plain", Name: "a \x00 name"}
}

// put is putPieces and KeepPayload.
func (th *thread) put(value string, with ...func(*store.NewPayload)) (store.PayloadInfo, error) {
	th.Helper()
	p := th.putPieces("of "+value[:min(len(value), 20)], value)
	for _, f := range with {
		f(&p)
	}
	return th.s.KeepPayload(th.Context(), th.key, "of "+value[:min(len(value), 20)], p)
}

func (th *thread) keptPayload(value string, with ...func(*store.NewPayload)) store.PayloadInfo {
	th.Helper()
	info, err := th.put(value, with...)
	return must(th, info, err)
}

// payload is a payload in a word or its bytes.
func (th *thread) payload(digest string) string {
	th.Helper()
	info, err := th.s.Payload(th.Context(), th.key, digest)
	if must(th, info, err) == nil {
		return "none"
	}
	if info.Gone {
		return "gone"
	}
	var all []byte
	for i := 0; int64(len(all)) < info.Size; i++ {
		piece, err := th.s.ReadPayload(th.Context(), th.key, digest, i)
		if must(th, piece, err) == nil {
			return fmt.Sprintf("%d of %d bytes", len(all), info.Size)
		}
		all = append(all, piece...)
	}
	return string(all)
}

// duePayloads are the digests that come due of the thread.
func (th *thread) duePayloads() (list []store.DuePayload) {
	th.Helper()
	for more := true; more; {
		due, rest, err := th.s.DuePayloads(th.Context())
		list, more = append(list, must(th, due, err)...), rest
	}
	return list
}

func keeping(d time.Duration) func(*store.NewPayload) {
	return func(p *store.NewPayload) { p.Keep = d }
}

func within(thread, namespace int64) func(*store.NewPayload) {
	return func(p *store.NewPayload) { p.Thread, p.Namespace = thread, namespace }
}

var payloadTests = []test{
	{"a payload is read as it was put, whatever its size, by any node, and by no other thread", func(e *env) {
		th := e.thread()
		th.begun(th.execute("r1"))
		other, elsewhere := e.on(th.s, "other"), e.on(th.s, "t")
		elsewhere.key.Namespace = "elsewhere"
		node := e.node("b")
		for _, value := range []string{"x", "\x01\x00bytes", strings.Repeat("abcdefg ", store.PayloadPiece/8), strings.Repeat("0123456789", 3*store.PayloadPiece/10)} {
			info := th.keptPayload(value)
			if info.Size != int64(len(value)) || info.Type != "text/plain" || info.Name != "a \x00 name" || info.Created.IsZero() || !info.Expires.IsZero() {
				e.Errorf("%d bytes: %+v", len(value), info)
			}
			if got := th.from(node).payload(info.Digest); got != value {
				e.Errorf("%d bytes are read as %d", len(value), len(got))
			}
			same(th, "of others", other.payload(info.Digest)+elsewhere.payload(info.Digest), "nonenone")
		}
		same(th, "unknown", th.payload(strings.Repeat("0", 64)), "none")
	}},
	{"an equal payload is stored once, and stays for the longer of the two times", func(e *env) {
		clock := e.stopped()
		th := e.thread()
		th.begun(th.execute("r1"))
		first := th.keptPayload("value", keeping(time.Hour), within(7, 7))
		again := th.keptPayload("value", keeping(2*time.Hour), within(7, 7))
		same(th, "digest", again.Digest, first.Digest)
		same(th, "expires", again.Expires.Sub(first.Expires), time.Hour)
		same(th, "shorter", th.keptPayload("value", keeping(time.Minute)).Expires, again.Expires)
		sent, err := th.s.KeepPayload(e.Context(), th.key, "of value", store.NewPayload{Digest: first.Digest, Size: 5, Keep: time.Hour})
		same(th, "sent again", must(th, sent, err).Expires, again.Expires)
		if _, err := th.put("other", within(7, 0)); !errors.Is(err, store.ErrPayloadQuota) {
			e.Errorf("beyond the thread's bytes: %v", err)
		}
		clock.move(2 * time.Hour)
		same(th, "expired", th.payload(first.Digest), "gone")
		th.duePayloads()
		same(th, "swept", th.payload(first.Digest), "gone")
		th.keptPayload("other", within(7, 7)) // its bytes count no more
		th.keptPayload("value", within(20, 20))
		same(th, "put again", th.payload(first.Digest), "value")
		clock.move(1000 * time.Hour)
		th.duePayloads()
		same(th, "for ever", th.payload(first.Digest), "value")
	}},
	{"what is missing of a payload is said, and it is put again", func(e *env) {
		th := e.thread()
		th.begun(th.execute("r1"))
		value := strings.Repeat("x", store.PayloadPiece+1)
		p := th.putPieces("u", value)
		p.Size += store.PayloadPiece
		if _, err := th.s.KeepPayload(e.Context(), th.key, "u", p); !errors.Is(err, store.ErrPayloadLost) {
			e.Errorf("a piece is missing: %v", err)
		}
		if _, err := th.s.KeepPayload(e.Context(), th.key, "never", p); !errors.Is(err, store.ErrPayloadLost) {
			e.Errorf("all are missing: %v", err)
		}
		same(th, "afterwards", th.payload(p.Digest), "none")
		same(th, "put again", th.payload(th.keptPayload(value).Digest), value)
	}},
	{"a namespace has its bytes in all its threads, and others have theirs", func(e *env) {
		th, other, elsewhere := e.thread(), e.on(e.node("b"), "other"), e.on(e.node("c"), "t")
		elsewhere.key.Namespace = "elsewhere"
		for _, th := range []*thread{th, other, elsewhere} {
			th.begun(th.execute("r1"))
		}
		th.keptPayload("123456", within(0, 10))
		if _, err := other.put("abcdef", within(0, 10)); !errors.Is(err, store.ErrPayloadQuota) {
			e.Errorf("beyond the namespace's bytes: %v", err)
		}
		elsewhere.keptPayload("abcdef", within(0, 10))
		th.keptPayload("123456", within(0, 6)) // has its room
		th.stop("label-r1")
		same(th, "deleted", th.deleted(), true)
		other.keptPayload("abcdef", within(0, 10))
	}},
	{"payloads go with their thread, and are no other's of that name", func(e *env) {
		clock := e.stopped()
		th := e.thread()
		th.begun(th.execute("r1"))
		kept, short := th.keptPayload("kept"), th.keptPayload("short", keeping(time.Hour))
		th.stop("label-r1")
		same(th, "deleted", th.deleted(), true)
		same(th, "then", th.payload(kept.Digest)+th.payload(short.Digest), "nonenone")
		if _, err := th.put("late"); err == nil {
			e.Error("a deleted thread takes a payload")
		}
		th.begun(th.execute("r2"))
		same(th, "in the next life", th.payload(kept.Digest), "none")
		clock.move(100 * time.Hour)
		if due := th.duePayloads(); len(due) > 0 {
			e.Errorf("due of what is gone: %v", due)
		}
	}},
	{"what nothing refers to is forgotten, unless it is put again", func(e *env) {
		clock := e.stopped()
		th := e.thread()
		th.begun(th.execute("r1"))
		referred, orphan, again := th.keptPayload("referred"), th.keptPayload("orphan"), th.keptPayload("again")
		if due := th.duePayloads(); len(due) > 0 {
			e.Fatalf("at once: %v", due)
		}
		clock.move(store.PayloadGrace)
		due := th.duePayloads()
		if len(due) != 3 {
			e.Fatalf("due: %v", due)
		}
		if more := th.duePayloads(); len(more) > 0 {
			e.Errorf("at once again: %v", more)
		}
		th.keptPayload("again")
		for _, d := range due {
			if d.Thread != th.key {
				e.Errorf("of %v", d.Thread)
			}
			if err := th.s.SettlePayload(e.Context(), d, d.Digest == referred.Digest); err != nil {
				e.Error(err)
			}
		}
		same(th, "then", th.payload(referred.Digest)+th.payload(orphan.Digest)+th.payload(again.Digest), "referrednoneagain")
		clock.move(store.PayloadGrace)
		if due := th.duePayloads(); len(due) != 1 || due[0].Digest != again.Digest {
			e.Errorf("what was put again comes again: %v", due)
		}
		clock.move(1000 * time.Hour)
		if due := th.duePayloads(); len(due) != 1 || due[0].Digest != again.Digest {
			e.Errorf("what was not settled comes again, and nothing else: %v", due)
		}
	}},
	{"what an execution may go on with is said", func(e *env) {
		clock := e.stopped()
		th := e.thread()
		claim := th.begun(th.execute("r1"))
		th.keptPayload("value")
		live := func(what string, want bool) {
			e.Helper()
			clock.move(store.PayloadGrace)
			if due := th.duePayloads(); len(due) != 1 || due[0].Live != want {
				e.Errorf("%s: %+v", what, due)
			}
		}
		th.bury(failing(claim))
		live("a dead letter", true)
		th.ok(ending(th.begun(th.execute("r2")), 2, th.view().Seq, "end", store.EndFinish))
		live("at rest", false)
	}},
	{"a thread has a bounded number of payloads, and lets go of all at once", func(e *env) {
		th := e.thread()
		th.begun(th.execute("r1"))
		var last store.PayloadInfo
		for i := range store.MaxPayloads {
			last = th.keptPayload(fmt.Sprintf("value %d", i))
		}
		if _, err := th.put("one more"); !errors.Is(err, store.ErrPayloadQuota) {
			e.Errorf("one more: %v", err)
		}
		th.stop("label-r1")
		same(th, "deleted", th.deleted(), true)
		same(th, "then", th.payload(last.Digest), "none")
	}},
	{"pieces are bytes", func(e *env) {
		th := e.thread()
		th.begun(th.execute("r1"))
		value := bytes.Repeat([]byte{1, 0, 255, '"'}, 1000)
		same(th, "read", th.payload(th.keptPayload(string(value)).Digest), string(value))
	}},
}
