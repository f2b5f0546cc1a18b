package server

import (
	"slices"
	"strings"
	"testing"
)

// A plain client gets what its version of AG-UI can read; one that declares
// none is from before 1.0.
func TestPlainProfiles(t *testing.T) {
	for name, test := range map[string]struct {
		declared, message, want string
		cancel                  bool
	}{
		"1.0":              {`"1.0"`, "/delegate x", "RUN_STARTED SUBAGENT_STARTED", false},
		"none":             {"", "/delegate x", "RUN_STARTED STEP_STARTED", false},
		"1.0, cancelled":   {`"1.0"`, "/slow 10000 10", "RUN_FINISHED", true},
		"none, cancelled":  {"", "/slow 10000 10", "RUN_ERROR", true},
		"1.0, left a call": {`"1.0"`, "/frontend pick {}", "pendingToolCallIds", false},
		"none, left one":   {"", "/frontend pick {}", "RUN_FINISHED", false},
	} {
		t.Run(name, func(t *testing.T) {
			ts, _ := endToEnd(t)
			plain := ts.connect("/agui/ws", plainMode)
			in := says("r1", test.message)
			if test.declared != "" {
				in = strings.Replace(in, `"runId"`, `"protocolVersion":`+test.declared+`,"runId"`, 1)
			}
			plain.send(in)
			var types []string
			var last map[string]any
			for !slices.Contains([]string{"RUN_FINISHED", "RUN_ERROR"}, kindOf(last)) {
				last = plain.expectAny()
				types = append(types, kindOf(last))
				if test.cancel && kindOf(last) == "TEXT_MESSAGE_CONTENT" {
					test.cancel = false
					ts.dial().send(`{"type":"ws.cancel","threadId":"t","runId":"r1"}`)
				}
			}
			outcome, _ := last["outcome"].(map[string]any)
			_, pending := outcome["pendingToolCallIds"]
			switch got := strings.Join(types, " "); {
			case test.want == "pendingToolCallIds" != pending:
				t.Errorf("ended with %v", last)
			case strings.HasPrefix(test.want, "RUN_STARTED") && !strings.HasPrefix(got, test.want):
				t.Errorf("got %s, want %s", got, test.want)
			case strings.HasPrefix(test.want, "RUN_FINISHED"), strings.HasPrefix(test.want, "RUN_ERROR"):
				if kindOf(last) != test.want {
					t.Errorf("ended with %v", last)
				}
			}
		})
	}
}

func kindOf(frame map[string]any) string {
	kind, _ := frame["type"].(string)
	return kind
}
