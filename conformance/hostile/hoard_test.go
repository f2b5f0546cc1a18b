package hostile

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/aguiws/aguiws/conformance/internal/command"
)

// elsewhere is a provider of logins, and a target of webhooks that takes none.
func elsewhere(t *testing.T) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/token" {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"access_token":"a","token_type":"Bearer","expires_in":3600}`)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// manyTimes does something so often, by a few at a time.
func manyTimes(n int, do func(i int)) {
	var group sync.WaitGroup
	var next atomic.Int64
	for range 8 {
		group.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				do(i)
			}
		})
	}
	group.Wait()
}

// hoard makes a thousand times the usual data, and says what of it has ids that the server gave.
func hoard(t *testing.T, server *command.Server) map[string]string {
	t.Helper()
	var notices struct{ Next string }
	get(t, server, "/notices", &notices)
	large := make([]string, thousand)
	for n := range large {
		large[n] = fmt.Sprintf(`{"id":"m%d","role":"user","content":%q}`, n, strings.Repeat("<", 3500))
	}
	for _, thread := range []string{ofBig, "rewound", "doomed"} {
		put(t, server, "/agui", `{"threadId":"`+thread+`","runId":"r","messages":[`+strings.Join(large, ",")+`]}`, 200)
	}
	trees(t, server)
	manyTimes(thousand, func(n int) {
		put(t, server, "/agui", input(fmt.Sprint("q-", n), "r", "m", fmt.Sprintf(`/tool pay {"n":%d,"note":%q}`, n, strings.Repeat("<", 2000))), 200)
	})
	for n := range thousand {
		put(t, server, "/agui", input("busy", fmt.Sprint("r", n), fmt.Sprint("m", n), "/say hi"), 200)
	}
	manyTimes(thousand/2, func(n int) {
		put(t, server, fmt.Sprintf("/v1/threads/q-%d/interrupts/resolve", n), `{"entries":[`+cancels(t, server, fmt.Sprint("q-", n))+`]}`, 200)
	})
	named := map[string]string{"after": notices.Next, "interrupt": open(t, server, "q-999"), "target": target,
		"run": ids(t, server, "/threads/busy/runs")[0]}
	answers := make([]string, mostAnswered)
	for n := range answers {
		thread := fmt.Sprint("q-", thousand/2+n)
		answers[n] = fmt.Sprintf(`{"threadId":%q,"entries":[%s]}`, thread, cancels(t, server, thread))
	}
	named["answers"] = strings.Join(answers, ",")
	put(t, server, "/v1/threads/rewound/input", `{"text":"/say hi","after":"m0"}`, 202)
	named["branch"] = ids(t, server, "/threads/rewound/branches")[0]
	put(t, server, "/agui", input("many", "r", "m", "/parallel 50"), 200)
	named["many"] = open(t, server, "many")
	put(t, server, "/v1/threads/many/interrupts/resolve", `{"entries":[`+cancels(t, server, "many")+`]}`, 200)
	put(t, server, "/agui", input("report", "r", "m", "/report 400000"), 200)
	ref := regexp.MustCompile(`"ref":"([^"]+)"`).FindSubmatch(get(t, server, "/threads/report/messages", nil))
	if ref == nil {
		t.Fatal("a report is no payload")
	}
	named["ref"] = string(ref[1])
	for _, provider := range []string{"kept", "dropped"} {
		signIn(t, server, provider)
	}
	put(t, server, "/agui", input("login", "r", "m", "/login idp"), 200)
	named["login"] = open(t, server, "login")
	put(t, server, "/agui", input("event", "r", "m", "/event paid"), 200)
	event := regexp.MustCompile(`/v1/events/([A-Za-z0-9_.-]+)`).FindSubmatch(get(t, server, "/threads/event/messages", nil))
	if event == nil {
		t.Fatal("/event does not say where its event is to be posted")
	}
	named["event"] = string(event[1])
	manyTimes(thousand, func(n int) {
		put(t, server, fmt.Sprintf("/v1/threads/letter-%d/input", n), `{"text":"/slow 2 60000"}`, 202)
	})
	return named
}

// mostAnswered is how many threads one request may answer.
const mostAnswered = 100

