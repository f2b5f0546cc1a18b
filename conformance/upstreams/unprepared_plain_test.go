package upstreams

import (
	"io"
	"net/http"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/aguiws/aguiws/conformance/internal/command"
)

// The agents that the docs show say that they have forgotten a question, by a status, and
// make something of any message.
func TestUnpreparedAgentsAlone(t *testing.T) {
	for _, each := range unprepared {
		if each.folder != "" {
			continue
		}
		t.Run(each.name, func(t *testing.T) {
			if _, err := exec.LookPath(each.program); err != nil {
				command.Missing(t, each.program, "install "+each.program)
			}
			url := ready(t, exec.Command(each.program, each.file, filepath.Join(t.TempDir(), "effects")))
			for rest, want := range map[string]string{
				`"messages":[],"resume":[{"interruptId":"q","status":"resolved","payload":{"approved":true}}]`: "404 Not Found",
				`"messages":[]`: `"RUN_FINISHED"`,
				`"messages":[{"id":"m","role":"user","content":"Hello"}]`:                                 `"RUN_FINISHED"`,
				`"messages":[{"id":"m","role":"user","content":"send a mail"}]`:                           `"Send to a mail?"`,
				`"messages":[{"id":"m","role":"user","content":[{"type":"text","text":"send ann now"}]}]`: `"RUN_FINISHED"`,
			} {
				response, err := http.Post(url, "application/json", strings.NewReader(`{"threadId":"t","runId":"r",`+rest+`}`))
				if err != nil {
					t.Fatal(rest, err)
				}
				body, err := io.ReadAll(response.Body)
				response.Body.Close()
				if got := response.Status + "\n" + string(body); err != nil || !strings.Contains(strings.ReplaceAll(got, `": "`, `":"`), want) {
					t.Errorf("%s is answered by %s, %v", rest, got, err)
				}
			}
		})
	}
}

// The agent in Python that is started anew goes on with what it has asked, from its file.
func TestUnpreparedAgentRemembers(t *testing.T) {
	if _, err := exec.LookPath("python3"); err != nil {
		command.Missing(t, "python3", "install python3")
	}
	effects, asked := filepath.Join(t.TempDir(), "effects"), filepath.Join(t.TempDir(), "asked.json")
	told := func(agent *exec.Cmd, rest string) string {
		response, err := http.Post(ready(t, agent), "application/json", strings.NewReader(`{"threadId":"t","runId":"r",`+rest+`}`))
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		body, err := io.ReadAll(response.Body)
		if err != nil {
			t.Fatal(err)
		}
		return string(body)
	}
	agent := func() *exec.Cmd { return exec.Command("python3", "unprepared/agent.py", effects, "0", asked) }
	first := agent()
	question := regexp.MustCompile(`"interrupts": \[\{"id": "([^"]+)"`).FindStringSubmatch(told(first, `"messages":[{"id":"m","role":"user","content":"send ann"}]`))
	if question == nil {
		t.Fatal("it does not ask")
	}
	_ = first.Process.Kill()
	if got := told(agent(), `"messages":[],"resume":[{"interruptId":"`+question[1]+`","status":"resolved","payload":{"approved":true}}]`); !strings.Contains(got, "Sent to ann") {
		t.Errorf("it says %s", got)
	}
}
