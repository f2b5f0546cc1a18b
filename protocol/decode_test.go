package protocol

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/aguiws/aguiws/protocol/internal/eventtext"
	"github.com/aguiws/aguiws/protocol/problem"
)

func TestDecodeRefuses(t *testing.T) {
	for _, test := range []struct{ name, in, pointer, message string }{
		{"no JSON", `{"type":`, "", "not a JSON document"},
		{"two documents", `{"type":"RAW","event":1}{}`, "", "not a JSON document"},
		{"bad UTF-8", "{\"type\":\"CUSTOM\",\"name\":\"\xff\",\"value\":1}", "", "UTF-8"},
		{"no object", `[]`, "", "expected an object, found an array"},
		{"no type", `{}`, "", `"type" is required`},
		{"type of no string", `{"type":1}`, "/type", "expected the name"},
		{"type twice", `{"type":"RAW","type":"RAW","event":1}`, "/type", "twice"},
		{"type twice, escaped", `{"type":"RAW","\u0074ype":"RAW","event":1}`, "/type", "twice"},
		{"Type", `{"type":"RAW","event":1,"Type":"CUSTOM"}`, "/Type", `differs from "type" only by case`},
		{"missing", `{"type":"STEP_STARTED"}`, "", `"stepName" is required`},
		{"wrong type", `{"type":"STEP_STARTED","stepName":1}`, "/stepName", "expected a string, found a number"},
		{"null", `{"type":"STEP_STARTED","stepName":null}`, "/stepName", "expected a string, found null"},
		{"null where optional", `{"type":"STEP_STARTED","stepName":"s","metadata":null}`, "/metadata", "expected an object, found null"},
		{"null owner", `{"type":"STEP_STARTED","stepName":"s","subagentRunId":null}`, "/subagentRunId", "found null"},
		{"member twice", `{"type":"STEP_STARTED","stepName":"s","stepName":"s"}`, "/stepName", "twice"},
		{"unknown member twice", `{"type":"STEP_STARTED","stepName":"s","x":1,"x":2}`, "/x", "twice"},
		{"twice in open JSON", `{"type":"STATE_SNAPSHOT","snapshot":{"a":[{"b":1,"b":2}]}}`, "/snapshot/a/0/b", "twice"},
		{"twice among many", `{"type":"STATE_SNAPSHOT","snapshot":{` + manyMembers(40) + `,"m3":1}}`, "/snapshot/m3", "twice"},
		{"other case", `{"type":"STEP_STARTED","stepName":"good","STEPNAME":"evil"}`, "/STEPNAME", "only by case"},
		{"other case by folding", `{"type":"STEP_STARTED","stepName":"good","ſtepName":"evil"}`, "/ſtepName", "only by case"},
		{"float", `{"type":"STEP_STARTED","stepName":"s","timestamp":1.5}`, "/timestamp", "expected an integer"},
		{"huge", `{"type":"STEP_STARTED","stepName":"s","timestamp":9007199254740992}`, "/timestamp", "out of range"},
		{"negative count", `{"type":"RUN_ERROR","message":"m","usage":[{"inputTokens":-1}]}`, "/usage/0/inputTokens", "out of range"},
		{"role", `{"type":"TEXT_MESSAGE_START","messageId":"m","role":"tool"}`, "/role", "expected one of developer, system, assistant, user"},
		{"no interrupts", `{"type":"RUN_FINISHED","threadId":"t","runId":"r","outcome":{"type":"interrupt","interrupts":[]}}`, "/outcome/interrupts", "at least one"},
		{"outcome of no object", `{"type":"RUN_FINISHED","threadId":"t","runId":"r","outcome":[]}`, "/outcome", "expected an object"},
		{"outcome without type", `{"type":"RUN_FINISHED","threadId":"t","runId":"r","outcome":{}}`, "/outcome", `"type" is required`},
		{"boolean schema", `{"type":"RUN_FINISHED","threadId":"t","runId":"r","outcome":{"type":"interrupt","interrupts":[{"id":"i","reason":"r","responseSchema":true}]}}`, "/outcome/interrupts/0/responseSchema", "expected an object, found a boolean"},
		{"patch", `{"type":"STATE_DELTA","delta":[{"op":"add","path":"a"}]}`, "/delta/0/path", `"a" is not a JSON pointer`},
		{"patch without value", `{"type":"STATE_DELTA","delta":[{"op":"add","path":"/a"}]}`, "/delta/0", `"value" is required`},
		{"patch of no list", `{"type":"STATE_DELTA","delta":{}}`, "/delta", "array of operations"},
		{"content of a system message", `{"type":"MESSAGES_SNAPSHOT","messages":[{"id":"1","role":"system","content":[]}]}`, "/messages/0/content", "expected a string, found an array"},
		{"pointer is escaped", `{"type":"STATE_SNAPSHOT","snapshot":{"a/b~":{"c":1,"c":1}}}`, "/snapshot/a~1b~0/c", "twice"},
		{"unknown type, twice", `{"type":"NEWS","a":{"b":1,"b":1}}`, "/a/b", "twice"},
		{"deep", `{"type":"STATE_SNAPSHOT","snapshot":` + strings.Repeat("[", 600) + strings.Repeat("]", 600) + `}`, "/snapshot" + strings.Repeat("/0", 95), "nested deeper"},
	} {
		t.Run(test.name, func(t *testing.T) {
			e, err := Decode([]byte(test.in))
			problems := problem.Of(err)
			if problems == nil {
				t.Fatalf("got %v, %v", e, err)
			}
			if p := problems[0]; p.Pointer != test.pointer || !strings.Contains(p.Message, test.message) {
				t.Errorf("got %q: %s", p.Pointer, p.Message)
			}
		})
	}
}

