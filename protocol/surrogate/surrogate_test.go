package surrogate

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"
	"unicode/utf16"
)

// escapedUnits is a JSON string of UTF-16 units.
func escapedUnits(units []uint16) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, u := range units {
		b.WriteString(`\u` + strconv.FormatUint(0x10000|uint64(u), 16)[1:])
	}
	return b.String() + `"`
}

// cutUnits cuts units at the bits of where, and leaves the last piece whole.
func cutUnits(units []uint16, where uint64) (pieces [][]uint16) {
	begin := 0
	for i := 1; i < len(units); i++ {
		if where>>(i%64)&1 == 1 {
			pieces, begin = append(pieces, units[begin:i]), i
		}
	}
	return append(pieces, units[begin:])
}

// joinedAsWhole holds that a text that was cut anywhere is what the whole one is.
func joinedAsWhole(t *testing.T, units []uint16, where uint64) {
	t.Helper()
	var want string
	if err := json.Unmarshal([]byte(escapedUnits(units)), &want); err != nil {
		t.Fatal(err)
	}
	var half Half
	var got strings.Builder
	for _, piece := range cutUnits(units, where) {
		part := half.Join(Unquote([]byte(escapedUnits(piece))))
		if part != strings.ToValidUTF8(part, "?") {
			t.Errorf("%q is told of %x", part, units)
		}
		got.WriteString(part)
	}
	got.WriteString(half.Rest())
	if got.String() != want || half.Rest() != "" {
		t.Errorf("%x in pieces by %b is %q, not %q", units, where, got.String(), want)
	}
}

func TestHalvesAreJoinedWhereverTheyAreCut(t *testing.T) {
	for _, units := range [][]uint16{
		utf16.Encode([]rune("a😀b")), utf16.Encode([]rune("😀😀")), {0xd83d}, {0xde00}, {0xde00, 0xd83d},
		{0xd83d, 0xd83d, 0xde00, 0xde00}, {0xd83d, 'a', 0xde00}, {'\\', 'u', 0xd83d, '"', 0xde00}, {0xdbff, 0xdfff, 0xd800, 0xdc00},
	} {
		for where := range uint64(1) << len(units) {
			joinedAsWhole(t, units, where)
		}
	}
}

func FuzzHalves(f *testing.F) {
	f.Add("a😀b", uint64(0b1010))
	f.Add(`{"a":"\"😀\\"}`, uint64(0xffff))
	f.Fuzz(func(t *testing.T, text string, where uint64) {
		units := utf16.Encode([]rune(text))
		for i := range units { // what no string holds: halves that stand alone
			if where>>(63-i%64)&1 == 1 {
				units[i] = 0xd800 | units[i]&0x7ff
			}
		}
		joinedAsWhole(t, units, where)
	})
}

func TestUnquoteDelta(t *testing.T) {
	for token, want := range map[string]string{
		`""`:                   "",
		`"a\n\"\\"`:            "a\n\"\\",
		`"\ud83d\ude00"`:       "😀",
		`"\\ud83d"`:            `\ud83d`,
		`"\\\ud83d"`:           "\\" + halfText(0xd83d),
		`"\uDE00a\uD83D"`:      halfText(0xde00) + "a" + halfText(0xd83d),
		`"a\ude00\ud83db"`:     "a\ufffd\ufffdb",
		`"\ud83d\ud83d"`:       lone + halfText(0xd83d),
		`"\ude00\ude00"`:       halfText(0xde00) + lone,
		"\"\xff\xed\xa0\xbd\"": lone, // ToValidUTF8 makes one of what stands together
	} {
		if got := Unquote([]byte(token)); got != want {
			t.Errorf("%s is %q, not %q", token, got, want)
		}
	}
}

func TestMendHalves(t *testing.T) {
	for text, want := range map[string]string{
		`{"a":"\ud83d\ude00\n"}`:      `{"a":"\ud83d\ude00\n"}`,
		`{"a":"\ud83d","b":"\uDE00"}`: `{"a":"\ufffd","b":"\ufffd"}`,
		`{"\ud83d\ud83d\ude00":1}`:    `{"\ufffd\ud83d\ude00":1}`,
		`{"a":"\\ud83d"}`:             `{"a":"\\ud83d"}`,
		`{"a":"\ude00\ud83d`:          `{"a":"\ufffd\ufffd`,
		`{"a":"\ud83d\`:               `{"a":"\ufffd\`,
		`{"a":"\ud83`:                 `{"a":"\ud83`,
		`{"a":"\ud83d\ude0`:           `{"a":"\ufffd\ude0`,
		``:                            ``,
	} {
		before := []byte(text)
		if got := string(Mend(before)); got != want || string(before) != text {
			t.Errorf("%s becomes %s, not %s", text, got, want)
		}
	}
}

func TestWholeDeltasCostNothing(t *testing.T) {
	var half Half
	text := []byte(`{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"\"\ud83d\ude00\"日"}`)
	if n := testing.AllocsPerRun(100, func() { half.Join("some \"words\" 日"); Mend(text) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}
