package llm

import (
	"encoding/json"
	"testing"

	"github.com/aguiws/aguiws/protocol"
)

// sent is messages as an endpoint would have them.
func sent(t *testing.T, o Options, known aside, messages ...protocol.Message) string {
	t.Helper()
	text, err := json.Marshal(known.params(messages, &o))
	if err != nil {
		t.Fatal(err)
	}
	return sorted(t, string(text))
}

// sorted returns JSON whose members are in order.
func sorted(t *testing.T, text string) string {
	t.Helper()
	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatal(err)
	}
	out, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

func said(role protocol.Role, content *protocol.Content) protocol.Message {
	return protocol.Message{Role: role, Content: content}
}

func calls(content string, ids ...string) protocol.Message {
	m := protocol.Message{Role: protocol.RoleAssistant, Content: protocol.Text(content)}
	for _, id := range ids {
		m.ToolCalls = append(m.ToolCalls, protocol.ToolCall{ID: id, Function: protocol.ToolFunction{Name: "f", Arguments: `{"x":1}`}})
	}
	return m
}

func result(id, content string) protocol.Message {
	return protocol.Message{Role: protocol.RoleTool, ToolCallID: id, Content: protocol.Text(content)}
}

func TestMessages(t *testing.T) {
	source := func(kind protocol.SourceType, value, mime string) *protocol.Source {
		return &protocol.Source{Type: kind, Value: value, MimeType: mime}
	}
	call := func(id string) string {
		return `{"id":"` + id + `","function":{"arguments":"{\"x\":1}","name":"f"},"type":"function"}`
	}
	bad := calls("", "a")
	bad.ToolCalls[0].Function.Arguments = `{"x`
	failed := result("a", "")
	failed.Error = "no luck"
	for name, c := range map[string]struct {
		messages []protocol.Message
		known    aside
		want     string
	}{
		"texts": {[]protocol.Message{
			said(protocol.RoleDeveloper, protocol.Text("d")), said(protocol.RoleSystem, protocol.Text("s")), said(protocol.RoleUser, protocol.Text("u")), said(protocol.RoleAssistant, protocol.Text("a")),
		}, aside{}, `[{"content":"d","role":"system"},{"content":"s","role":"system"},{"content":"u","role":"user"},{"content":"a","role":"assistant"}]`},
		"what a model is not told": {[]protocol.Message{
			said(protocol.RoleReasoning, protocol.Text("r")), said(protocol.RoleActivity, protocol.ObjectOf(json.RawMessage(`{}`))),
			said(protocol.RoleAssistant, protocol.Text("")), said(protocol.RoleAssistant, nil), result("nobody's", "x"),
		}, aside{}, `null`},
		"a result that comes late": {[]protocol.Message{calls("t", "a", "b"), result("b", "2"), said(protocol.RoleUser, protocol.Text("u")), result("a", "1")}, aside{},
			`[{"content":"t","tool_calls":[` + call("a") + `,` + call("b") + `],"role":"assistant"},{"content":"1","tool_call_id":"a","role":"tool"},{"content":"2","tool_call_id":"b","role":"tool"},{"content":"u","role":"user"}]`},
		"no result": {[]protocol.Message{calls("", "a", "b")}, aside{without: map[string]string{"b": "it was cancelled"}},
			`[{"tool_calls":[` + call("a") + `,` + call("b") + `],"role":"assistant"},` +
				`{"content":"{\"error\":\"there is no result: it was cancelled, or has not come yet\",\"executed\":false}","tool_call_id":"a","role":"tool"},` +
				`{"content":"{\"error\":\"it was cancelled\",\"executed\":false}","tool_call_id":"b","role":"tool"}]`},
		"edited": {[]protocol.Message{calls("", "a"), result("a", "done")}, aside{edited: map[string]string{"a": `{"x":2}`}},
			`[{"tool_calls":[` + call("a") + `],"role":"assistant"},{"content":"done\n(A human changed the arguments to {\"x\":2})","tool_call_id":"a","role":"tool"}]`},
		"arguments that are no JSON, and an error": {[]protocol.Message{bad, failed}, aside{},
			`[{"tool_calls":[{"id":"a","function":{"arguments":"{}","name":"f"},"type":"function"}],"role":"assistant"},{"content":"\nno luck","tool_call_id":"a","role":"tool"}]`},
		"media": {[]protocol.Message{said(protocol.RoleUser, protocol.PartsOf(
			protocol.Part{Type: protocol.PartText, Text: "see"},
			protocol.Part{Type: protocol.PartImage, Source: source(protocol.SourceURL, "https://example.com/a.png", "")},
			protocol.Part{Type: protocol.PartImage, Source: source(protocol.SourceData, "QQ==", "image/png")},
			protocol.Part{Type: protocol.PartAudio, Source: source(protocol.SourceData, "QQ==", "audio/mpeg")},
			protocol.Part{Type: protocol.PartDocument, Source: source(protocol.SourceData, "QQ==", "application/pdf"), Metadata: protocol.Any(`{"filename":"a.pdf"}`)},
			protocol.Part{Type: protocol.PartDocument, Source: source(protocol.SourceData, "QQ==", "application/pdf")},
			protocol.Part{Type: protocol.PartDocument, Source: source(protocol.SourceFile, "file-1", "")},
			protocol.Part{Type: protocol.PartAudio, Source: source(protocol.SourceURL, "https://example.com/a.mp3", "audio/mpeg")},
			protocol.Part{Type: protocol.PartVideo, Source: source(protocol.SourceData, "QQ==", "video/mp4")},
			protocol.Part{Type: protocol.PartImage},
		))}, aside{}, `[{"content":[{"text":"see","type":"text"},` +
			`{"image_url":{"url":"https://example.com/a.png"},"type":"image_url"},{"image_url":{"url":"data:image/png;base64,QQ=="},"type":"image_url"},` +
			`{"input_audio":{"data":"QQ==","format":"mp3"},"type":"input_audio"},` +
			`{"file":{"file_data":"data:application/pdf;base64,QQ==","filename":"a.pdf"},"type":"file"},` +
			`{"file":{"file_data":"data:application/pdf;base64,QQ==","filename":"document.pdf"},"type":"file"},{"file":{"file_id":"file-1"},"type":"file"},` +
			`{"text":"[audio: this model is not shown it]","type":"text"},{"text":"[video: this model is not shown it]","type":"text"},{"text":"[image: this model is not shown it]","type":"text"}],"role":"user"}]`},
		"no parts": {[]protocol.Message{said(protocol.RoleUser, protocol.PartsOf())}, aside{}, `[{"content":"","role":"user"}]`},
	} {
		if got := sent(t, Options{ImageURLs: true, FileIDs: true}, c.known, c.messages...); got != sorted(t, c.want) {
			t.Errorf("%s:\n got %s\nwant %s", name, got, c.want)
		}
	}
}

