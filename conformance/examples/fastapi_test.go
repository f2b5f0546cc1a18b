package examples

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
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
)

// withFastAPI is a Python that has what the example needs: the one in PATH may be somebody's own.
func withFastAPI(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"python3", "/usr/bin/python3"} {
		if exec.Command(name, "-c", "import fastapi, uvicorn").Run() == nil {
			return name
		}
	}
	command.Missing(t, "python", "install Debian's python3-fastapi and python3-uvicorn")
	return ""
}

// fastapiFolder is the example in a folder of its own, which it writes into.
func fastapiFolder(t *testing.T) string { return copied(t, "examples/fastapi") }

// copied is a folder of the tree with its files in Python, in a place of its own.
func copied(t *testing.T, from string) string {
	t.Helper()
	folder := t.TempDir()
	names, err := filepath.Glob(filepath.Join(command.Root(t), from, "*.py"))
	if err != nil || len(names) == 0 {
		t.Fatalf("%s has %d files in Python: %v", from, len(names), err)
	}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, filepath.Base(name)), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

// uvicorn serves the example in a folder, from another one, and returns its URL.
func uvicorn(t *testing.T, python, folder, port string, env ...string) (*exec.Cmd, string) {
	t.Helper()
	return uvicornOf(t, "app:app", python, folder, port, env...)
}

func uvicornOf(t *testing.T, app, python, folder, port string, env ...string) (*exec.Cmd, string) {
	t.Helper()
	cmd := exec.Command(python, "-m", "uvicorn", app, "--port", port, "--app-dir", folder)
	cmd.Dir = t.TempDir()
	cmd.Env = append(append(os.Environ(), "PYTHONDONTWRITEBYTECODE=1"), env...)
	printed, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	lines := bufio.NewScanner(printed)
	for lines.Scan() {
		if found := regexp.MustCompile(`http://127\.0\.0\.1:\d+`).FindString(lines.Text()); found != "" {
			go func() { _, _ = io.Copy(io.Discard, printed) }()
			return cmd, found
		}
	}
	t.Fatalf("uvicorn does not serve: %v", lines.Err())
	return nil, ""
}

func killed(agent *exec.Cmd) {
	_ = agent.Process.Kill()
	_ = agent.Wait()
}

// The agent in FastAPI asks, is killed, and acts once on an answer that comes twice.
func TestFastAPI(t *testing.T) {
	suite.Full(t)
	python, folder := withFastAPI(t), fastapiFolder(t)
	agent, url := uvicorn(t, python, folder, "0")
	server := command.Start(t, command.Options{Args: []string{"--upstream", url + "/#ask-lost=true"}})
	post := func(body string) string { return posted(t, server.URL()+"/agui", body) }
	asks := func(thread string) (answer string) {
		t.Helper()
		told := post(`{"threadId":"` + thread + `","runId":"r","messages":[{"id":"m","role":"user","content":"ann"}]}`)
		question := regexp.MustCompile(`"interrupts":\[\{"id":"([^"]+)"`).FindStringSubmatch(told)
		if question == nil || !strings.Contains(told, `"send_mail"`) {
			t.Fatalf("it does not ask: %s", told)
		}
		return `{"threadId":"` + thread + `","runId":"a","resume":[{"interruptId":"` + question[1] + `","status":"resolved","payload":{"approved":%s}}]}`
	}
	approve, refuse, edit := fmt.Sprintf(asks("t1"), "true"), fmt.Sprintf(asks("t2"), "false"), asks("t3")

	killed(agent)
	uvicorn(t, python, folder, url[strings.LastIndex(url, ":")+1:])
	for range 2 {
		if told := post(approve); !strings.Contains(told, "Sent to ann.") {
			t.Errorf("after a yes it says %s", told)
		}
	}
	if told := post(refuse); !strings.Contains(told, "Not done. A person was asked: Send this to ann?") {
		t.Errorf("after a no it says %s", told)
	}
	for _, edits := range []string{`{"to":"bob","text":7}`, `{"to":"bob"}`} {
		if told := post(fmt.Sprintf(edit, `true,"editedArgs":`+edits)); !strings.Contains(told, "interrupt_payload_invalid") {
			t.Errorf("the arguments %s are answered by %s", edits, told)
		}
	}
	if told := post(fmt.Sprintf(edit, `true,"editedArgs":{"to":"bob","text":"Hello"}`)); !strings.Contains(told, "Sent to bob. A person changed the arguments") {
		t.Errorf("after a yes to other arguments it says %s", told)
	}
	sent, err := os.ReadFile(filepath.Join(folder, "sent.log"))
	if err != nil || bytes.Count(sent, []byte("\n")) != 2 || !bytes.Contains(sent, []byte(`{"to": "bob", "text": "Hello", `)) {
		t.Errorf("it has sent %q, %v", sent, err)
	}
}