func manyMembers(n int) string {
	var list []string
	for i := range n {
		list = append(list, fmt.Sprintf(`"m%d":0`, i))
	}
	return strings.Join(list, ",")
}

func TestDecodeNamesEveryProblem(t *testing.T) {
	_, err := Decode([]byte(`{"type":"TOOL_CALL_START","timestamp":"x","toolCallId":1}`))
	if got := err.Error(); got != `protocol: /timestamp: expected an integer, found a string; /toolCallId: expected a string, found a number; the member "toolCallName" is required` {
		t.Error(got)
	}
	_, err = Decode([]byte(`{"type":"MESSAGES_SNAPSHOT","messages":[` + strings.Repeat("1,", 100) + `1]}`))
	if problems := problem.Of(err); len(problems) != problem.Max || problems[problem.Max-1] != (problem.Problem{Message: "and more"}) {
		t.Errorf("%d problems: %v", len(problems), problems)
	}
}

// TestRoundTrip writes what it reads, to the byte where it is written so.
func TestRoundTrip(t *testing.T) {
	for _, in := range []string{
		`{"type":"STATE_SNAPSHOT","snapshot":{"big":9007199254740993,"small":1e-400,"nil":null,"html":"<a&b>","u":"\u00e9\ud83d\ude00é"}}`,
		`{"type":"STATE_SNAPSHOT","snapshot":null}`,
		`{"type":"CUSTOM","timestamp":-1,"rawEvent":false,"metadata":{"a":null,"b":{}},"subagentRunId":"","name":"n","value":0}`,
		`{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"<é\"\\\n\t\u0001\u007f😀>"}`,
		`{"type":"TEXT_MESSAGE_CONTENT","messageId":"","delta":"","later":{"a":1},"much":[null]}`,
		`{"type":"STATE_SNAPSHOT","snapshot":` + strings.Repeat("[", 512) + strings.Repeat("]", 512) + `}`,
		`{"type":"NEWS","anything":[1,2.50,{"x":null}]}`,
		`{"type":"RUN_FINISHED","threadId":"t","runId":"r","outcome":{"type":"success","pendingToolCallIds":[]},"usage":[]}`,
		`{"type":"RUN_FINISHED","threadId":"t","runId":"r","outcome":{"type":"paused","until":"tomorrow"}}`,
		`{"type":"RUN_FINISHED","threadId":"t","runId":"r","outcome":{"type":"cancelled","interrupts":[]}}`,
		`{"type":"RUN_ERROR","message":"m","usage":[{"inputTokens":0,"x":1}]}`,
		`{"type":"ACTIVITY_SNAPSHOT","messageId":"m","activityType":"","content":{},"replace":false}`,
		`{"type":"MESSAGES_SNAPSHOT","messages":[{"id":"1","role":"wizard","spell":[1]},{"id":"2","role":"assistant","toolCalls":[],"metadata":{}},{"id":"3","role":"tool","content":[{"type":"smell","strength":9},{"type":"image","source":{"type":"telepathy","to":"x"}}],"toolCallId":"","later":1}]}`,
		`{"type":"STATE_DELTA","delta":[{"op":"zap","path":7},{"op":"add","path":"","value":null,"why":"x"}]}`,
	} {
		e, err := Decode([]byte(in))
		if err != nil {
			t.Errorf("%s: %v", in, err)
			continue
		}
		out, err := Encode(e)
		if err != nil {
			t.Errorf("%s: %v", in, err)
			continue
		}
		if string(out) != in && !sameJSON(t, out, []byte(in)) {
			t.Errorf("%s\nbecame\n%s", in, out)
		}
	}
}

