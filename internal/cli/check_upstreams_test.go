package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/aguiws/aguiws/gateway"
)

// far is an agent that answers each input with lines, THREAD and RUN being those of the input.
func far(t *testing.T, asked *atomic.Int64, lines ...string) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost {
			http.NotFound(w, r)
			return
		}
		asked.Add(1)
		var in struct{ ThreadID, RunID string }
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
			t.Error(err)
		}
		w.Header().Set("Content-Type", "text/event-stream")
		for _, line := range lines {
			fmt.Fprintf(w, "data: %s\n\n", strings.NewReplacer("THREAD", in.ThreadID, "RUN_ID", in.RunID).Replace(line))
		}
	}))
	t.Cleanup(s.Close)
	return s
}

const (
	begins = `{"type":"RUN_STARTED","threadId":"THREAD","runId":"RUN_ID","protocolVersion":"1.1"}`
	ends   = `{"type":"RUN_FINISHED","threadId":"THREAD","runId":"RUN_ID","outcome":{"type":"success"}}`
)

// What check says of an upstream is what the gateway will do with it.
func TestCheckConverses(t *testing.T) {
	for name, c := range map[string]struct {
		dialect string
		answer  []string
		args    []string
		says    []string
		fails   bool
	}{
		"in order": {answer: []string{begins, `{"type":"TEXT_MESSAGE_CHUNK","messageId":"m","role":"assistant","delta":"hi"}`, ends}, says: []string{
			`ok    upstream agent: http://HOST/agui is sent one message, in a thread of its own: "This is a test`,
			"ok    upstream agent: the agent answered 200 text/event-stream: 3 events, the first after ",
			"ok    upstream agent: the agent speaks AG-UI 1.1\n", "ok    upstream agent: nothing in its answer tells of a framework, and the dialect is auto. Some agents tell it only when they ask: --message gives a text at which yours asks\n",
			"ok    upstream agent: the run ended in order, and asked nothing", "ok    upstream agent: nothing in its answer has to be put right\n",
			"ok    upstream agent: the agent does not say what it can do, which it need not\n",
		}},
		"repaired": {answer: []string{`{"type":"RUN_STARTED","threadId":"t","runId":"own"}`, `{"type":"TEXT_MESSAGE_START","messageId":"m","role":"assistant"}`, `{"type":"RUN_FINISHED","threadId":"t","runId":"own"}`, ends}, args: []string{"--message", "pay 30"}, says: []string{
			`ok    upstream agent: http://HOST/agui is sent one message, in a thread of its own: "pay 30"`,
			"ok    upstream agent: the agent does not say which version of AG-UI it speaks",
			"ok    upstream agent: will be put right, once in this answer (after_end)", "ok    upstream agent: will be put right, ", "ok    upstream agent: will be put right, once in this answer (left_open): messages, calls or steps are open",
		}},
		"legacy": {answer: []string{begins, `{"type":"CUSTOM","name":"on_interrupt","value":"sure?"}`, ends}, says: []string{
			"warn  upstream agent: the agent is taken for langgraph, because it sends CUSTOM on_interrupt and nothing else tells whose that is: say it, dialect: langgraph in upstreams or --upstream agent=langgraph+http://HOST/agui\n",
			"ok    upstream agent: the agent asks by CUSTOM on_interrupt, which becomes an interrupt\n",
		}},
		"legacy, and plain": {dialect: "plain+", answer: []string{begins, `{"type":"CUSTOM","name":"on_interrupt","value":"sure?"}`, ends}, says: []string{
			"warn  upstream agent: the agent looks like langgraph, because it sends CUSTOM on_interrupt, and the dialect is plain: set dialect: langgraph in upstreams or --upstream agent=langgraph+http://HOST/agui\n",
			"warn  upstream agent: the agent asks by CUSTOM on_interrupt, which means nothing in this dialect: nobody would be asked\n",
		}},
		"both ways": {answer: []string{begins, `{"type":"CUSTOM","name":"on_interrupt","value":"{\"type\":\"mastra_suspend\",\"toolCallId\":\"c\",\"runId\":\"r\",\"resumeSchema\":\"{}\"}"}`,
			`{"type":"RUN_FINISHED","threadId":"THREAD","runId":"RUN_ID","outcome":{"type":"interrupt","interrupts":[{"id":"r::c","reason":"mastra:tool_suspend"}]}}`}, says: []string{
			"ok    upstream agent: the dialect is mastra, which the server finds out itself", "ok    upstream agent: the agent asks by the outcome of RUN_FINISHED and by CUSTOM on_interrupt: the two are one question\n",
		}},
		"asks": {answer: []string{begins, `{"type":"RUN_FINISHED","threadId":"THREAD","runId":"RUN_ID","outcome":{"type":"interrupt","interrupts":[{"id":"q1","reason":"example:ask"},{"id":"q2","reason":"tool_call","toolCallId":"c","responseSchema":{"type":"boolean"}}]}}`}, says: []string{
			"ok    upstream agent: nothing in its answer tells of a framework, and the dialect is auto\n", "ok    upstream agent: the agent asks by the outcome of RUN_FINISHED, as AG-UI has it\n",
		}},
		"asks about a call": {answer: []string{begins, `{"type":"TOOL_CALL_CHUNK","toolCallId":"c","toolCallName":"pay","delta":"{}"}`, `{"type":"RUN_FINISHED","threadId":"THREAD","runId":"RUN_ID","outcome":{"type":"interrupt","interrupts":[{"id":"q1","reason":"tool_call","toolCallId":"c"}]}}`}, says: []string{
			"warn  upstream agent: the agent asks with the reason tool_call and without a responseSchema: people may edit the arguments, and it has to act with the editedArgs of the answer\n",
		}},
		"cut short": {answer: []string{begins}, fails: true, says: []string{"FAIL  upstream agent: the run would end with upstream_truncated: "}},
		"nonsense":  {answer: []string{begins, `{"type":"TEXT_MESSAGE_CONTENT","messageId":7}`}, fails: true, says: []string{"FAIL  upstream agent: the run would end with agent_protocol_violation: "}},
	} {
		t.Run(name, func(t *testing.T) {
			var asked atomic.Int64
			s := far(t, &asked, c.answer...)
			out, err := checked(t, append(c.args, "--upstream", c.dialect+s.URL+"/agui?key=k-4711")...)
			if (err != nil) != c.fails {
				t.Errorf("got %v", err)
			}
			for i := range c.says {
				c.says[i] = strings.ReplaceAll(c.says[i], "HOST", s.Listener.Addr().String())
			}
			wantLines(t, out, c.says...)
			if name != "asks about a call" && strings.Contains(out, "editedArgs") {
				t.Errorf("it is told of edits:\n%s", out)
			}
			if asked.Load() != 1 || strings.Contains(out, "k-4711") {
				t.Errorf("it was asked %d times:\n%s", asked.Load(), out)
			}
		})
	}
}

