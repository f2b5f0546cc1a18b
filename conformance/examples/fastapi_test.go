package examples

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net/http"
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

// uvicorn serves the example in a folder, and returns its URL.
func uvicorn(t *testing.T, python, folder, port string) (*exec.Cmd, string) {
	t.Helper()
	cmd := exec.Command(python, "-m", "uvicorn", "app:app", "--port", port, "--app-dir", filepath.Join(command.Root(t), "examples", "fastapi"))
	cmd.Dir = folder
	cmd.Env = append(os.Environ(), "PYTHONDONTWRITEBYTECODE=1")
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

// The agent in FastAPI asks, is killed, and acts once on an answer that comes twice.
func TestFastAPI(t *testing.T) {
	suite.Full(t)
	python, folder := withFastAPI(t), t.TempDir()
	agent, url := uvicorn(t, python, folder, "0")
	server := command.Start(t, command.Options{Args: []string{"--upstream", url + "/#ask-lost=true"}})
	post := func(path, body string) string {
		t.Helper()
		request, err := http.NewRequest(http.MethodPost, server.URL()+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Content-Type", "application/json")
		request.Header.Set("Idempotency-Key", body)
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		text, err := io.ReadAll(response.Body)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	asks := func(thread string) (answer string) {
		t.Helper()
		told := post("/agui", `{"threadId":"`+thread+`","runId":"r","messages":[{"id":"m","role":"user","content":"ann"}]}`)
		question := regexp.MustCompile(`"interrupts":\[\{"id":"([^"]+)"`).FindStringSubmatch(told)
		if question == nil || !strings.Contains(told, `"send_mail"`) {
			t.Fatalf("it does not ask: %s", told)
		}
		return `{"threadId":"` + thread + `","runId":"a","resume":[{"interruptId":"` + question[1] + `","status":"resolved","payload":{"approved":%t}}]}`
	}
	approve, refuse := fmt.Sprintf(asks("t1"), true), fmt.Sprintf(asks("t2"), false)

	_ = agent.Process.Kill()
	_ = agent.Wait()
	_, again := uvicorn(t, python, folder, url[strings.LastIndex(url, ":")+1:])
	if again != url {
		t.Fatalf("it is served at %s, and was at %s", again, url)
	}
	for range 2 {
		if told := post("/agui", approve); !strings.Contains(told, "Sent to ann.") {
			t.Errorf("after a yes it says %s", told)
		}
	}
	if told := post("/agui", refuse); !strings.Contains(told, "Not sent to ann.") {
		t.Errorf("after a no it says %s", told)
	}
	if sent, err := os.ReadFile(filepath.Join(folder, "sent.log")); err != nil || bytes.Count(sent, []byte("\n")) != 1 {
		t.Errorf("it has sent %q, %v", sent, err)
	}
}

// The same answer that comes while it is carried out, or again, is carried out once. A message
// in an answer's place is answered, and an unknown question is a 404.
func TestFastAPIAlone(t *testing.T) {
	folder := t.TempDir()
	_, url := uvicorn(t, withFastAPI(t), folder, "0")
	post := func(rest string) string {
		response, err := http.Post(url, "application/json", strings.NewReader(`{"threadId":"t","runId":"r",`+rest+`}`))
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
	for rest, want := range map[string]string{
		`"messages":[]`: "Write the name of somebody.",
		`"messages":[{"id":"m","role":"user","content":[{"type":"text","text":"ann"}]}]`: "Write the name of somebody.",
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
	cancels := `"messages":[{"id":"m","role":"user","content":"cid"},{"id":"c","role":"assistant"}%s],"resume":[{"interruptId":"` + other + `","status":"cancelled"}]`
	if got := post(fmt.Sprintf(cancels, `,{"id":"n","role":"user","content":"bob"}`)); !strings.Contains(got, "Not sent to cid.") || !strings.Contains(got, "Send this to bob?") {
		t.Errorf("a message in an answer's place is answered by %s", got)
	}
	if got := post(fmt.Sprintf(cancels, "")); !strings.Contains(got, "Not sent to cid.") || strings.Contains(got, "interrupts") {
		t.Errorf("a cancellation is answered by %s", got)
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
