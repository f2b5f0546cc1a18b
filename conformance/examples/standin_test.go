package examples

import (
	"bytes"
	"fmt"
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

// standins is what makes a Python find the packages in standin/.
func standins(t *testing.T) (env []string) {
	return []string{"PYTHONPATH=" + filepath.Join(command.Root(t), "conformance", "examples", "standin")}
}

// unless is standins for a Python that cannot import the modules themselves.
func unless(t *testing.T, python, modules string) (env []string) {
	if exec.Command(python, "-c", "import "+modules).Run() == nil {
		return nil
	}
	return standins(t)
}

// The graph in Python asks. It and the server are killed, and the answer is carried out once,
// however often it comes. A no and a cancellation have no effect. The package asks by a CUSTOM,
// and its next version by the outcome.
func TestLangGraphPython(t *testing.T) {
	suite.Full(t)
	python := withFastAPI(t)
	env := unless(t, python, "ag_ui_langgraph, langgraph.checkpoint.sqlite.aio")
	for _, outcome := range []string{"off", "on"} {
		if outcome == "on" && env == nil {
			continue // whatever is installed asks in its own way
		}
		t.Run("outcome "+outcome, func(t *testing.T) {
			env, folder := append(env, "OUTCOME="+outcome), copied(t, "examples/langgraph-python")
			agent, url := uvicorn(t, python, folder, "0", env...)
			redis := redistest.Start(t, redistest.Options{AOF: "everysec"})
			server := command.Start(t, command.Options{Redis: redis.URL(), Args: []string{"--upstream", "langgraph+" + url + "/#ask-lost=true"}})
			post := func(body string) string { return posted(t, server.URL()+"/agui", body) }
			asks := func(thread string) (answer string) {
				t.Helper()
				told := post(`{"threadId":"` + thread + `","runId":"r","messages":[{"id":"m","role":"user","content":"write to ann"}]}`)
				question := regexp.MustCompile(`"interrupts":\[\{"id":"([^"]+)"`).FindStringSubmatch(told)
				if question == nil || !strings.Contains(told, "Send the mail to ann?") || !strings.Contains(told, `{"label":"Yes","payload":true`) {
					t.Fatalf("it does not ask: %s", told)
				}
				return `{"threadId":"` + thread + `","runId":"a","resume":[{"interruptId":"` + question[1] + `",%s}]}`
			}
			approve := fmt.Sprintf(asks("yes"), `"status":"resolved","payload":true`)
			others := []string{
				fmt.Sprintf(asks("no"), `"status":"resolved","payload":false`),
				fmt.Sprintf(asks("cancelled"), `"status":"cancelled"`),
			}

			killed(agent)
			server.Kill()
			uvicorn(t, python, folder, url[strings.LastIndex(url, ":")+1:], env...)
			server.Restart()
			for range 2 {
				if told := post(approve); !strings.Contains(told, "I have sent the mail to ann.") {
					t.Errorf("after a yes it says %s", told)
				}
			}
			for _, other := range others {
				if told := post(other); !strings.Contains(told, "I have not sent it.") {
					t.Errorf("%s is answered by %s", other, told)
				}
			}
			if sent, err := os.ReadFile(filepath.Join(folder, "sent.log")); err != nil || bytes.Count(sent, []byte("\n")) != 1 {
				t.Errorf("it has sent %q, %v", sent, err)
			}
		})
	}
}

// A tool of LangGraph asks, and acts on a yes behind a restart. Its key has the thread and the call. A
// no has no effect.
func TestLangGraphTool(t *testing.T) {
	python := withFastAPI(t)
	env, folder := standins(t), copied(t, "conformance/examples/langgraphtool") // the packages themselves would ask a model
	agent, url := uvicorn(t, python, folder, "0", env...)
	post := func(thread, rest string) string {
		return posted(t, url, `{"threadId":"`+thread+`","runId":"r","messages":[{"id":"m","role":"user","content":"write to ann"}]`+rest+`}`)
	}
	for _, thread := range []string{"yes", "no"} {
		if told := post(thread, ""); !strings.Contains(told, "Send this to ann? Hello.") {
			t.Fatalf("it does not ask: %s", told)
		}
	}
	killed(agent)
	uvicorn(t, python, folder, url[strings.LastIndex(url, ":")+1:], env...)
	if told := post("yes", `,"forwardedProps":{"command":{"resume":true}}`); !strings.Contains(told, "I have sent the mail to ann.") {
		t.Errorf("after a yes it says %s", told)
	}
	if told := post("no", `,"forwardedProps":{"command":{"resume":false}}`); !strings.Contains(told, "A person has said no.") {
		t.Errorf("after a no it says %s", told)
	}
	if sent, err := os.ReadFile(filepath.Join(folder, "sent.log")); err != nil || bytes.Count(sent, []byte("\n")) != 1 || !bytes.Contains(sent, []byte(`"key": "yes call_`)) {
		t.Errorf("it has sent %q, %v", sent, err)
	}
}

// The agent with the classes of ag-ui-protocol asks, by itself and behind a server, and acts
// once on a yes that comes twice. It logs which run it was.
func TestAgentOfClasses(t *testing.T) {
	suite.Full(t)
	python, folder := withFastAPI(t), copied(t, "conformance/examples/classes")
	_, url := uvicorn(t, python, folder, "0", unless(t, python, "ag_ui.core, ag_ui.encoder")...)
	server := command.Start(t, command.Options{Args: []string{"--upstream", url + "/"}})
	for _, url := range []string{url, server.URL() + "/agui"} {
		const rest = `,"state":{},"tools":[],"context":[],"forwardedProps":{}}`
		told := posted(t, url, `{"threadId":"t","runId":"r","messages":[{"id":"m","role":"user","content":"ann"}]`+rest)
		question := regexp.MustCompile(`"interrupts": ?\[\{"id": ?"([^"]+)"[^}]*"message": ?"Send to ann\?"`).FindStringSubmatch(told)
		if question == nil {
			t.Fatalf("it does not ask: %s", told)
		}
		for range 2 {
			yes := `"resume":[{"interruptId":"` + question[1] + `","status":"resolved","payload":{"approved":true}}]`
			if told := posted(t, url, `{"threadId":"t","runId":"a","messages":[],`+yes+rest); !strings.Contains(told, "Sent to ann.") {
				t.Errorf("after a yes it says %s", told)
			}
		}
	}
	if sent, err := os.ReadFile(filepath.Join(folder, "sent.log")); err != nil || bytes.Count(sent, []byte("\n")) != 2 || !bytes.Contains(sent, []byte(" a\n")) {
		t.Errorf("it has sent %q, %v", sent, err)
	}
}

// An action that takes long is no silence, and a message that comes with the answer is answered, too.
func TestAgentOfClassesWaits(t *testing.T) {
	python := withFastAPI(t)
	cmd := exec.Command(python, "-c", `
import asyncio, json, threading, app

done, app.PATIENCE = threading.Event(), 0.001
app.asked["q"] = {"to": "ann", "message": "m", "said": None}
app.send = lambda to, key, run: done.wait() and f"Sent to {to} for {run}."
rest = {"threadId": "t", "runId": "r", "state": {}, "tools": [], "context": [], "forwardedProps": {}}
said = [{"id": "m", "role": "user", "content": "ann"}, {"id": "n", "role": "user", "content": "bob"}]
yes = [{"interruptId": "q", "status": "resolved", "payload": {"approved": True}}]

async def main():
    for messages in said, said[:1]:
        waits = 0
        async for part in app.events(app.RunAgentInput(messages=messages, resume=yes, **rest)):
            waits += part == ": wait\n\n"
            if waits == 2:
                done.set()
            if part.startswith("data: "):
                told = json.loads(part[6:])
                print(told["type"], told.get("delta"), (told.get("outcome") or {}).get("interrupts", [{}])[0].get("message"))

asyncio.run(main())
`)
	cmd.Dir = copied(t, "conformance/examples/classes")
	cmd.Env = append(os.Environ(), unless(t, python, "ag_ui.core, ag_ui.encoder")...)
	want := `RUN_STARTED None None
TEXT_MESSAGE_CHUNK Sent to ann for r. None
RUN_FINISHED None Send to bob?
RUN_STARTED None None
TEXT_MESSAGE_CHUNK Sent to ann for r. None
RUN_FINISHED None None
`
	if printed, err := cmd.CombinedOutput(); err != nil || string(printed) != want {
		t.Errorf("it tells %s, %v", printed, err)
	}
}

// An agent of Pydantic AI keeps nothing. What it asked about is in the messages that it is sent
// with the answer, also after a restart.
func TestPydanticAI(t *testing.T) {
	suite.Full(t)
	python, folder := withFastAPI(t), copied(t, "conformance/examples/pydanticai")
	env := standins(t) // the package itself would ask a model
	agent, url := uvicorn(t, python, folder, "0", env...)
	server := command.Start(t, command.Options{Args: []string{"--upstream", url + "/#ask-lost=true"}})
	asks := func(thread string) (question string) {
		t.Helper()
		told := posted(t, server.URL()+"/agui", `{"threadId":"`+thread+`","runId":"r","messages":[{"id":"m","role":"user","content":"ann"}]}`)
		found := regexp.MustCompile(`"interrupts":\[\{"id":"([^"]+)"`).FindStringSubmatch(told)
		if found == nil || !strings.Contains(told, "Approve send_mail(") {
			t.Fatalf("it does not ask: %s", told)
		}
		return found[1]
	}
	yes, no, cancelled := asks("yes"), asks("no"), asks("cancelled")
	killed(agent)
	uvicorn(t, python, folder, url[strings.LastIndex(url, ":")+1:], env...)
	for thread, answer := range map[string]struct{ question, entry, says string }{
		"yes":       {yes, `"status":"resolved","payload":{"approved":true}`, "Sent to ann."},
		"no":        {no, `"status":"resolved","payload":{"approved":false}`, "denied"},
		"cancelled": {cancelled, `"status":"cancelled"`, "denied"},
	} {
		for range 2 {
			told := posted(t, server.URL()+"/agui", `{"threadId":"`+thread+`","runId":"a","resume":[{"interruptId":"`+answer.question+`",`+answer.entry+`}]}`)
			if !strings.Contains(told, answer.says) {
				t.Errorf("%s is answered by %s", thread, told)
			}
		}
	}
	if sent, err := os.ReadFile(filepath.Join(folder, "sent.log")); err != nil || string(sent) != "ann: Hello.\n" {
		t.Errorf("it has sent %q, %v", sent, err)
	}
}