// told is what the agent answers to the rest of a RunAgentInput.
func told(t *testing.T, url, rest string) string {
	return posted(t, url, `{"threadId":"t","runId":"r",`+rest+`}`)
}

func posted(t *testing.T, url, body string) string {
	response, err := http.Post(url, "application/json", strings.NewReader(body))
	if err != nil {
		t.Error(err)
		return ""
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Error(err)
	}
	return response.Status + string(text)
}

// The same answer that comes while it is carried out, or again, is carried out once. A message
// in an answer's place is answered, a reason is told, and an unknown question is a 404.
func TestFastAPIAlone(t *testing.T) {
	folder := fastapiFolder(t)
	_, url := uvicorn(t, withFastAPI(t), folder, "0")
	post := func(rest string) string { return told(t, url, rest) }
	for rest, want := range map[string]string{
		`"messages":[]`: "Write the name of somebody",
		`"messages":[{"id":"m","role":"user","content":"rooms"}]`:                        "These rooms are free: blue, green.",
		`"messages":[{"id":"m","role":"user","content":[{"type":"text","text":"ann"}]}]`: "Write the name of somebody",
		`"messages":[],"resume":[{"interruptId":"q","status":"cancelled"}]`:              "404",
	} {
		if got := post(rest); !strings.Contains(got, want) {
			t.Errorf("%s is answered by %s", rest, got)
		}
	}
	asked := func(rest string) string {
		t.Helper()
		question := regexp.MustCompile(`"interrupts": \[\{"id": "([^"]+)"`).FindStringSubmatch(post(rest))
		if question == nil {
			t.Fatal("it does not ask")
		}
		return question[1]
	}
	other := asked(`"messages":[{"id":"m","role":"user","content":"cid"}]`)
	cancels := `"messages":[{"id":"m","role":"user","content":"cid"},{"id":"c","role":"assistant","toolCalls":[{"id":"call"}]}%s],"resume":[{"interruptId":"` + other + `","status":"cancelled"}]`
	if got := post(fmt.Sprintf(cancels, `,{"id":"n","role":"user","content":"bob"}`)); !strings.Contains(got, "asked: Send this to cid?") || !strings.Contains(got, "Send this to bob?") {
		t.Errorf("a message in an answer's place is answered by %s", got)
	}
	if got := post(fmt.Sprintf(cancels, "")); !strings.Contains(got, "asked: Send this to cid?") || strings.Contains(got, "interrupts") || strings.Contains(got, "Write the name") {
		t.Errorf("a cancellation is answered by %s", got)
	}
	words := `"messages":[],"resume":[{"interruptId":"` + asked(`"messages":[{"id":"m","role":"user","content":"dan"}]`) + `","status":"resolved","payload":{"approved":false,"reason":"Tomorrow."}}]`
	if got := post(words); !strings.Contains(got, "Not done. A person was asked: Send this to dan? The person says: Tomorrow.") {
		t.Errorf("a no with a reason is answered by %s", got)
	}
	question := asked(`"messages":[{"id":"m","role":"user","content":"ann"}]`)
	answers := make(chan string)
	for range 8 {
		go func() {
			answers <- post(`"messages":[],"resume":[{"interruptId":"` + question + `","status":"resolved","payload":{"approved":true}}]`)
		}()
	}
	for range 8 {
		if got := <-answers; !strings.Contains(got, "Sent to ann.") {
			t.Errorf("it says %s", got)
		}
	}
	if sent, err := os.ReadFile(filepath.Join(folder, "sent.log")); err != nil || bytes.Count(sent, []byte("\n")) != 1 {
		t.Errorf("it has sent %q, %v", sent, err)
	}
}