// What an endpoint would fetch for whoever writes a message, it is not told unless the
// agent's author says so.
func TestReferencesAreLeftOut(t *testing.T) {
	message := said(protocol.RoleUser, protocol.PartsOf(
		protocol.Part{Type: protocol.PartImage, Source: &protocol.Source{Type: protocol.SourceURL, Value: "http://10.0.0.1/admin"}},
		protocol.Part{Type: protocol.PartImage, Source: &protocol.Source{Type: protocol.SourceURL, Value: "data:image/png;base64,QQ=="}},
		protocol.Part{Type: protocol.PartDocument, Source: &protocol.Source{Type: protocol.SourceFile, Value: "file-1"}},
	))
	const (
		data  = `{"image_url":{"url":"data:image/png;base64,QQ=="},"type":"image_url"}`
		image = `{"text":"[image: this model is not shown it]","type":"text"}`
		file  = `{"text":"[document: this model is not shown it]","type":"text"}`
	)
	for want, o := range map[string]Options{
		image + "," + data + "," + file: {},
		`{"image_url":{"url":"http://10.0.0.1/admin"},"type":"image_url"},` + data + "," + file: {ImageURLs: true},
		image + "," + data + `,{"file":{"file_id":"file-1"},"type":"file"}`:                     {FileIDs: true},
	} {
		if got := sent(t, o, aside{}, message); got != sorted(t, `[{"content":[`+want+`],"role":"user"}]`) {
			t.Errorf("%+v: %s", o, got)
		}
	}
}

// A window begins with a user's message, and has the latest of those whatever it costs.
func TestWindow(t *testing.T) {
	u, a := said(protocol.RoleUser, protocol.Text("u")), said(protocol.RoleAssistant, protocol.Text("a"))
	tool := result("c", "r")
	for _, c := range []struct {
		messages protocol.Messages
		most     int
		want     int // how many are left
	}{
		{protocol.Messages{u, a, u, a, u}, 0, 5},
		{protocol.Messages{u, a, u, a, u}, 9, 5},
		{protocol.Messages{u, a, u, a, u}, 4, 3},
		{protocol.Messages{u, a, u, a, u}, 1, 1},
		{protocol.Messages{u, a, u, a, tool, a, tool}, 2, 5},
		{protocol.Messages{a, tool, a}, 1, 3},
	} {
		if got := window(c.messages, c.most); len(got) != c.want {
			t.Errorf("%d of %d: %d, want %d", c.most, len(c.messages), len(got), c.want)
		}
	}
}
