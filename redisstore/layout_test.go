package redisstore

import (
	"bytes"
	"context"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/redistest"
)

func TestPartitionsSpreadEvenlyOverSlots(t *testing.T) {
	if got := crc16("123456789"); got != 0x31c3 { // the check value of CRC-16/XMODEM
		t.Fatalf("crc16: %x", got)
	}
	for _, n := range []int{1, 3, 64, 1024} {
		tags := partitionTags(n)
		for i, tag := range tags {
			if slot := int(crc16(tag)) % slots; slot*n/slots != i {
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
		masters[int(crc16(tag))%slots*3/slots]++
	}
	for m, n := range masters {
		if n < 21 || n > 22 {
			t.Errorf("master %d of three has %d of 64 partitions", m, n)
		}
	}
}

func TestKeysOfAThreadShareOneTag(t *testing.T) {
	k := newKeyspace("p", 64)
	for _, thread := range []string{"", "}{", "{p1}", strings.Repeat("x", 999)} {
		th := k.thread(store.ThreadKey{Namespace: "{ns}", Thread: thread})
		tags := regexp.MustCompile(`^p:\{(p\d+)\}:[0-9A-Za-z_:-]+$`)
		var want string
		for _, key := range th.all() {
			m := tags.FindStringSubmatch(key)
			if m == nil || want != "" && m[1] != want {
				t.Fatalf("key %q", key)
			}
			want = m[1]
		}
		if got, ok := threadOf(th.member); !ok || got.Thread != thread || got.Namespace != "{ns}" {
			t.Errorf("%q reads back as %q", thread, got)
		}
	}
	a, _ := threadHash(store.ThreadKey{Namespace: "a", Thread: "bc"})
	b, _ := threadHash(store.ThreadKey{Namespace: "ab", Thread: "c"})
	if a == b {
		t.Error("namespace and thread run together")
	}
}

// Redis lets a script touch keys that it did not declare, until it runs in a
// Cluster. So no script may make a key's name, but of a family that it declares: the
// stream of an agent, behind work, what is to be looked at, behind ready, and payloads,
// behind what the keys of their thread or their partition begin with, in T and P.
func TestScriptsTouchDeclaredKeysOnly(t *testing.T) {
	call := regexp.MustCompile(`redis\.p?call\('([A-Z]+)'(?:, '(?:CREATE|DESTROY|DELCONSUMER|GROUPS|CONSUMERS)')?(?:, ([^,)]+))?`)
	family := regexp.MustCompile(`^(t\.work|KEYS\[[^\]]+\]) \.\. \w+(\[\w+\])?\b`)
	key := regexp.MustCompile(`^(t\.[a-z]+|KEYS\[[^\]]+\]|rec|key|followers|journal|queue|log|big|stream|checks|t\.work \.\. agent|T \.\. '(payloads|rec|journal|payload:' \.\. digest)'?|P \.\. 'payloads(:due)?'|unpack\(pieces)$`)
	named := regexp.MustCompile(`\bstream(?:, \w+)* = (.*)`)
	checks := regexp.MustCompile(`\bchecks = (.*)`)
	base := regexp.MustCompile(`\bT = (.*)`)
	ofBase := regexp.MustCompile(`^ARGV\[\d+\] \.\. hash \.\. ':'`)
	beside := regexp.MustCompile(`^(t\.ready|KEYS\[k \+ 1\]) \.\. ':checks'`)
	ofGroups := regexp.MustCompile(`redis\.p?call\('XREADGROUP', [^)]*'STREAMS', KEYS\[\d+\], '>'\)`)
	for _, sc := range allScripts {
		calls, groups := call.FindAllStringSubmatch(sc.source, -1), len(ofGroups.FindAllString(sc.source, -1))
		if len(calls) == 0 {
			t.Errorf("%s: no calls found", sc.name)
		}
		for _, m := range calls {
			switch m[1] {
			case "TIME", "INFO", "PUBLISH":
			case "XREADGROUP":
				groups--
			default:
				if !key.MatchString(m[2]) {
					t.Errorf("%s: %s touches %s", sc.name, m[1], m[2])
				}
			}
		}
		for _, m := range named.FindAllStringSubmatch(sc.source, -1) {
			if !family.MatchString(m[1]) {
				t.Errorf("%s: a stream is named by %s", sc.name, m[1])
			}
		}
		for _, m := range checks.FindAllStringSubmatch(sc.source, -1) {
			if !beside.MatchString(m[1]) {
				t.Errorf("%s: what is to be looked at is named by %s", sc.name, m[1])
			}
		}
		for _, m := range base.FindAllStringSubmatch(sc.source, -1) {
			if !ofBase.MatchString(m[1]) {
				t.Errorf("%s: the keys of a thread begin with %s", sc.name, m[1])
			}
		}
		if groups != 0 {
			t.Errorf("%s: %d calls about groups touch what is no key", sc.name, -groups)
		}
		if strings.Contains(sc.source, "cjson") {
			t.Errorf("%s decodes JSON", sc.name)
		}
	}
}

func TestPartitionsCannotBeChanged(t *testing.T) {
	server := redistest.Start(t, redistest.Options{})
	open(t, server.URL(), Options{Partitions: 8})
	open(t, server.URL(), Options{Partitions: 8})
	if _, err := Open(context.Background(), server.URL(), &Options{Partitions: 9}); err == nil || !strings.Contains(err.Error(), "8 partitions, not 9") {
		t.Errorf("another number: %v", err)
	}
	open(t, server.URL(), Options{Partitions: 9, Prefix: "other"})
	if _, err := Open(context.Background(), server.URL(), &Options{Partitions: -1}); err == nil {
		t.Error("a negative number: no error")
	}
}

func FuzzPack(f *testing.F) {
	f.Add([]byte("a"), []byte(""), "1:a0:")
	f.Add([]byte("1:\x00"), []byte("\xff:"), "9:x")
	f.Fuzz(func(t *testing.T, a, b []byte, s string) {
		got, err := unpack(string(pack(nil, a, b)))
		if err != nil || len(got) != 2 || got[0] != string(a) || got[1] != string(b) {
			t.Errorf("%q %q came back as %q, %v", a, b, got, err)
		}
		if items, err := unpack(s); err == nil {
			if again, _ := unpack(string(pack(nil, items...))); !slices.Equal(again, items) {
				t.Errorf("%q: %q, then %q", s, items, again)
			}
		}
		if key, ok := threadOf(s); ok {
			if back, ok := threadOf(memberOf(key)); !ok || back != key {
				t.Errorf("%q: %v, then %v", s, key, back)
			}
		}
	})
}

func TestPackArrayKeepsEveryByteOfItsElements(t *testing.T) {
	got, err := packArray([]byte(" [ {\"a\":\"\\u00e9\\ud83d\"} , 1.0 ] "))
	if want := `20:{"a":"\u00e9\ud83d"}3:1.0`; err != nil || !bytes.Equal(got, []byte(want)) {
		t.Errorf("%s, %v", got, err)
	}
	for _, bad := range []string{"{}", "[", "1"} {
		if _, err := packArray([]byte(bad)); err == nil {
			t.Errorf("%s: no error", bad)
		}
	}
}