// The agent is mounted in another app, and answers whoever knows its secret alone. A URL without the
// slash is a redirect, which aguiws does not follow.
func TestFastAPIMounted(t *testing.T) {
	folder := fastapiFolder(t)
	if err := os.CopyFS(folder, os.DirFS(filepath.Join(command.Root(t), "conformance", "examples", "mounted"))); err != nil {
		t.Fatal(err)
	}
	_, url := uvicornOf(t, "main:app", withFastAPI(t), folder, "0", "AGENT_SECRET=s3")
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	for _, of := range []struct {
		path, secret string
		want         int
	}{{"/agui/", "s3", 200}, {"/agui/", "s", 403}, {"/agui/", "\xe4", 403}, {"/agui/", "", 403}, {"/agui", "s3", 307}} {
		request, err := http.NewRequest(http.MethodPost, url+of.path, strings.NewReader(`{"threadId":"t","runId":"r","messages":[]}`))
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("X-Agent-Secret", of.secret)
		response, err := client.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		_ = response.Body.Close()
		if response.StatusCode != of.want {
			t.Errorf("with the secret %q %s answers %s", of.secret, of.path, response.Status)
		}
	}
}

// A secret that is empty, because its file is missing, say, is refused at the start.
func TestFastAPIRefusesAnEmptySecret(t *testing.T) {
	cmd := exec.Command(withFastAPI(t), "-c", "import app")
	cmd.Dir, cmd.Env = fastapiFolder(t), append(os.Environ(), "AGENT_SECRET=")
	if printed, err := cmd.CombinedOutput(); err == nil || !bytes.Contains(printed, []byte("AGENT_SECRET is empty")) {
		t.Errorf("it tells %s, %v", printed, err)
	}
}

// An action that takes long is no silence: comments come until it has ended.
func TestFastAPIWaits(t *testing.T) {
	cmd := exec.Command(withFastAPI(t), "-c", `
import asyncio, app

async def main():
    done, app.PATIENCE = asyncio.Event(), 0.001
    async def slow(*_, **__):
        await done.wait()
        return "Sent to ann."
    app.TOOLS["send_mail"] = slow
    app.keep("q", {"call": "c", "tool": "send_mail", "args": {"to": "ann", "text": "Dear ann"}})
    answer = {"interruptId": "q", "status": "resolved", "payload": {"approved": True}}
    waits = 0
    async for part in app.events({"threadId": "t", "runId": "r", "messages": []}, [answer]):
        waits += part == ": wait\n\n"
        if waits == 2:
            done.set()
        if "TOOL_CALL_RESULT" in part:
            print(waits > 1 and part)

asyncio.run(main())
`)
	cmd.Dir = fastapiFolder(t)
	if printed, err := cmd.CombinedOutput(); err != nil || !bytes.Contains(printed, []byte("Sent to ann.")) {
		t.Errorf("it tells %s, %v", printed, err)
	}
}

