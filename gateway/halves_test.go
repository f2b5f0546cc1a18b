package gateway

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/aguiws/aguiws/protocol"
	"github.com/aguiws/aguiws/protocol/fold"
)

// heardBy is a run that takes everything, as clients do and as the thread does.
type heardBy struct {
	deaf
	fold  *fold.Fold
	texts [][]byte
}

func (h *heardBy) Relay(e protocol.Event, text []byte) error {
	if text == nil {
		var err error
		if text, err = protocol.Encode(e); err != nil {
			return err
		}
	}
	h.texts = append(h.texts, text)
	return h.fold.Apply(e)
}

// asUnits is a JSON string of UTF-16 units, each escaped.
func asUnits(units []uint16) string {
	var b strings.Builder
	for _, u := range units {
		b.WriteString(`\u` + strconv.FormatUint(0x10000|uint64(u), 16)[1:])
	}
	return `"` + b.String() + `"`
}

// Wherever its text is cut, an item is told and kept as the text that JSON.parse makes of
// all of it, and nothing that is told has half a character.
func TestHalvesAreJoined(t *testing.T) {
	forms := map[string][3]string{ // before, a delta but for its end, and behind
		"text":            {`{"type":"TEXT_MESSAGE_START","messageId":"m","role":"assistant"}`, `{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","rawEvent":"\ud83d","delta":`, `{"type":"TEXT_MESSAGE_END","messageId":"m"}`},
		"text left open":  {`{"type":"TEXT_MESSAGE_START","messageId":"m","role":"assistant"}`, `{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":`, `{"type":"CUSTOM","name":"\ude00","value":"\ud83d"}`},
		"reasoning":       {`{"type":"REASONING_MESSAGE_START","messageId":"m","role":"reasoning"}`, `{"type":"REASONING_MESSAGE_CONTENT","messageId":"m","delta":`, `{"type":"REASONING_MESSAGE_END","messageId":"m"}`},
		"arguments":       {`{"type":"TOOL_CALL_START","toolCallId":"m","toolCallName":"f"}`, `{"type":"TOOL_CALL_ARGS","toolCallId":"m","delta":`, `{"type":"TOOL_CALL_END","toolCallId":"m"}`},
		"chunks":          {`{"type":"TEXT_MESSAGE_CHUNK","messageId":"m"}`, `{"type":"TEXT_MESSAGE_CHUNK","delta":`, `{"type":"CUSTOM","name":"x","value":1}`},
		"reasoned chunks": {`{"type":"REASONING_MESSAGE_CHUNK","messageId":"m"}`, `{"type":"REASONING_MESSAGE_CHUNK","delta":`, `{"type":"CUSTOM","name":"x","value":1}`},
		"called chunks":   {`{"type":"TOOL_CALL_CHUNK","toolCallId":"m","toolCallName":"f"}`, `{"type":"TOOL_CALL_CHUNK","delta":`, ``},
	}
	random := rand.New(rand.NewPCG(1, 2))
	texts := [][]uint16{utf16.Encode([]rune("a😀b")), {0xd83d}, {0xde00}, {'a', 0xd83d, 0xd83d, 0xde00, 0xde00}, {0xdbff, 0xdfff, 0xd800}}
	for range 30 {
		units := make([]uint16, 1+random.IntN(8))
		for i := range units {
			units[i] = [...]uint16{'a', '"', '\\', 0xe9, 0xd800, 0xdbff, 0xdc00, 0xde00}[random.IntN(8)]
		}
		texts = append(texts, units)
	}
	for name, form := range forms {
		t.Run(name, func(t *testing.T) {
			for _, units := range texts {
				var want string
				if err := json.Unmarshal([]byte(asUnits(units)), &want); err != nil {
					t.Fatal(err)
				}
				for where := range uint64(1) << (len(units) - 1) {
					h := &heardBy{fold: fold.New(nil, nil)}
					stream := []string{form[0]}
					begin := 0
					for i := 1; i <= len(units); i++ {
						if i == len(units) || where>>(i-1)&1 == 1 {
							stream, begin = append(stream, form[1]+asUnits(units[begin:i])+"}"), i
						}
					}
					if form[2] != "" {
						stream = append(stream, form[2])
					}
					relays(t, h, append(stream, done))
					told, held := h.told(t), h.held()
					if told != want || held != want {
						t.Fatalf("%x by %b: told %q, held %q, not %q", units, where, told, held, want)
					}
				}
			}
		})
	}
}

func relays(t *testing.T, to sink, stream []string) {
	t.Helper()
	r := newRelay(context.Background(), to, manners{}, DialectPlain, ids{})
	d := newDecoding()
	for _, text := range stream {
		next, err := d.next([]byte(text), false)
		if err == nil {
			_, err = r.take(next)
		}
		if err != nil {
			t.Fatal(text, err)
		}
	}
}

// told is what the deltas say together.
func (h *heardBy) told(t *testing.T) (all string) {
	t.Helper()
	for _, text := range h.texts {
		for i := range len(text) - 6 {
			if r := strings.ToLower(string(text[i : i+4])); (strings.HasPrefix(r, `\ud8`) || strings.HasPrefix(r, `\udb`)) && text[i+6] != '\\' {
				t.Errorf("%s has half a character", text)
			}
		}
		var e struct{ Delta string }
		if err := json.Unmarshal(text, &e); err != nil {
			t.Fatal(err)
		}
		all += e.Delta
	}
	return all
}

// held is what the thread has of the one item.
func (h *heardBy) held() (all string) {
	for _, m := range h.fold.Messages() {
		if m.Content != nil {
			all += m.Content.String()
		}
		for _, c := range m.ToolCalls {
			all += c.Function.Arguments
		}
	}
	return all
}

// Items that are told side by side keep their halves apart, and what the agent is sent back
// is what was told.
func TestHalvesOfItemsSideBySide(t *testing.T) {
	piece := func(id, delta string) string {
		return `{"type":"TEXT_MESSAGE_CONTENT","messageId":"` + id + `","delta":"` + delta + `"}`
	}
	l := newLab(t, nil, sends(began, open, strings.ReplaceAll(open, `"a"`, `"b"`), piece("a", `\ud83d`), piece("b", `\ud83c`), piece("a", `\ude00`), piece("b", ""), piece("b", `\udf0d`), piece("a", `\ud83d`), shut, open, piece("a", `\ude00`), done),
		sends(began, done))
	succeeded(t, l.say("go"))
	if got := l.said(); got != "😀\ufffd\ufffd|🌍" {
		t.Errorf("said %q", got)
	}
	l.wellFormed()
	succeeded(t, l.say("again"))
	if body := string(l.peer.runs()[1].body); !strings.Contains(body, "😀\ufffd") || !strings.Contains(body, "🌍") {
		t.Errorf("sent %s", body)
	}
}
