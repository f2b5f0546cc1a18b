package client

import (
	"bytes"
	"errors"
	"testing"
)

func FuzzParseFrame(f *testing.F) {
	for _, seed := range []string{
		`{"type":"ws.hello","binding":"agui.v1","heartbeatMs":25000,"maxFrameBytes":4194304,"durable":false,"capabilities":{}}`,
		`{"type":"ws.stream","threadId":"t","epoch":"e","seq":4,"uncounted":2}`,
		`{"type":"ws.attached","threadId":"t","epoch":"e","seq":4,"recovered":false,"reason":"trimmed","interrupts":[{"id":"i","reason":"confirmation"}],"queued":[{"runId":"r","messages":[]}]}`,
		`{"type":"ws.pong","positions":{"t":3}}`, `{"type":"RUN_ERROR","message":7}`, `[]`, `null`, `{"type":"ws.live","seq":"x"}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var c Conn
		for range 3 {
			before := c
			frame, err := c.placed(data)
			if err != nil {
				if !errors.As(err, new(*FrameError)) || c != before {
					t.Fatalf("%v", err)
				}
				continue
			}
			if !bytes.Equal(frame.Data, data) || frame.IsEvent() == isControl(frame.Type) {
				t.Fatalf("%+v", frame)
			}
		}
	})
}

// Each event stands where ws.stream and those before it say.
func TestEventsArePlaced(t *testing.T) {
	var c Conn
	for _, step := range []struct {
		data, thread string
		seq          int64
		uncounted    int
	}{
		{`{"type":"CUSTOM"}`, "", 1, 0}, // plain mode
		{`{"type":"ws.stream","threadId":"a","epoch":"e","seq":4,"uncounted":2}`, "a", 4, 2},
		{`{"type":"CUSTOM"}`, "a", 4, 2},
		{`{"type":"CUSTOM","threadId":7,"seq":"x"}`, "a", 4, 1},
		{`{"type":"CUSTOM"}`, "a", 5, 0},
		{`{"type":"ws.stream","threadId":"b","epoch":"f","seq":0}`, "b", 0, 0},
		{`{"type":"ws.later","seq":9}`, "", 9, 0},
		{`{"type":"CUSTOM"}`, "b", 1, 0},
	} {
		f, err := c.placed([]byte(step.data))
		if err != nil || f.ThreadID != step.thread || f.Seq != step.seq || f.Uncounted != step.uncounted {
			t.Errorf("%s: %+v %v", step.data, f, err)
		}
	}
}