// TestDecodeOldNulls accepts null where releases before 1.0 wrote it.
func TestDecodeOldNulls(t *testing.T) {
	for in, out := range map[string]string{
		`{"type":"TOOL_CALL_START","toolCallId":"c","toolCallName":"n","parentMessageId":null}`: `{"type":"TOOL_CALL_START","toolCallId":"c","toolCallName":"n"}`,
		`{"type":"RUN_FINISHED","threadId":"t","runId":"r","result":null,"outcome":null}`:       finish,
		`{"type":"STEP_STARTED","rawEvent":null,"stepName":"s"}`:                                `{"type":"STEP_STARTED","stepName":"s"}`,
	} {
		got, err := Encode(events(t, in)[0])
		if err != nil || string(got) != out {
			t.Errorf("%s became %s, %v", in, got, err)
		}
		if ValidateEvent([]byte(in)) == nil {
			t.Errorf("%s is valid", in)
		}
	}
}

func TestDecodeInput(t *testing.T) {
	in, err := DecodeInput([]byte(`{"threadId":"t","runId":"r","state":null,"forwardedProps":null,"resume":[{"interruptId":"i","status":"resolved","payload":null}],"tools":[{"name":"n","description":"d","parameters":null}]}`))
	if err != nil {
		t.Fatal(err)
	}
	data, err := json.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	if got := string(data); got != `{"threadId":"t","runId":"r","messages":[],"tools":[{"name":"n","description":"d"}],"context":[],"resume":[{"interruptId":"i","status":"resolved"}]}` {
		t.Error(got)
	}
	for in, pointer := range map[string]string{
		`{"runId":"r"}`:                               "",
		`{"threadId":null,"runId":"r"}`:               "/threadId",
		`{"threadId":"t","runId":"r","ThreadId":"u"}`: "/ThreadId",
		`{"threadId":"t","runId":"r","resume":[{"interruptId":"i","status":"later"}]}`:      "/resume/0/status",
		`{"threadId":"t","runId":"r","messages":[{"id":"m","role":"user"}]}`:                "/messages/0",
		`{"threadId":"t","runId":"r","messages":[{"id":"m","role":"user","content":null}]}`: "/messages/0/content",
	} {
		if _, err := DecodeInput([]byte(in)); len(problem.Of(err)) == 0 || problem.Of(err)[0].Pointer != pointer {
			t.Errorf("%s: %v", in, err)
		}
	}
}

// TestDecodeInputNulls reads null as absent wherever an input may lack a member: Go's
// nil slices and Python's None are written so.
func TestDecodeInputNulls(t *testing.T) {
	const bare = `{"threadId":"t","runId":"r","messages":[],"tools":[],"context":[]}`
	message := func(m string) string {
		return `{"threadId":"t","runId":"r","messages":[` + m + `],"tools":[],"context":[]}`
	}
	for _, test := range []struct{ name, in, out string }{
		{"tools", `{"threadId":"t","runId":"r","messages":[],"tools":null}`, bare},
		{"context", `{"threadId":"t","runId":"r","messages":[],"context":null}`, bare},
		{"state", `{"threadId":"t","runId":"r","messages":[],"state":null}`, bare},
		{"forwardedProps", `{"threadId":"t","runId":"r","messages":[],"forwardedProps":null}`, bare},
		{"messages", `{"threadId":"t","runId":"r","messages":null}`, bare},
		{"resume", `{"threadId":"t","runId":"r","messages":[],"resume":null}`, bare},
		{"parentRunId and protocolVersion", `{"threadId":"t","runId":"r","parentRunId":null,"protocolVersion":null}`, bare},
		{"all of them", `{"threadId":"t","runId":"r","parentRunId":null,"state":null,"messages":null,"tools":null,"context":null,"forwardedProps":null,"resume":null}`, bare},
		{"of a user message", message(`{"id":"m","role":"user","content":"hi","name":null,"encryptedValue":null,"metadata":null,"subagentRunId":null}`), message(`{"id":"m","role":"user","content":"hi"}`)},
		{"of an assistant message", message(`{"id":"m","role":"assistant","content":null,"toolCalls":null}`), message(`{"id":"m","role":"assistant"}`)},
		{"of a tool message", message(`{"id":"m","role":"tool","content":"x","toolCallId":"c","error":null}`), message(`{"id":"m","role":"tool","content":"x","toolCallId":"c"}`)},
	} {
		t.Run(test.name, func(t *testing.T) {
			in, err := DecodeInput([]byte(test.in))
			if err != nil {
				t.Fatal(err)
			}
			out, err := json.Marshal(in)
			if err != nil || string(out) != test.out {
				t.Errorf("%s, %v\nexpected %s", out, err, test.out)
			}
			if Validate("RunAgentInput", []byte(test.in)) == nil {
				t.Error("what is not AG-UI's passes the strict reader")
			}
		})
	}
	for _, event := range []string{
		`{"type":"RUN_STARTED","threadId":"t","runId":"r","input":{"threadId":"t","runId":"r","messages":[],"tools":null}}`,
		`{"type":"MESSAGES_SNAPSHOT","messages":[{"id":"m","role":"user","content":"hi","name":null}]}`,
	} {
		if e, err := Decode([]byte(event)); err == nil {
			t.Errorf("an event with null is read: %v", e)
		}
	}
}

