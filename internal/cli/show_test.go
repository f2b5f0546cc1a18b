package cli

import (
	"context"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/aguiws/aguiws/redisstore/redistest"
)

// shown runs aguiws show.
func shown(args ...string) (string, error) {
	var out strings.Builder
	err := run(context.Background(), append([]string{"show"}, args...), env(), &out, io.Discard)
	return out.String(), err
}

// Whoever operates a server sees what the store holds of a thread that waits, while the
// server runs, and the thread is as it was.
func TestShow(t *testing.T) {
	redis := redistest.Start(t, redistest.Options{})
	c := start(t, env(), "--redis", redis.URL())
	ws := c.dial(nil)
	c.converse(ws, said("r1", "/effect"))
	if last := c.converse(ws, said("r2", "/tool send_email {\"to\":\"zoe\"}")); !strings.Contains(last, `"interrupt"`) {
		t.Fatal(last)
	}
	out, err := shown("--redis", redis.URL(), "thread-1")
	if err != nil {
		t.Fatal(err)
	}
	wantLines(t, out,
		`thread "thread-1" of namespace "local", tenant "local"`,
		"  state    waits for an answer",
		"runs, those that are carried out first",
		"queue: 0",
		"open questions: 1",
		"journal of execution ",
		"keys in Redis",
		"  aguiws:{")
	for _, part := range []string{`client's id "r2"`, "ended: interrupt", `client's id "r1"`, "ended: success", "ask     "} {
		if !strings.Contains(out, part) {
			t.Errorf("%q is not shown:\n%s", part, out)
		}
	}
	_, names, _ := strings.Cut(out, "keys in Redis\n")
	for name := range strings.FieldsSeq(names) {
		if there, err := redis.Do("EXISTS", name); err != nil || there != ":1" {
			t.Errorf("%s is shown and not there: %v, %v", name, there, err)
		}
	}
	if strings.Contains(out, "zoe") {
		t.Errorf("arguments are shown:\n%s", out)
	}
	if again, err := shown("--redis", redis.URL(), "thread-1"); err != nil || ages.ReplaceAllString(again, "") != ages.ReplaceAllString(out, "") {
		t.Errorf("it shows something else when it is asked again, %v:\n%s", err, again)
	}
	for says, args := range map[string][]string{
		`namespace "local" has no thread "other"`:   {"--redis", redis.URL(), "other"},
		`namespace "else" has no thread "thread-1"`: {"--redis", redis.URL(), "--namespace", "else", "thread-1"},
		"the thread is missing":                     {"--redis", redis.URL()},
		"--redis is missing: the embedded store":    {"thread-1"},
		`unexpected argument "more": try aguiws --`: {"--redis", redis.URL(), "thread-1", "more"},
	} {
		if out, err := shown(args...); err == nil || !strings.Contains(err.Error(), says) || out != "" {
			t.Errorf("%q: %v %s", args, err, out)
		}
	}
}

// A thread that was made and had no input is shown as what it is.
func TestShowOfAMadeThread(t *testing.T) {
	redis := redistest.Start(t, redistest.Options{})
	c := start(t, env(), "--redis", redis.URL())
	c.makes(`{"threadId":"trip","resourceId":"order-17"}`)
	c.makes(`{"threadId":"hotel","parentThreadId":"trip"}`)
	for thread, says := range map[string][]string{
		"trip":  {`thread "trip" of namespace "local"`, "  state    made, and never used", "  made     20", `  about    "order-17"`, "  threads  1 right below it"},
		"hotel": {`thread "hotel" of namespace "local"`, "  state    made, and never used", `  parent   "trip"`},
	} {
		out, err := shown("--redis", redis.URL(), thread)
		if err != nil {
			t.Errorf("%s: %v", thread, err)
		}
		wantLines(t, out, says...)
		if strings.Contains(out, "keys in Redis") {
			t.Errorf("keys are shown, of which it has none:\n%s", out)
		}
	}
}

// makes makes a thread.
func (c *started) makes(body string) {
	c.t.Helper()
	resp, err := http.Post("http://"+c.addr+"/v1/threads", "application/json", strings.NewReader(body))
	if err != nil {
		c.t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusCreated {
		c.t.Fatal(resp.Status)
	}
}

// Of what was answered it is shown whether it was approved, and nothing else.
func TestShowOfAnAnswer(t *testing.T) {
	redis := redistest.Start(t, redistest.Options{})
	c := start(t, env(), "--redis", redis.URL())
	ws := c.dial(nil)
	asked := regexp.MustCompile(`"interrupts":\[\{"id":"([^"]+)"`).FindStringSubmatch(c.converse(ws, said("r1", "/twice")))
	if asked == nil {
		t.Fatal("nothing is asked")
	}
	c.converse(ws, `{"threadId":"thread-1","runId":"r2","messages":[],"resume":[{"interruptId":"`+asked[1]+`","status":"resolved","payload":{"approved":false,"reason":"dear"}}]}`)
	out, err := shown("--redis", redis.URL(), "thread-1")
	if err != nil || !strings.Contains(out, asked[1]+" resolved and declined, by nobody that is known") || strings.Contains(out, "dear") {
		t.Errorf("%v:\n%s", err, out)
	}
}

// Of a thread whose data is damaged everything else is shown, and the command fails.
func TestShowOfADamagedThread(t *testing.T) {
	redis := redistest.Start(t, redistest.Options{})
	c := start(t, env(), "--redis", redis.URL())
	c.converse(c.dial(nil), said("r1", "/tool send_email {}"))
	out, err := shown("--redis", redis.URL(), "thread-1")
	if err != nil {
		t.Fatal(err)
	}
	key := regexp.MustCompile(`aguiws:\S*:snap`).FindString(out)
	if _, err := redis.Do("HSET", key, "n", "damaged"); err != nil {
		t.Fatal(err)
	}
	out, err = shown("--redis", redis.URL(), "thread-1")
	if err == nil {
		t.Error("it is said to be whole")
	}
	wantLines(t, out, `thread "thread-1" of namespace "local" cannot be read whole`, "runs, those", "keys in Redis", "  "+key)
	if !strings.Contains(out, "ended: interrupt") {
		t.Errorf("its run is not shown:\n%s", out)
	}
}

// ages is what passes by itself.
var ages = regexp.MustCompile(`\(\S+ ago\)`)
