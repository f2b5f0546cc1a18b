package upstreams

import (
	"io"
	"net/http"
	"os"
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
				if got := told(t, url, rest); !strings.Contains(strings.ReplaceAll(got, `": "`, `":"`), want) {
					t.Errorf("%s is answered by %s", rest, got)
				}
			}
		})
	}
}

// told posts to an agent, and returns what it answers.
func told(t *testing.T, url, rest string) string {
	t.Helper()
	response, err := http.Post(url, "application/json", strings.NewReader(`{"threadId":"t","runId":"r",`+rest+`}`))
	if err != nil {
		t.Error(err)
		return ""
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Error(err)
	}
	return response.Status + "\n" + string(body)
}

// asked has an agent ask, and returns the question's id.
func asked(t *testing.T, url, message string) string {
	t.Helper()
	question := regexp.MustCompile(`"interrupts": \[\{"id": "([^"]+)"`).FindStringSubmatch(told(t, url, `"messages":[{"id":"m","role":"user","content":"`+message+`"}]`))
	if question == nil {
		t.Fatal("it does not ask")
	}
	return question[1]
}

func resume(question, payload string) string {
	return `"messages":[],"resume":[{"interruptId":"` + question + `","status":"resolved","payload":` + payload + `}]`
}

func python(t *testing.T, arguments ...string) *exec.Cmd {
	t.Helper()
	if _, err := exec.LookPath("python3"); err != nil {
		command.Missing(t, "python3", "install python3")
	}
	return exec.Command("python3", append([]string{"unprepared/agent.py"}, arguments...)...)
}

// The agent in Python that is started anew goes on with what it has asked, from its file, and
// sends what was edited.
func TestUnpreparedAgentRemembers(t *testing.T) {
	effects, file := filepath.Join(t.TempDir(), "effects"), filepath.Join(t.TempDir(), "asked.json")
	first := python(t, effects, "0", file)
	question := asked(t, ready(t, first), "draft ann")
	_ = first.Process.Kill()
	if got := told(t, ready(t, python(t, effects, "0", file)), resume(question, `{"approved":true,"text":"Hello"}`)); !strings.Contains(got, "Sent to ann") {
		t.Errorf("it says %s", got)
	}
	if sent, _ := os.ReadFile(effects); !strings.Contains(string(sent), `{"to": "ann", "text": "Hello"}`) {
		t.Errorf("it has sent %s", sent)
	}
}

// A message that is written in an answer's place cancels the question, and is answered too.
func TestUnpreparedAgentGoesOnWithAMessage(t *testing.T) {
	url := ready(t, python(t, filepath.Join(t.TempDir(), "effects")))
	cancelled := `,"resume":[{"interruptId":"` + asked(t, url, "mail ann") + `","status":"cancelled"}]`
	got := told(t, url, `"messages":[{"id":"m","role":"user","content":"mail ann"},{"id":"c","role":"assistant"},{"id":"n","role":"user","content":"mail bob"}]`+cancelled)
	if !strings.Contains(got, "Not sent to ann") || !strings.Contains(got, "Mail bob?") {
		t.Errorf("it says %s", got)
	}
	if got := told(t, url, `"messages":[{"id":"m","role":"user","content":"mail ann"},{"id":"c","role":"assistant"}]`+cancelled); !strings.Contains(got, "Not sent to ann") || strings.Contains(got, "interrupts") || strings.Contains(got, "Write") {
		t.Errorf("where nobody has written it says %s", got)
	}
}

// A call that the agent proposes is shown before the question about it, and has its result after
// the answer, however often that comes.
func TestUnpreparedAgentProposes(t *testing.T) {
	effects := filepath.Join(t.TempDir(), "effects")
	url := ready(t, python(t, effects))
	proposed := told(t, url, `"messages":[{"id":"m","role":"user","content":"mail ann"}]`)
	parts := regexp.MustCompile(`(?s)"TOOL_CALL_END", "toolCallId": "([^"]+)".*"interrupts": \[\{"id": "([^"]+)".*"toolCallId": "([^"]+)"`).FindStringSubmatch(proposed)
	if parts == nil || parts[1] != parts[3] {
		t.Fatalf("it proposes %s", proposed)
	}
	for range 2 {
		if got := told(t, url, resume(parts[2], `{"approved":true}`)); !regexp.MustCompile(`"TOOL_CALL_RESULT", "messageId": "[^"]+", "toolCallId": "` + parts[1] + `", "content": "Sent to ann"`).MatchString(got) {
			t.Errorf("it says %s", got)
		}
	}
	if sent, _ := os.ReadFile(effects); strings.Count(string(sent), "\n") != 1 {
		t.Errorf("it has sent %s", sent)
	}
}

// An answer that comes again while it is carried out is carried out once.
func TestUnpreparedAgentActsOnce(t *testing.T) {
	effects := filepath.Join(t.TempDir(), "effects")
	if out, err := exec.Command("mkfifo", effects).CombinedOutput(); err != nil {
		t.Skipf("mkfifo: %v, %s", err, out)
	}
	url := ready(t, python(t, effects))
	question := asked(t, url, "send ann")
	var answers [8]*http.Response
	for i := range answers { // whose answers have begun: nothing is sent before somebody reads
		var err error
		if answers[i], err = http.Post(url, "application/json", strings.NewReader(`{"threadId":"t","runId":"r",`+resume(question, `{"approved":true}`)+`}`)); err != nil {
			t.Fatal(err)
		}
		defer answers[i].Body.Close()
	}
	sent, err := os.ReadFile(effects)
	if err != nil || strings.Count(string(sent), "\n") != 1 {
		t.Errorf("it has sent %q, %v", sent, err)
	}
	for _, each := range answers {
		if got, err := io.ReadAll(each.Body); err != nil || !strings.Contains(string(got), "Sent to ann") {
			t.Errorf("it says %s, %v", got, err)
		}
	}
}
