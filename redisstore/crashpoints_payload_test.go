package redisstore

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/redistest"
)

// putPayload stores a value as an agent's node does.
func putPayload(t *testing.T, s *Store, upload string, value []byte) (string, error) {
	t.Helper()
	i := 0
	for piece := range slices.Chunk(value, store.PayloadPiece) {
		if err := s.PutPayloadPiece(t.Context(), testKey, upload, i, piece); err != nil {
			return "", err
		}
		i++
	}
	sum := sha256.Sum256(value)
	digest := hex.EncodeToString(sum[:])
	_, err := s.KeepPayload(t.Context(), testKey, upload, store.NewPayload{Digest: digest, Size: int64(len(value)), Type: "text/plain", Namespace: 1 << 30, Thread: 1 << 30})
	return digest, err
}

// wholePayload reads a payload: nil, there is none. One that is there in part fails.
func wholePayload(t *testing.T, s *Store, digest string) []byte {
	t.Helper()
	info, err := s.Payload(t.Context(), testKey, digest)
	if err != nil {
		t.Fatal(err)
	}
	if info == nil || info.Gone {
		return nil
	}
	all := []byte{}
	for i := 0; int64(len(all)) < info.Size; i++ {
		piece, err := s.ReadPayload(t.Context(), testKey, digest, i)
		if err != nil || piece == nil {
			t.Fatalf("it is there, and has %d of %d bytes: %v", len(all), info.Size, err)
		}
		all = append(all, piece...)
	}
	return all
}

// keptOf is what is kept of payloads: how many bytes the namespace has, and the keys that
// nothing takes away by itself.
func keptOf(t *testing.T, s *Store) (total int64, lasting []string) {
	t.Helper()
	p := s.conn.Keys.Thread(testKey)
	total, err := s.conn.Client.HGet(t.Context(), p.Part.PayloadBytes(), testKey.Namespace).Int64()
	if err != nil && err != redis.Nil {
		t.Fatal(err)
	}
	for _, pattern := range []string{p.Payload("*"), p.Upload("*")} {
		keys, err := s.conn.Client.Keys(t.Context(), pattern).Result()
		if err != nil {
			t.Fatal(err)
		}
		for _, key := range keys {
			if ttl := s.conn.Client.PTTL(t.Context(), key).Val(); ttl < 0 {
				lasting = append(lasting, key)
			}
		}
	}
	return total, lasting
}

// Wherever the process dies that stores a payload, and whether or not the call it died at took
// effect: it is there whole or not at all, whoever stores it again has it once, its bytes count
// once, and what was left of the upload goes by itself.
func TestCrashPointsOfStoringAPayload(t *testing.T) {
	url := redistest.Start(t, redistest.Options{}).URL()
	value := bytes.Repeat([]byte("payload "), 5*store.PayloadPiece/16)
	for _, behind := range []bool{false, true} {
		points := 0
		for finished := false; !finished; {
			points++
			name := fmt.Sprint("behind ", behind, " call ", points)
			t.Run(name, func(t *testing.T) {
				o := Options{Prefix: "payload " + name, Partitions: 2}
				s, far := open(t, url, o), open(t, url, o)
				begin(t, s, inline(0, "r1"))
				at := &dying{left: points, behind: behind}
				far.conn.Client.(*redis.Client).AddHook(at)
				_, err := putPayload(t, far, "one", value)
				if finished = !at.died; finished != (err == nil) {
					t.Fatal(err)
				}
				sum := sha256.Sum256(value)
				digest := hex.EncodeToString(sum[:])
				got := wholePayload(t, s, digest)
				if got != nil && !bytes.Equal(got, value) {
					t.Fatalf("%d bytes are there, and other ones", len(got))
				}
				if total, lasting := keptOf(t, s); total != int64(len(got)) || got == nil && len(lasting) > 0 {
					t.Errorf("%d of %d bytes count, and %q stay", total, len(got), lasting)
				}
				if _, err := putPayload(t, s, "two", value); err != nil {
					t.Fatalf("again: %v", err)
				}
				if got := wholePayload(t, s, digest); !bytes.Equal(got, value) {
					t.Errorf("stored again it has %d bytes", len(got))
				}
				if total, lasting := keptOf(t, s); total != int64(len(value)) || len(lasting) != 1 {
					t.Errorf("stored again %d bytes count, want %d, and %q stay, want one", total, len(value), lasting)
				}
			})
			if t.Failed() {
				return
			}
		}
		if points < 5 {
			t.Errorf("storing has %d calls only", points)
		}
	}
}

// Wherever the process dies that sweeps, what nothing refers to is forgotten by the next one,
// what something refers to stays, and neither counts twice.
func TestCrashPointsOfSweepingPayloads(t *testing.T) {
	url := redistest.Start(t, redistest.Options{}).URL()
	referred, orphan := bytes.Repeat([]byte("r"), store.PayloadPiece+1), bytes.Repeat([]byte("o"), store.PayloadPiece+1)
	for _, behind := range []bool{false, true} {
		points := 0
		for finished := false; !finished; {
			points++
			name := fmt.Sprint("behind ", behind, " call ", points)
			t.Run(name, func(t *testing.T) {
				now := time.UnixMilli(1_800_000_000_000)
				o := Options{Prefix: "sweep " + name, Partitions: 2, Clock: func() time.Time { return now }}
				s, far := open(t, url, o), open(t, url, o)
				begin(t, s, inline(0, "r1"))
				stays, err := putPayload(t, s, "one", referred)
				if err != nil {
					t.Fatal(err)
				}
				goes, err := putPayload(t, s, "two", orphan)
				if err != nil {
					t.Fatal(err)
				}
				sweep := func(s *Store) error {
					for {
						due, more, err := s.DuePayloads(t.Context())
						if err != nil {
							return err
						}
						for _, d := range due {
							if err := s.SettlePayload(t.Context(), d, d.Digest == stays); err != nil {
								return err
							}
						}
						if !more {
							return nil
						}
					}
				}
				now = now.Add(store.PayloadGrace)
				at := &dying{left: points, behind: behind}
				far.conn.Client.(*redis.Client).AddHook(at)
				err = sweep(far)
				if finished = !at.died; finished != (err == nil) {
					t.Fatal(err)
				}
				// What was told to the one that died is told again after a while.
				now = now.Add(payloadAgain)
				if err := sweep(s); err != nil {
					t.Fatal(err)
				}
				if got := wholePayload(t, s, stays); !bytes.Equal(got, referred) {
					t.Errorf("what something refers to has %d bytes", len(got))
				}
				if got := wholePayload(t, s, goes); got != nil {
					t.Errorf("what nothing refers to is still there, %d bytes", len(got))
				}
				if total, _ := keptOf(t, s); total != int64(len(referred)) {
					t.Errorf("%d bytes count, want %d", total, len(referred))
				}
			})
			if t.Failed() {
				return
			}
		}
		if points < 4 {
			t.Errorf("sweeping has %d calls only", points)
		}
	}
}
