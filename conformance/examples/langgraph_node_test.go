package examples

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/aguiws/aguiws/conformance/internal/command"
	"github.com/aguiws/aguiws/internal/suite"
	"github.com/aguiws/aguiws/redisstore/redistest"
)

// graphInNode is examples/langgraph-node in a folder of its own, with a graph in the place of its own. What it
// returns starts it there, on a port.
func graphInNode(t *testing.T, graph string) (folder string, start func(port string) (*exec.Cmd, string)) {
	t.Helper()
	example := filepath.Join(command.Root(t), "examples", "langgraph-node")
	modules := filepath.Join(example, "node_modules")
	if _, err := os.Stat(filepath.Join(modules, "better-sqlite3")); err != nil {
		command.Missing(t, "upstreams", "npm ci in examples/langgraph-node")
	}
	folder = t.TempDir()
	for from, to := range map[string]string{filepath.Join(example, "server.mjs"): "server.mjs", filepath.Join(command.Root(t), graph): "graph.mjs"} {
		text, err := os.ReadFile(from)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, to), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	link(t, modules, filepath.Join(folder, "node_modules"))
	return folder, func(port string) (*exec.Cmd, string) {
		t.Helper()
		cmd := exec.Command("node", "server.mjs")
		cmd.Dir, cmd.Env, cmd.Stderr = folder, append(os.Environ(), "PORT="+port, "SENT=sent.log"), os.Stderr
		printed, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
		line, err := bufio.NewReader(printed).ReadString('\n')
		url := regexp.MustCompile(`http://\S+`).FindString(line)
		if url == "" {
			t.Fatalf("it says %q: %v", line, err)
		}
		go func() { _, _ = io.Copy(io.Discard, printed) }()
		return cmd, url
	}
}

// A graph in JavaScript asks from a process of its own. It and the server are killed, and the answer is
// carried out once, however often it comes. A no, a cancellation and a message in its place have no effect.
func TestLangGraphNode(t *testing.T) {
	suite.Full(t)
	folder, start := graphInNode(t, "examples/langgraph-node/graph.mjs")
	agent, url := start("0")
	redis := redistest.Start(t, redistest.Options{AOF: "everysec"})
	server := command.Start(t, command.Options{Redis: redis.URL(), Args: []string{"--upstream", "langgraph+" + url + "#ask-lost=true"}})
	post := func(thread, rest string) string {
		return posted(t, server.URL()+"/agui", `{"threadId":"`+thread+`",`+rest+`}`)
	}
	asks := func(thread string) (id string) {
		t.Helper()
		told := post(thread, `"runId":"r","messages":[{"id":"m","role":"user","content":"write to ann"}]`)
		question := regexp.MustCompile(`"interrupts":\[\{"id":"([^"]+)"`).FindStringSubmatch(told)
		if question == nil || !strings.Contains(told, "Send the mail to ann?") || !strings.Contains(told, `{"label":"Yes","payload":true`) {
			t.Fatalf("it does not ask: %s", told)
		}
		return question[1]
	}
	yes, no, cancelled, aside, lost := asks("yes"), asks("no"), asks("cancelled"), asks("aside"), asks("lost")
	resume := func(id, how string) string { return `"runId":"a","resume":[{"interruptId":"` + id + `",` + how + `}]` }

	killed(agent)
	server.Kill()
	agent, _ = start(url[strings.LastIndex(url, ":")+1 : len(url)-1])
	server.Restart()
	for _, c := range []struct{ thread, rest, want string }{
		{"yes", resume(yes, `"status":"resolved","payload":true`), "I have sent the mail to ann."},
		{"yes", resume(yes, `"status":"resolved","payload":true`), "I have sent the mail to ann."},
		{"no", resume(no, `"status":"resolved","payload":false`), "I have not sent it."},
		{"cancelled", resume(cancelled, `"status":"cancelled"`), "I have not sent it."},
		{"aside", `"runId":"n","messages":[{"id":"m","role":"user","content":"write to ann"},{"id":"n","role":"user","content":"write to bob"}],"resume":[{"interruptId":"` + aside + `","status":"cancelled"}]`, "Send the mail to bob?"},
	} {
		if told := post(c.thread, c.rest); !strings.Contains(told, c.want) {
			t.Errorf("%s is answered by %s", c.rest, told)
		}
	}
	if sent, err := os.ReadFile(filepath.Join(folder, "sent.log")); err != nil || !regexp.MustCompile(`^\{"to":"ann","key":"\S+ m send"\}\n$`).Match(sent) {
		t.Errorf("it has sent %q, %v", sent, err)
	}

	// Without its checkpoints it says so, and a human is asked.
	killed(agent)
	for _, name := range []string{"checkpoints.db", "checkpoints.db-wal", "checkpoints.db-shm"} {
		_ = os.Remove(filepath.Join(folder, name)) // the last two may not be there
	}
	start(url[strings.LastIndex(url, ":")+1 : len(url)-1])
	if told := post("lost", resume(lost, `"status":"resolved","payload":true`)); !strings.Contains(told, "aguiws:question_forgotten") {
		t.Errorf("without its checkpoints it is told %s", told)
	}
}

