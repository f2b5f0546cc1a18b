package gateway

import (
	"runtime"
	"strings"
	"testing"

	"github.com/aguiws/aguiws/protocol"
)

// holder is a run whose thread has one call.
type holder struct {
	counted
	call protocol.ToolCall
}

func (h *holder) ToolCall(string) (protocol.ToolCall, bool) { return h.call, true }

// A call that the thread has, with long arguments, is announced again and again: that costs
// what is sent, not what the thread has.
func TestAnnouncedAgainAndAgain(t *testing.T) {
	const length, times = 1 << 20, 1000
	for name, args := range map[string]string{
		"whole":   `{"text":"` + strings.Repeat("x", length) + `"}`,
		"begun":   `{"text":"` + strings.Repeat("x", length),
		"no JSON": strings.Repeat("x", length),
	} {
		t.Run(name, func(t *testing.T) {
			h := &holder{call: protocol.ToolCall{ID: "c", Function: protocol.ToolFunction{Name: "send", Arguments: args}}}
			r := newRelay(t.Context(), h, mannersOf[DialectPlain], DialectPlain, ids{})
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			for range times {
				for _, e := range []string{
					`{"type":"TOOL_CALL_START","toolCallId":"c","toolCallName":"send"}`,
					`{"type":"TOOL_CALL_ARGS","toolCallId":"c","delta":"{"}`,
					`{"type":"TOOL_CALL_END","toolCallId":"c"}`,
				} {
					if _, err := takes(r, []byte(e)); err != nil {
						t.Fatal(err)
					}
				}
			}
			runtime.ReadMemStats(&after)
			if n := (after.TotalAlloc - before.TotalAlloc) / times; n > 32<<10 {
				t.Errorf("%d bytes are allocated each time", n)
			}
		})
	}
}