// A tool is added in one place: one function in tools.py is proposed, asked about, called and
// described to a model. What it says is not done is told, and a call that no tool takes is refused
// before anybody is asked, with the name of who proposed it.
func TestFastAPITool(t *testing.T) {
	cmd := exec.Command(withFastAPI(t), "-c", `
import asyncio, json, os, app
from typing import Literal
os.environ["MODEL"] = "m"
import model, tools

@tools.tool("Ring {name}, and tell {who}?")
def ring(name: str, loud: bool = False, who: list[str] | None = None, how: Literal["long", "short"] = "long", *, key, run):
    "Rings a bell."
    if name == "big ben":
        raise tools.NotDone("it is too large")
    return f"{key} rings {name}{'!' * loud} {how}"

print(json.dumps(model.described("ring", ring)["function"]))

async def goes(name, args):
    async def proposes(_):
        yield name, args
    app.think = proposes
    told = "".join([part async for part in app.events({"threadId": "t", "runId": "r", "messages": []}, [])])
    if "RUN_ERROR" in told:
        who, why = json.loads(told.split("data: ")[-1])["message"].split(": ", 1)
        return print(who, name in why)
    question = json.loads(told.split("data: ")[-1])["outcome"]["interrupts"][0]
    said = await app.act({"interruptId": question["id"], "status": "resolved", "payload": {"approved": True}}, "r")
    print(question["message"], said[1].replace(question["id"], "KEY"))

async def main():
    await goes("ring", {"name": "dinner", "loud": True, "who": ["ann", "bob"], "how": "short"})
    await goes("ring", {"name": "big ben"})
    await goes("book_room", {"room": "blue", "hours": 2})
    await goes("book_room", {"room": "blue", "hours": 9})
    for args in {}, {"name": 1}, {"name": "dinner", "key": "k"}, {"name": "dinner", "tune": "a"}, [], {"name": "d", "who": "ann"}, {"name": "d", "who": [1]}, {"name": "d", "how": "loud"}:
        await goes("ring", args)
    await goes("bake", {})

asyncio.run(main())
`)
	cmd.Dir = fastapiFolder(t)
	want := `{"name": "ring", "description": "Rings a bell.", "parameters": {"type": "object", "properties": {"name": {"type": "string"}, "loud": {"type": "boolean"}, "who": {"anyOf": [{"type": "array", "items": {"type": "string"}}, {"type": "null"}]}, "how": {"enum": ["long", "short"]}}, "required": ["name"]}}
Ring dinner, and tell ['ann', 'bob']? KEY rings dinner! short
Ring big ben, and tell –? Not done: it is too large.
Book blue for 2 hours? blue is yours for 2 hours.
Book blue for 9 hours? Not done: a room can be had for 8 hours.
` + strings.Repeat("`think` at the end of tools.py proposed what no tool takes True\n", 9)
	if printed, err := cmd.CombinedOutput(); err != nil || string(printed) != want {
		t.Errorf("it tells %s, %v", printed, err)
	}
}

// A function that no call could fit is refused when it becomes a tool, by its name and its argument. A
// fault of think is not said to be the model's.
func TestFastAPIRefusesATool(t *testing.T) {
	cmd := exec.Command(withFastAPI(t), "-c", `
import asyncio, datetime, tools

def bare(when, *, key, run): "No annotation."
def other(when: datetime.date, *, key, run): "A kind that JSON has not."
def within(when: list[datetime.date], *, key, run): "The same in a list."
def default(when: str = 3, *, key, run): "A default of another kind."
def keyless(when: str): "Takes no key."
def gap(then: str, *, key, run): "Has no argument for the gap."
def none(when: str = None, *, key, run): "A default that its annotation does not take."
def fine(when: str | None = None, *, key, run): "May be left out."

for function, question in [(each, "At {when}?") for each in (bare, other, within, default, keyless, gap, none)] + [(fine, each) for each in ("At {when:>8}?", "At {when!r}?", "At {when.year}?", "At {}?", "At {when?", "At {when}?")]:
    try:
        tools.tool(question)(function)
        print(function.__name__)
    except TypeError as error:
        print(str(error)[:38])
try:
    @tools.tool
    def plain(): "Without the parentheses."
except TypeError as error:
    print(error)

async def broken(_):
    yield {}["away"]

import app
app.think = broken

async def main():
    print("".join([part async for part in app.events({"threadId": "t", "runId": "r", "messages": []}, [])]).split("data: ")[-1])

asyncio.run(main())
`)
	cmd.Dir = fastapiFolder(t)
	want := `@tool: bare: when needs an annotation:
@tool: other: when needs an annotation
@tool: within: when needs an annotatio
@tool: default: when has the default 3
@tool: keyless: a tool with a question
@tool: gap: the question's {when} is n
@tool: none: when has the default None
@tool: fine: the question's {when} has
@tool: fine: the question's {when} has
@tool: fine: the question's {when.year
@tool: fine: the question's {} is no a
@tool: fine: the question's gaps canno
fine
@tool: plain: write @tool("…?") with its question, or @tool() if it needs none
{"type": "RUN_ERROR", "message": "The agent cannot go on: KeyError('away')"}

`
	if printed, err := cmd.Output(); err != nil || strings.TrimSpace(string(printed)) != strings.TrimSpace(want) {
		t.Errorf("it tells %s, %v", printed, err)
	}
}