// A tool's call, its result and a text that a model streams are told, and a form is answered. The key of a
// tool has the thread and the call. A Cancel of the form has no effect.
func TestLangGraphNodeTool(t *testing.T) {
	folder, start := graphInNode(t, "conformance/examples/langgraphtool/graph.mjs")
	_, url := start("0")
	post := func(thread, rest string) string {
		return posted(t, url, `{"threadId":"`+thread+`","runId":"r",`+rest+`}`)
	}
	asks := func(thread, says string, wants ...string) (id string) {
		t.Helper()
		told := post(thread, `"messages":[{"id":"m","role":"user","content":"`+says+`"}]`)
		question := regexp.MustCompile(`"interrupts":\[\{"id":"([^"]+)"`).FindStringSubmatch(told)
		for _, want := range wants {
			if question == nil || !strings.Contains(told, want) {
				t.Fatalf("no %s in %s", want, told)
			}
		}
		return question[1]
	}
	mail := asks("mail", "write to ann", `"toolCallName":"send_mail"`, `"delta":"{\"to\":\"ann\",\"text\":\"Hello.\"}"`, "Send this to ann? Hello.")
	form, none := asks("form", "refund 100", `"responseSchema":{"type":"object"`, `"default":100`), asks("none", "refund 100")
	for _, c := range []struct {
		thread, id, how string
		wants           []string
	}{
		{"mail", mail, `"status":"resolved","payload":true`, []string{`"TOOL_CALL_RESULT"`, `"content":"I have sent the mail to ann."`, `"delta":"I"`, `"TEXT_MESSAGE_END"`}},
		{"form", form, `"status":"resolved","payload":{"approved":true,"amount":75}`, []string{"I have refunded 75."}},
		{"none", none, `"status":"cancelled"`, []string{"I have refunded nothing."}},
	} {
		told := post(c.thread, `"messages":[],"resume":[{"interruptId":"`+c.id+`",`+c.how+`}]`)
		for _, want := range c.wants {
			if !strings.Contains(told, want) {
				t.Errorf("no %s in %s", want, told)
			}
		}
	}
	const want = `{"to":"ann","text":"Hello.","key":"mail call_m"}` + "\n" + `{"refund":75,"key":"form m refund"}` + "\n"
	if sent, err := os.ReadFile(filepath.Join(folder, "sent.log")); err != nil || string(sent) != want {
		t.Errorf("it has sent %q, %v", sent, err)
	}
}