func TestDecodeKeepsNothingOfItsInput(t *testing.T) {
	data := []byte(`{"type":"CUSTOM","name":"name","value":{"a":1},"metadata":{"k":"v"},"x":"y"}`)
	e, err := Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	before, err := Encode(e)
	if err != nil {
		t.Fatal(err)
	}
	clear(data)
	after, err := Encode(e)
	if err != nil || string(before) != string(after) {
		t.Errorf("%s became %s, %v", before, after, err)
	}
}

func FuzzDecode(f *testing.F) {
	for _, document := range append(eventtext.Run(eventtext.EverythingOpen...),
		`{"type":"MESSAGES_SNAPSHOT","messages":[{"id":"1","role":"user","content":[{"type":"text","text":"x"},{"type":"image","source":{"type":"url","value":"u"}}]},{"id":"2","role":"activity","activityType":"a","content":{}}]}`,
		`{"type":"STATE_DELTA","delta":[{"op":"move","from":"/a~1","path":""}]}`,
		`{"type":"RUN_FINISHED","threadId":"t","runId":"r","outcome":{"type":"interrupt","interrupts":[{"id":"i","reason":"r","responseSchema":{}}]},"usage":[{"inputTokens":1}]}`,
		`{"type":"NEWS","\u0061":"\ud800"}`) {
		f.Add([]byte(document))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		e, err := Decode(data)
		if err != nil {
			if problem.Of(err) == nil {
				t.Fatalf("not a DecodeError: %v", err)
			}
			if ValidateEvent(data) == nil {
				t.Fatalf("exact and refused: %v", err)
			}
			return
		}
		written, err := Encode(e)
		if err != nil {
			t.Fatalf("read but not written: %v", err)
		}
		again, err := Decode(written)
		if err != nil {
			t.Fatalf("written but not read: %v\n%s", err, written)
		}
		twice, err := Encode(again)
		if err != nil || string(twice) != string(written) {
			t.Fatalf("%s became %s, %v", written, twice, err)
		}
		Strip(e)
		stripped, err := Encode(e)
		if err != nil {
			t.Fatalf("stripped and not written: %v", err)
		}
		if _, unknown := e.(*Unknown); !unknown {
			if err := ValidateEvent(stripped); err != nil {
				t.Fatalf("stripped and not exact: %v\n%s", err, stripped)
			}
		}
	})
}

func FuzzDecodeInput(f *testing.F) {
	f.Add([]byte(`{"threadId":"t","runId":"r","messages":[{"id":"1","role":"assistant","toolCalls":[{"id":"c","type":"function","function":{"name":"n","arguments":"{"}}]}],"tools":[{"name":"n","description":"d","parameters":{}}],"context":[{"description":"","value":""}],"state":{},"resume":[{"interruptId":"i","status":"cancelled"}]}`))
	f.Add([]byte(`{"threadId":"t","runId":"r","messages":[{"id":"1","role":"user","content":[{"type":"binary","mimeType":"image/png","id":null,"data":"aGk=","filename":"n","url":"u","text":"x","source":{},"metadata":null}],"name":null}],"tools":null,"state":null}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		in, err := DecodeInput(data)
		if err != nil {
			return
		}
		if _, err := json.Marshal(in); err != nil {
			t.Fatalf("read but not written, with what is not recognised: %v", err)
		}
		in.Strip()
		written, err := json.Marshal(in)
		if err != nil {
			t.Fatalf("read but not written: %v", err)
		}
		if err := Validate("RunAgentInput", written); err != nil {
			t.Fatalf("stripped and not exact: %v\n%s", err, written)
		}
	})
}

// A member without a name is a member like others: not defined, and kept for whoever
// relays it.
func TestMemberWithoutAName(t *testing.T) {
	const text = `{"type":"success","":[null]}`
	if Validate("RunFinishedSuccessOutcome", []byte(text)) == nil {
		t.Errorf("%s is valid", text)
	}
	e, err := Decode([]byte(`{"type":"RUN_FINISHED","threadId":"t","runId":"r","outcome":` + text + `}`))
	if err != nil {
		t.Fatal(err)
	}
	if written, err := Encode(e); err != nil || !strings.Contains(string(written), `"":[null]`) {
		t.Errorf("%s %v", written, err)
	}
}