// A tool without a question is called at once. What it found is told, so that the thread keeps it, and
// the model goes on from it in the same run. Beside a call that is asked about it goes on after the answer.
func TestFastAPILooksUp(t *testing.T) {
	cmd := exec.Command(withFastAPI(t), "-c", `
import asyncio, app, json

turns = [["Well. ", ("free_rooms", {})], [("free_rooms", {}), ("book_room", {"room": "blue", "hours": 2})], ["never"]]

async def thinks(chat):
    print([(m["role"], m["content"], len(m.get("toolCalls") or [])) for m in chat])
    for part in turns.pop(0):
        yield part

app.think = thinks

async def main():
    said = [{"id": "m", "role": "user", "content": "book a room"}]
    async for part in app.events({"threadId": "t", "runId": "r", "messages": said}, []):
        told = json.loads(part[6:])
        print(told["type"], told.get("content", ""), len((told.get("outcome") or {}).get("interrupts", [])))

asyncio.run(main())
`)
	cmd.Dir = fastapiFolder(t)
	const call = "TOOL_CALL_START  0\nTOOL_CALL_ARGS  0\nTOOL_CALL_END  0\n"
	want := `RUN_STARTED  0
[('user', 'book a room', 0)]
TEXT_MESSAGE_START  0
TEXT_MESSAGE_CONTENT  0
TEXT_MESSAGE_END  0
` + call + `TOOL_CALL_RESULT blue, green 0
[('user', 'book a room', 0), ('assistant', 'Well. ', 1), ('tool', 'blue, green', 0)]
` + call + `TOOL_CALL_RESULT blue, green 0
` + call + `RUN_FINISHED  1
`
	if printed, err := cmd.CombinedOutput(); err != nil || string(printed) != want {
		t.Errorf("it tells %s, %v, and not %s", printed, err, want)
	}
}

// A yes to other arguments carries the call out with these. What the tool does not take, or what leaves an
// argument out, does nothing.
func TestFastAPIEdits(t *testing.T) {
	cmd := exec.Command(withFastAPI(t), "-c", `
import asyncio, app, tools

@tools.tool("Refund {amount}?")
def refund(amount: int, why: str = "none", *, key, run):
    print(key, amount, why)

for key, edited in enumerate([None, {"amount": 25, "why": "late"}, {"amount": 25}, {"amount": "25", "why": "late"}, {"amount": 25, "why": "late", "key": "k"}, {}, []]):
    app.keep(str(key), {"call": "c", "tool": "refund", "args": {"amount": 30, "why": "sorry"}})
    print(asyncio.run(app.act({"interruptId": str(key), "status": "resolved", "payload": {"approved": True, "editedArgs": edited}}, "r"))[1])
`)
	cmd.Dir = fastapiFolder(t)
	const none = "Not done: a person changed the arguments, and the tool does not take them: "
	want := "0 30 sorry\nDone.\n" +
		`1 25 late
Done. A person changed the arguments to {"amount": 25, "why": "late"}.
` + none + "why of refund is left out.\n" + none + "amount of refund is '25'.\n"
	printed, err := cmd.CombinedOutput()
	if err != nil || !strings.HasPrefix(string(printed), want) || strings.Count(string(printed), none) != 5 || strings.Count(string(printed), "\n") != 9 {
		t.Errorf("it tells %s, %v", printed, err)
	}
}