// trees makes a tree whose threads have much metadata, and one to be deleted.
func trees(t *testing.T, server *command.Server) {
	t.Helper()
	put(t, server, "/agui", input("top", "r", "m", "/say hi"), 200)
	put(t, server, "/v1/threads", `{"threadId":"felled"}`, 201)
	manyTimes(grown, func(n int) {
		put(t, server, "/v1/threads", fmt.Sprintf(`{"threadId":"below-%d","parentThreadId":"top","metadata":{"x":%q}}`, n, strings.Repeat("<", 16<<10-16)), 201)
		put(t, server, "/v1/threads", fmt.Sprintf(`{"threadId":"felled-%d","parentThreadId":"felled"}`, n), 201)
	})
}

// underWay begins runs that go on for longer than the test.
func underWay(t *testing.T, server *command.Server) {
	t.Helper()
	manyTimes(2*together, func(n int) {
		for _, thread := range []string{fmt.Sprint("steps-", n), fmt.Sprint("below-", n)} {
			put(t, server, "/v1/threads/"+thread+"/input", `{"text":"/steps 1000 1000"}`, 202)
		}
	})
}

// signIn gives the attacker an account at a provider.
func signIn(t *testing.T, server *command.Server, provider string) {
	t.Helper()
	thread := "login-" + provider
	put(t, server, "/agui", input(thread, "r", "m", "/login "+provider), 200)
	answer := request(t, server, http.MethodPost, "/v1/threads/"+thread+"/interrupts/"+open(t, server, thread)+"/login", "", nil)
	defer answer.Body.Close()
	var begun struct{ URL string }
	if err := json.NewDecoder(answer.Body).Decode(&begun); err != nil || len(answer.Cookies()) != 1 {
		t.Fatalf("%s %v", answer.Status, err)
	}
	address, err := url.Parse(begun.URL)
	if err != nil {
		t.Fatal(err)
	}
	cookie := answer.Cookies()[0]
	back := request(t, server, http.MethodGet, "/login/callback/"+provider+"?code=x&state="+url.QueryEscape(address.Query().Get("state")), "",
		http.Header{"Cookie": {cookie.Name + "=" + cookie.Value}})
	defer back.Body.Close()
	if text, _ := io.ReadAll(back.Body); back.StatusCode != http.StatusOK {
		t.Fatalf("signing in at %s: %s %.300s", provider, back.Status, text)
	}
}

// cancels is an answer to what a thread asks.
func cancels(t *testing.T, server *command.Server, thread string) string {
	return fmt.Sprintf(`{"interruptId":%q,"status":"cancelled"}`, open(t, server, thread))
}

// open is the id of the first thing that a thread asks.
func open(t *testing.T, server *command.Server, thread string) string {
	t.Helper()
	var page struct {
		Items []struct{ Interrupts []struct{ ID string } }
	}
	text := get(t, server, "/threads/"+thread+"/interrupts", &page)
	if len(page.Items) != 1 || len(page.Items[0].Interrupts) == 0 {
		t.Errorf("%s asks %.200s", thread, text)
		return ""
	}
	return page.Items[0].Interrupts[0].ID
}

// ids are those of the items of a list, which has some.
func ids(t *testing.T, server *command.Server, path string) (list []string) {
	t.Helper()
	var page struct{ Items []struct{ ID string } }
	text := get(t, server, path, &page)
	for _, item := range page.Items {
		list = append(list, item.ID)
	}
	if len(list) == 0 {
		t.Fatalf("%s has nothing: %.200s", path, text)
	}
	return list
}

// get reads an answer of the control API.
func get(t *testing.T, server *command.Server, path string, into any) []byte {
	t.Helper()
	answer := request(t, server, http.MethodGet, "/v1"+path, "", nil)
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err == nil && into != nil {
		err = json.Unmarshal(text, into)
	}
	if err != nil || answer.StatusCode != http.StatusOK {
		t.Errorf("GET %s: %s %.200s %v", path, answer.Status, text, err)
	}
	return text
}

// put posts a body, and wants a status.
func put(t *testing.T, server *command.Server, path, body string, want int) {
	t.Helper()
	answer := request(t, server, http.MethodPost, path, body, nil)
	defer answer.Body.Close()
	if text, _ := io.ReadAll(answer.Body); answer.StatusCode != want {
		t.Errorf("POST %s: %s %.200s", path, answer.Status, text)
	}
}

// request asks a server for something as the attacker.
func request(t *testing.T, server *command.Server, method, path, body string, header http.Header) *http.Response {
	t.Helper()
	r, err := http.NewRequest(method, server.URL()+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for name, values := range header {
		r.Header[name] = values
	}
	r.Header.Set("Authorization", "Bearer "+attackerToken)
	r.Header.Set("Content-Type", "application/json")
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	return answer
}