// What comes again is not asked or done again. An answer or a message behind which the process has died has the
// graph go on. An answer that was carried out is told what came of it, and what the graph asks by
// now, which may be the next question of the same node.
func TestLangGraphNodeAgain(t *testing.T) {
	folder, start := graphInNode(t, "conformance/examples/langgraphtool/graph.mjs")
	agent, url := start("0")
	says := func(thread, id, text string) string {
		return `{"threadId":"` + thread + `","runId":"r","messages":[{"id":"` + id + `","role":"user","content":"` + text + `"}]`
	}
	const dan = "write to dan"
	asked := func(told string) string {
		t.Helper()
		question := regexp.MustCompile(`"interrupts":\[\{"id":"([^"]+)"`).FindStringSubmatch(told)
		if question == nil {
			t.Fatalf("it does not ask: %s", told)
		}
		return question[1]
	}
	yes := func(input, id string) string {
		return input + `,"resume":[{"interruptId":"` + id + `","status":"resolved","payload":true}]}`
	}
	dies := func(body string) {
		t.Helper()
		if response, err := http.Post(url, "application/json", strings.NewReader(body)); err == nil {
			_, _ = io.Copy(io.Discard, response.Body) // it breaks off
			response.Body.Close()
		}
		_ = agent.Wait()
		agent, _ = start(url[strings.LastIndex(url, ":")+1 : len(url)-1])
	}
	tells := func(body string, wants ...string) (told string) {
		t.Helper()
		told = posted(t, url, body)
		for _, want := range wants {
			if !strings.Contains(told, want) {
				t.Errorf("no %s in %s", want, told)
			}
		}
		return told
	}

	approved := says("die", "m", "die once")
	approved = yes(approved, asked(posted(t, url, approved+"}")))
	dies(approved)
	for range 2 {
		tells(approved, "I have done it.", `"success"`)
	}

	dies(says("dan", "m", dan) + "}")
	for range 2 {
		tells(says("dan", "m", dan)+"}", `"toolCallId":"call_m"`, `"message":"Send this to dan? Hello."`)
	}

	ann := says("ann", "m", "write to ann")
	first := yes(ann, asked(posted(t, url, ann+"}")))
	for range 2 {
		tells(first, "TOOL_CALL_RESULT", `"TEXT_MESSAGE_END"`, `"success"`)
	}
	tells(ann+"}", `"content":"I have sent the mail to ann."`, `"success"`)
	second := asked(posted(t, url, says("ann", "n", "write to bob")+"}"))
	if now := asked(tells(first, "Send this to bob?")); now != second {
		t.Errorf("it asks %s and then %s", second, now)
	}
	twice := says("twice", "m", "ask twice")
	first = yes(twice, asked(posted(t, url, twice+"}")))
	for range 2 {
		tells(first, `"message":"Really?"`)
	}
	const want = `{"to":"ann","text":"Hello.","key":"ann call_m"}` + "\n"
	if sent, err := os.ReadFile(filepath.Join(folder, "sent.log")); err != nil || string(sent) != want {
		t.Errorf("it has sent %q, %v", sent, err)
	}
}

// A node that takes long is no silence: comments come until it has ended, and none behind that. An upload that
// breaks off, and one that has no end, leave the process as it is.
func TestLangGraphNodeWaits(t *testing.T) {
	goesOn := make(chan struct{})
	service := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-goesOn }))
	defer service.Close()
	t.Setenv("SLOW", service.URL)
	t.Setenv("NODE_OPTIONS", "--import=data:text/javascript,const%20real=setInterval;globalThis.setInterval=(f,ms)=>real(()=>f()||process.exit(1),ms/60000)")
	_, start := graphInNode(t, "conformance/examples/langgraphtool/graph.mjs")
	_, url := start("0")

	connection, err := net.Dial("tcp", url[len("http://"):len(url)-1])
	if err != nil {
		t.Fatal(err)
	}
	_, _ = io.WriteString(connection, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n{")
	_ = connection.Close()
	endless, err := http.Post(url, "application/json", endless{})
	if err == nil {
		_ = endless.Body.Close()
		if endless.StatusCode != http.StatusRequestEntityTooLarge {
			t.Errorf("an upload without an end is answered by %s", endless.Status)
		}
	}

	response, err := http.Post(url, "application/json", strings.NewReader(`{"threadId":"t","runId":"r","messages":[{"id":"m","role":"user","content":"wait"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	told, waits := "", 0
	for lines := bufio.NewScanner(response.Body); lines.Scan(); told += lines.Text() {
		if lines.Text() == ": wait" {
			if waits++; waits == 2 {
				close(goesOn)
			}
		}
	}
	if waits < 2 || !strings.Contains(told, "I have waited.") || !strings.HasSuffix(told, `"outcome":{"type":"success"}}`) {
		t.Errorf("it tells %s", told)
	}
	if got := posted(t, url, "{"); !strings.HasPrefix(got, "400") {
		t.Errorf("what is no JSON is answered by %s", got)
	}
}

// endless is a body that never ends.
type endless struct{}

func (endless) Read(p []byte) (int, error) { return len(p), nil }