// An agent that ends behind its action, and before it has kept that, gets the answer again: the
// service drops the second request.
func TestFastAPIActsOnceAcrossACrash(t *testing.T) {
	cmd := exec.Command(withFastAPI(t), "-c", `
import asyncio, app

def killed(*_):
    raise KeyError("killed")

kept, app.keep = app.keep, killed
kept("q", {"call": "c", "tool": "send_mail", "args": {"to": "ann", "text": "Dear ann"}})
answer = {"interruptId": "q", "status": "resolved", "payload": {"approved": True}}
for keep in killed, kept:
    app.keep = keep
    try:
        print(asyncio.run(app.act(answer, "r")))
    except KeyError as error:
        print(error)
`)
	cmd.Dir = fastapiFolder(t)
	if printed, err := cmd.CombinedOutput(); err != nil || string(printed) != "'killed'\n('c', 'Sent to ann.')\n" {
		t.Errorf("it tells %s, %v", printed, err)
	}
	if sent, err := os.ReadFile(filepath.Join(cmd.Dir, "sent.log")); err != nil || bytes.Count(sent, []byte("\n")) != 1 {
		t.Errorf("it has sent %q, %v", sent, err)
	}
}

// The model proposes a mail and goes on after its answers, once: it is told each result behind
// its call, even if a new message follows the question.
func TestFastAPIModel(t *testing.T) {
	delta := func(members string) string {
		return "data: {\"choices\":[{\"index\":0,\"delta\":{" + members + "}}]}\n\n"
	}
	call := func(index int, to string) string {
		head := fmt.Sprintf(`"tool_calls":[{"index":%d,"id":"m%[1]d","type":"function","function":{"name":"send_mail","arguments":"{\"to\":"}}]`, index)
		return delta(head) + delta(fmt.Sprintf(`"tool_calls":[{"index":%d,"function":{"arguments":"\"%s\",\"text\":\"Hello\"}"}}]`, index, to))
	}
	const done = "data: {\"choices\":[],\"usage\":{}}\n\ndata: [DONE]\n\n"
	answers := make(chan string, 4)
	asked := make(chan string, 4)
	endpoint := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		asked <- r.URL.Path + r.Header.Get("Authorization") + string(body)
		_, _ = io.WriteString(w, <-answers)
	}))
	defer endpoint.Close()
	_, url := uvicorn(t, withFastAPI(t), fastapiFolder(t), "0", "MODEL=m-1", "MODEL_URL="+endpoint.URL+"/v1", "OPENAI_API_KEY=secret")

	const first = `{"id":"u","role":"user","content":[{"type":"text","text":"Write to both"},{"type":"image"}]}`
	answers <- delta(`"content":"One "`) + delta(`"content":"moment."`) + call(0, "ann") + call(1, "bob") + done
	got := told(t, url, `"messages":[`+first+`]`)
	found := regexp.MustCompile(`\{"id": "([^"]+)", "reason": "[^"]+", "message": "Send this to (?:ann|bob)\?", "toolCallId": "([^"]+)"`).FindAllStringSubmatch(got, -1)
	if !strings.Contains(got, `"moment."`) || len(found) != 2 || strings.Count(got, `"parentMessageId": "`+regexp.MustCompile(`"messageId": "([^"]+)`).FindStringSubmatch(got)[1]) != 2 {
		t.Fatalf("it says %s", got)
	}
	if request := <-asked; !strings.HasPrefix(request, "/v1/chat/completionsBearer secret{") || !strings.Contains(request, `{"role": "user", "content": "Write to both"}`) {
		t.Errorf("the model is asked %s", request)
	}

	toolCall := func(id string) string {
		return `{"id":"` + id + `","type":"function","function":{"name":"send_mail","arguments":"{}"}}`
	}
	history := first + `,{"id":"a","role":"assistant","content":"One moment.","toolCalls":[` + toolCall(found[0][2]) + `,` + toolCall(found[1][2]) + `]},` +
		`{"id":"n","role":"user","content":"And cid?"}`
	answers <- delta(`"content":"Done."`) + done
	got = told(t, url, `"messages":[`+history+`],"resume":[{"interruptId":"`+found[0][1]+`","status":"resolved","payload":{"approved":true}},{"interruptId":"`+found[1][1]+`","status":"cancelled"}]`)
	if !strings.Contains(got, `"Done."`) || !strings.Contains(got, `"success"`) {
		t.Errorf("after the answers it says %s", got)
	}
	request, want := <-asked, `]}, {"role": "tool", "tool_call_id": "`+found[0][2]+`", "content": "Sent to ann."}, `+
		`{"role": "tool", "tool_call_id": "`+found[1][2]+`", "content": "Not done. A person was asked: Send this to bob?"}, {"role": "user", "content": "And cid?"}]`
	if !strings.Contains(request, want) || !strings.Contains(request, `"content": "One moment.", "tool_calls": [{"id": "`+found[0][2]) {
		t.Errorf("the model is asked %s, and not %s", request, want)
	}

	// Its results come where they were told. An answer that breaks off is an error.
	answers <- delta(`"content":"Well"`)
	got = told(t, url, `"messages":[`+history+`,{"id":"r","role":"tool","toolCallId":"`+found[0][2]+`","content":"Sent."}]`)
	if !strings.Contains(got, "RUN_ERROR") || !strings.Contains(got, "broke off") {
		t.Errorf("a model that breaks off is told as %s", got)
	}
	if request := <-asked; !strings.Contains(request, `"content": "Sent."}, {"role": "tool", "tool_call_id": "`+found[1][2]+`", "content": "Nobody knows what came of it."}, {"role": "user"`) {
		t.Errorf("with the results behind the message the model is asked %s", request)
	}

	answers <- delta(`"tool_calls":[{"index":0,"id":"b","function":{"name":"bake","arguments":"{}"}}]`) + done
	if got = told(t, url, `"messages":[`+first+`]`); !strings.Contains(got, "The model proposed what no tool takes: there is no tool 'bake'") {
		t.Errorf("a tool that the model has made up is told as %s", got)
	}
}

