package tanstack

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/aguiws/aguiws/protocol"
)

const asked = `{"type":"RUN_FINISHED","threadId":"t","runId":"r","outcome":{"type":"interrupt","interrupts":[`

func end(interrupts string) string { return asked + interrupts + `]}}` }

// An interrupt is bound to the run that raised it, and all that it had stays, to the
// digit.
func TestBind(t *testing.T) {
	for name, c := range map[string]struct{ in, out string }{
		"bare": {`{"id":"a","reason":"confirmation"}`,
			`{"id":"a","reason":"confirmation","metadata":{"tanstack:interruptBinding":{"v":1,"kind":"generic","interruptId":"a","interruptedRunId":"r","generation":0}}}`},
		"whole": {`{"id":"a","reason":"input_required","message":"m","responseSchema":{"type":"number","maximum":9007199254740993.10},"expiresAt":"2026-01-02T03:04:05Z","metadata":{"k":1.0},"more":1}`,
			`{"id":"a","reason":"input_required","message":"m","responseSchema":{"type":"number","maximum":9007199254740993.10},"expiresAt":"2026-01-02T03:04:05Z","metadata":{"k":1.0,"tanstack:interruptBinding":{"v":1,"kind":"generic","interruptId":"a","interruptedRunId":"r","generation":0,"expiresAt":"2026-01-02T03:04:05Z","responseSchemaHash":"` +
				hashOf(protocol.Any(`{"type":"number","maximum":9007199254740994}`)) + `"}},"more":1}`},
		"bound elsewhere": {`{"id":"a","reason":"tool_call","toolCallId":"c","metadata":{"kind":"approval","tanstack:interruptBinding":{"v":1,"kind":"tool-approval","interruptId":"theirs","toolCallId":"c","originalArgs":{"n":1.0},"interruptedRunId":"their-run","generation":2}}}`,
			`{"id":"a","reason":"tool_call","toolCallId":"c","metadata":{"kind":"approval","tanstack:interruptBinding":{"generation":0,"interruptId":"a","interruptedRunId":"r","kind":"tool-approval","originalArgs":{"n":1.0},"toolCallId":"c","v":1}}}`},
		"bound to nothing": {`{"id":"a","reason":"confirmation","metadata":{"tanstack:interruptBinding":null}}`, `{"id":"a","reason":"confirmation","metadata":{"tanstack:interruptBinding":null}}`},
	} {
		t.Run(name, func(t *testing.T) {
			out, err := Bind([]byte(end(c.in)))
			if err != nil || string(out) != end(c.out) {
				t.Errorf("got  %s, %v\nwant %s", out, err, end(c.out))
			}
		})
	}
	for _, event := range []string{
		`{"type":"RUN_FINISHED", "threadId":"t","runId":"r"}`,
		`{"type":"RUN_FINISHED", "threadId":"t","runId":"r","outcome":{"type":"cancelled"}}`,
		`{"type":"CUSTOM","name":"x","value":1}`,
	} {
		if out, err := Bind([]byte(event)); err != nil || string(out) != event {
			t.Errorf("%s became %s, %v", event, out, err)
		}
	}
	if _, err := Bind([]byte(`{}`)); err == nil {
		t.Error("what is no event was bound")
	}
}

// What is in hashes.json is what the client computes, which its lane holds.
func TestHash(t *testing.T) {
	text, err := os.ReadFile("testdata/hashes.json")
	if err != nil {
		t.Fatal(err)
	}
	var known []struct{ Schema, Hash string }
	if err := json.Unmarshal(text, &known); err != nil || len(known) == 0 {
		t.Fatalf("%d hashes, %v", len(known), err)
	}
	for _, k := range known {
		if got := hashOf(protocol.Any(k.Schema)); got != k.Hash {
			t.Errorf("%s: %s, want %s", k.Schema, got, k.Hash)
		}
	}
	for schema, want := range map[string]string{
		``:                  "",
		`{"maximum":1e400}`: "",
		`{"title":"` + strings.Repeat("x", maxHashed) + `"}`: "",
	} {
		if got := hashOf(protocol.Any(schema)); got != want {
			t.Errorf("%.40s: %s, want %s", schema, got, want)
		}
	}
	if hashOf(protocol.Any(`{"b":[1.0,"\u0041"], "a":{}}`)) != hashOf(protocol.Any(`{"a":{},"b":[1,"A"]}`)) {
		t.Error("one schema has two hashes")
	}
}

func TestSent(t *testing.T) {
	for input, want := range map[string]bool{
		`{"threadId":"t","runId":"r","messages":[],"state":{},"forwardedProps":{},"data":{}}`:              true,
		`{"threadId":"t","runId":"r","messages":[],"forwardedProps":{"a":[1]},"data":{"a":[1]}}`:           true,
		`{"threadId":"t","runId":"r","messages":[],"forwardedProps":{"a":1},"data":{"a":2}}`:               false,
		`{"threadId":"t","runId":"r","messages":[],"forwardedProps":{}}`:                                   false,
		`{"threadId":"t","runId":"r","messages":[],"data":{}}`:                                             false,
		`{"threadId":"t","runId":"r","messages":[]}`:                                                       false,
		`{"threadId":"t","runId":"r","messages":[],"forwardedProps":1,"data":1}`:                           false,
		`{"threadId":"t","runId":"r","messages":[],"protocolVersion":"1.0","forwardedProps":{},"data":{}}`: false,
	} {
		var in protocol.RunAgentInput
		if err := json.Unmarshal([]byte(input), &in); err != nil {
			t.Fatal(err)
		}
		if got := Sent(&in); got != want {
			t.Errorf("%s: %v", input, got)
		}
	}
}
