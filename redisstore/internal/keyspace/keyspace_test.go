package keyspace

import (
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/aguiws/aguiws/adapter/store"
)

func TestPartitionsSpreadEvenlyOverSlots(t *testing.T) {
	if got := Crc16("123456789"); got != 0x31c3 { // the check value of CRC-16/XMODEM
		t.Fatalf("crc16: %x", got)
	}
	for _, n := range []int{1, 3, 64, 1024} {
		tags := partitionTags(n)
		for i, tag := range tags {
			if slot := int(Crc16(tag)) % Slots; slot*n/Slots != i {
				t.Errorf("%d of %d: tag %s lies in slot %d", i, n, tag, slot)
			}
		}
		slices.Sort(tags)
		if len(slices.Compact(tags)) != n {
			t.Errorf("%d tags repeat", n)
		}
	}
	masters := map[int]int{}
	for _, tag := range partitionTags(64) {
		masters[int(Crc16(tag))%Slots*3/Slots]++
	}
	for m, n := range masters {
		if n < 21 || n > 22 {
			t.Errorf("master %d of three has %d of 64 partitions", m, n)
		}
	}
}

func TestKeysOfAThreadShareOneTag(t *testing.T) {
	k := New("p", 64)
	for _, thread := range []string{"", "}{", "{p1}", strings.Repeat("x", 999)} {
		th := k.Thread(store.ThreadKey{Namespace: "{ns}", Thread: thread})
		tags := regexp.MustCompile(`^p:\{(p\d+)\}:[0-9A-Za-z_:-]+$`)
		var want string
		for _, key := range th.All() {
			m := tags.FindStringSubmatch(key)
			if m == nil || want != "" && m[1] != want {
				t.Fatalf("key %q", key)
			}
			want = m[1]
		}
		if got, ok := ThreadOf(th.Member); !ok || got.Thread != thread || got.Namespace != "{ns}" {
			t.Errorf("%q reads back as %q", thread, got)
		}
	}
	a, _ := threadHash(store.ThreadKey{Namespace: "a", Thread: "bc"})
	b, _ := threadHash(store.ThreadKey{Namespace: "ab", Thread: "c"})
	if a == b {
		t.Error("namespace and thread run together")
	}
}

// The keys of a thread have the order of keysOf.
func TestTheKeysOfAThreadAreInOrder(t *testing.T) {
	text, err := os.ReadFile("../../lua/thread.lua")
	if err != nil {
		t.Fatal(err)
	}
	for i, key := range New("p", 1).Thread(store.ThreadKey{}).All() {
		want := key[strings.LastIndexByte(key, ':')+1:] + " = k[" + strconv.Itoa(i+1) + "]"
		if !strings.Contains(string(text), want) {
			t.Errorf("keysOf has not %s", want)
		}
	}
}

// FuzzMember reads back the name of a thread in sorted sets.
func FuzzMember(f *testing.F) {
	f.Add("9:x")
	f.Fuzz(func(t *testing.T, s string) {
		if key, ok := ThreadOf(s); ok {
			if back, ok := ThreadOf(MemberOf(key)); !ok || back != key {
				t.Errorf("%q: %v, then %v", s, key, back)
			}
		}
	})
}