// What is no agent is said to be none, and what is configured in a file is not talked to.
func TestCheckOfUpstreamsThatDoNotAnswer(t *testing.T) {
	page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		io.WriteString(w, "<h1>hello</h1>\n\n")
	}))
	defer page.Close()
	out, err := checked(t, "--upstream", page.URL)
	if err == nil {
		t.Error("a page passes")
	}
	wantLines(t, out, `FAIL  upstream agent: the agent answered 200 with the content type "text/html; charset=utf-8", and not with a stream of events (text/event-stream): is `+page.URL+` the path of an agent? It says "<h1>hello</h1>"`)

	mount := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "/agui/?key=k-4711", http.StatusTemporaryRedirect)
	}))
	defer mount.Close()
	out, err = checked(t, "--upstream", mount.URL+"/agui?key=k-4711")
	if err == nil || strings.Contains(out, "k-4711") {
		t.Errorf("a redirect: %v\n%s", err, out)
	}
	wantLines(t, out, `FAIL  upstream agent: the agent answered 307, a redirect to "`+mount.URL+`/agui/", and redirects are not followed: write that URL`)

	const gone = "http://127.0.0.1:1/" // a port that is nobody's by chance
	out, err = checked(t, "--upstream", gone)
	if err == nil {
		t.Error("nobody passes")
	}
	wantLines(t, out, "FAIL  upstream agent: the agent cannot be reached: dial tcp ")

	var asked atomic.Int64
	s := far(t, &asked, begins, ends)
	out, err = checked(t, "--upstreams", "[{name: a, url: '"+s.URL+"'}, {name: b, url: '"+gone+"'}]")
	if err != nil || asked.Load() != 0 {
		t.Errorf("asked %d times, %v", asked.Load(), err)
	}
	wantLines(t, out, "ok    upstream a: "+s.URL+" can be connected to; check --message TEXT would say something to it\n", "warn  upstream b: "+gone+" cannot be connected to now: dial tcp ")

	out, err = checked(t, "--upstreams", "[{name: a, url: '"+s.URL+"'}]", "--message", "hi")
	if err != nil || asked.Load() == 0 {
		t.Errorf("asked %d times, %v", asked.Load(), err)
	}
	wantLines(t, out, `ok    upstream a: `+s.URL+` is sent one message, in a thread of its own: "hi"`)
}