// The tool of docs/fastapi.md sends by SMTP. Its mail and its log have the key. What is refused before the
// mail goes out is not done, and a connection that ends behind the mail leaves in doubt whether it has gone.
func TestFastAPISMTP(t *testing.T) {
	folder := fastapiFolder(t)
	if err := os.CopyFS(folder, os.DirFS(filepath.Join(command.Root(t), "conformance", "examples", "smtp"))); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(withFastAPI(t), "-c", `
import logging, mail, smtplib, socketserver, sys, threading

class Server(socketserver.StreamRequestHandler):
    def handle(self):
        self.wfile.write(b"220 here\r\n")
        for line in self.rfile:
            if line.startswith(b"data"):
                self.wfile.write(b"354 go on\r\n")
                sent = b"".join(iter(self.rfile.readline, b".\r\n")).decode()
                print(*[line for line in sent.splitlines() if line.startswith("Message-ID")])
                if "lost" in sent:
                    return
            known = not line.startswith(b"rcpt") or b"<nobody" not in line
            ends = line.lower().startswith(b"quit")
            self.wfile.write(b"221 bye\r\n" if ends else b"250 well\r\n" if known else b"550 no such person\r\n")
            if ends:
                return

def goes(key, to, text):
    try:
        print(mail.send_mail(to, text, key=key, run="r"))
    except (mail.NotDone, smtplib.SMTPException) as error:
        print(type(error).__name__, "no such person" in str(error))

logging.basicConfig(stream=sys.stdout, format="%(message)s", level=logging.INFO)
with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Server) as server:
    threading.Thread(target=server.serve_forever).start()
    mail.HOST = "127.0.0.1:%d" % server.server_address[1]
    goes("k1", "ann@example.com", "Hello")
    goes("k2", "ann@example.com, nobody@example.com", "Hello")
    goes("k3", "nobody@example.com", "Hello")
    goes("k4", "ann@example.com", "lost")
    server.shutdown()
goes("k5", "ann@example.com", "Hello")
`)
	cmd.Dir = folder
	want := `mail: question k1, run r: begins
Message-ID: <k1@example.com>
mail: question k1, run r: sent
Sent to ann@example.com.
mail: question k2, run r: begins
Message-ID: <k2@example.com>
mail: question k2, run r: sent
Sent to ann@example.com, nobody@example.com, but not to nobody@example.com.
mail: question k3, run r: begins
mail: question k3, run r: refused
NotDone True
mail: question k4, run r: begins
Message-ID: <k4@example.com>
SMTPServerDisconnected False
mail: question k5, run r: begins
mail: question k5, run r: refused
NotDone False
`
	if printed, err := cmd.CombinedOutput(); err != nil || string(printed) != want {
		t.Errorf("it tells %s, %v", printed, err)
	}
}