// What an upstream repeats of its secrets is not told, and no terminal obeys what it says.
func TestCheckTellsNoSecret(t *testing.T) {
	const escape = "\\u001b[2J"
	for name, c := range map[string]struct {
		answer func(w http.ResponseWriter, r *http.Request)
		says   string
	}{
		"in a page, across the cut": {func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprintf(w, "%s%s %s \x1b[2J", strings.Repeat("x", 185), r.Header.Get("Authorization"), r.URL.Query().Get("key"))
		}, strings.Repeat("x", 185) + "…"},
		"in an error": {func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			fmt.Fprintf(w, "data: {\"type\":\"RUN_STARTED\",\"threadId\":\"t\",\"runId\":\"r\",\"protocolVersion\":\"1%s\"}\n\n", escape)
			fmt.Fprintf(w, "data: {\"type\":\"RUN_ERROR\",\"code\":\"c%s\",\"message\":\"no %s %s\"}\n\n", escape, r.Header.Get("X-Key"), escape)
		}, `no … \x1b[2J`},
	} {
		t.Run(name, func(t *testing.T) {
			s := httptest.NewServer(http.HandlerFunc(c.answer))
			defer s.Close()
			entry := upstreamEntry{Name: "agent", URL: s.URL + "/?key=q-4711", Headers: map[string]string{"Authorization": "Bearer k-4711", "X-Key": "k-4711"}}
			var out strings.Builder
			r := &report{w: &out}
			r.converse(t.Context(), "upstream agent", &entry, "hi")
			if text := out.String(); strings.Contains(text, "q-4711") || strings.Contains(text, "k-") || strings.Contains(text, "\x1b") || !strings.Contains(text, c.says) {
				t.Errorf("told %q", text)
			}
		})
	}
}

func TestRepairsHaveWords(t *testing.T) {
	for _, name := range gateway.Repairs {
		if repairWords[name] == "" {
			t.Errorf("%s has no words", name)
		}
	}
	if len(repairWords) != len(gateway.Repairs) {
		t.Errorf("%d words for %d repairs", len(repairWords), len(gateway.Repairs))
	}
}

// A recording is what was sent and what came, byte for byte.
func TestRecord(t *testing.T) {
	var asked atomic.Int64
	s := far(t, &asked, begins, ends)
	recorded := func(args ...string) (string, error) {
		var out strings.Builder
		err := run(t.Context(), append([]string{"record"}, args...), env(), &out, io.Discard)
		return out.String(), err
	}
	dir := filepath.Join(t.TempDir(), "rec")
	out, err := recorded("--upstream", s.URL, "--message", "hello", "--out", dir)
	if err != nil || !strings.Contains(out, "answered 200 text/event-stream: 2 events in ") {
		t.Errorf("%s, %v", out, err)
	}
	read := func(name string) string {
		data, err := os.ReadFile(dir + name)
		if err != nil {
			t.Error(err)
		}
		return string(data)
	}
	var in struct {
		ThreadID, RunID string
		Messages        []struct{ Content string }
	}
	if err := json.Unmarshal([]byte(read(".request.json")), &in); err != nil || in.Messages[0].Content != "hello" {
		t.Errorf("sent %s", read(".request.json"))
	}
	fill := strings.NewReplacer("THREAD", in.ThreadID, "RUN_ID", in.RunID)
	if want := fill.Replace("data: " + begins + "\n\ndata: " + ends + "\n\n"); read(".sse") != want {
		t.Errorf("got %q, want %q", read(".sse"), want)
	}

	sent := write(t, "in.json", `{"threadId":"t", "runId":"r"}`)
	dir = filepath.Join(t.TempDir(), "given")
	if _, err := recorded("--upstream", s.URL, "--input", sent, "--out", dir); err != nil || read(".request.json") != `{"threadId":"t", "runId":"r"}` {
		t.Errorf("%v, sent %s", err, read(".request.json"))
	}
	before := asked.Load()
	for says, args := range map[string][]string{
		"record: the agent is missing: name it by --upstream URL": {"--out", dir + "1"},
		"is there already":                      {"--upstream", s.URL, "--out", dir},
		"record: --out: stat ":                  {"--upstream", s.URL, "--out", dir + "/not/there"},
		"record: --input: open /does/not/exist": {"--upstream", s.URL, "--input", "/does/not/exist", "--out", dir + "2"},
		"is no JSON":                            {"--upstream", s.URL, "--input", write(t, "x", "nonsense"), "--out", dir + "3"},
		`there is no upstream of that name`:     {"--upstream", "a=" + s.URL, "--agent", "script", "--out", dir + "4"},
		"unknown flag --message":                nil,
	} {
		if args == nil {
			_, err = readSettings([]string{"serve", "--message", "x"}, env(), io.Discard)
		} else {
			_, err = recorded(args...)
		}
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v, want %s", args, err, says)
		}
	}
	if asked.Load() != before {
		t.Error("what could not be recorded was sent")
	}
}

// Of what the real packages have sent, check finds whose it is, and that it asks.
func TestRecordedAreUnderstood(t *testing.T) {
	for folder, want := range map[string]gateway.Dialect{
		"langgraph": gateway.DialectLangGraph, "langgraph-outcome": gateway.DialectLangGraph, "mastra": gateway.DialectMastra, "tanstack": gateway.DialectTanStack,
	} {
		t.Run(folder, func(t *testing.T) {
			at := filepath.Join("../../gateway/testdata", folder, "approve-1-asks")
			x := &exchange{status: 200, kind: "text/event-stream"}
			for name, into := range map[string]*[]byte{".request.json": &x.request, ".sse": &x.body} {
				*into = []byte(readFile(t, at+name))
			}
			heard := gateway.HeardIn(x.events())
			if heard.Dialect != want || heard.Guess || heard.Outcome != (folder != "langgraph") || heard.Custom != (folder != "tanstack") {
				t.Errorf("it heard %+v", heard)
			}
			e := &upstreamEntry{Name: "far", URL: "http://far/", Dialect: string(want)}
			found, err := e.rehearse(t.Context(), x)
			if err != nil || !found.asks || found.code != "" {
				t.Errorf("found %+v, %v", found, err)
			}
		})
	}
}

// An agent that forbids protocolVersion is asked without, as the gateway does.
func TestCheckConversesWithoutTheVersion(t *testing.T) {
	agent := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var in struct{ ThreadID, RunID, ProtocolVersion string }
		switch err := json.NewDecoder(r.Body).Decode(&in); {
		case r.Method != http.MethodPost || err != nil:
			http.NotFound(w, r)
		case in.ProtocolVersion != "":
			http.Error(w, "protocolVersion: extra_forbidden", http.StatusUnprocessableEntity)
		default:
			w.Header().Set("Content-Type", "text/event-stream")
			fmt.Fprintf(w, "data: %s\n\n", strings.NewReplacer("THREAD", in.ThreadID, "RUN_ID", in.RunID).Replace(begins))
			fmt.Fprintf(w, "data: %s\n\n", strings.NewReplacer("THREAD", in.ThreadID, "RUN_ID", in.RunID).Replace(ends))
		}
	}))
	defer agent.Close()
	out, err := checked(t, "--upstream", agent.URL)
	if err != nil {
		t.Error(err)
	}
	wantLines(t, out, "ok    upstream agent: will be put right, in each request (protocol_version): inputs with a protocolVersion are refused", "ok    upstream agent: the run ended in order")
}
