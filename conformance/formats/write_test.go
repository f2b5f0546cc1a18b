package formats

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/aguiws/aguiws/client"
	"github.com/aguiws/aguiws/conformance/internal/command"
	"github.com/aguiws/aguiws/conformance/internal/wire"
	"github.com/aguiws/aguiws/redisstore/redistest"
)

var (
	write = flag.String("write", "", "the file of testdata that TestWrite writes")
	by    = flag.String("by", "", "the release that has written it")
)

// lease is short: the workers of another build are killed so that others take over.
const lease = 2 * time.Second

const (
	approve = `{"approved":true}`
	// edit approves other arguments, with a number that is no double.
	edit = `{"approved":true,"editedArgs":{"amount":9007199254740993}}`
)

// large is how long a text is that makes an event too large for the log's list.
const large = 70_000

// TestWrite lets another build work until it has left one thread of each sort, and
// writes down what is stored.
func TestWrite(t *testing.T) {
	if *write == "" || *by == "" {
		t.Skip("-write names the file to write, -by the release that writes it")
	}
	options := command.Options{Binary: command.OtherBuild(t), Lease: lease}
	server := redistest.Start(t, redistest.Options{AOF: "everysec", TCP: true})
	options.Redis = server.URL()

	giveUp(t, options)
	rest(t, options)
	// The last of them is lost when all is written.
	crash(t, options, "uncertain", "step_after_effect")
	crash(t, options, "lost", "after_record")

	o, err := redis.ParseURL(server.URL())
	if err != nil {
		t.Fatal(err)
	}
	client := redis.NewClient(o)
	defer client.Close()
	text, err := dump(context.Background(), client, "Written by "+*by+".")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join("testdata", *write), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// giveUp makes a dead letter: three workers in turn are lost.
func giveUp(t *testing.T, options command.Options) {
	t.Helper()
	s := command.Start(t, options)
	tab := wire.Open(t, "dead", "dead", s.Socket())
	in := tab.Say("/slow 100 20")
	for n := range 3 {
		if n > 0 {
			tookOver(t, s)
		}
		tab.Await("words", func(v wire.View) bool { return v.Active() && len(v.LastText()) > 5 })
		s.Kill()
		s.Restart()
	}
	if end := in.End(); !strings.Contains(fmt.Sprintf("%+v", end), "worker_lost") {
		t.Fatalf("it ended with %+v", end)
	}
	tab.Close()
	s.Terminate()
}

// tookOver waits until a server has taken a run over.
func tookOver(t *testing.T, s *command.Server) {
	t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.After(wire.Patience); ; {
		if answer, err := http.Get(s.URL() + "/metrics"); err == nil {
			text, _ := io.ReadAll(answer.Body)
			answer.Body.Close()
			if strings.Contains(string(text), "\naguiws_takeovers_total 1\n") {
				return
			}
		}
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatal("nothing is taken over")
		}
	}
}

// rest leaves what has ended well, and what waits for people.
func rest(t *testing.T, options command.Options) {
	t.Helper()
	s := command.Start(t, options)
	open := func(thread string) *wire.Tab { return wire.Open(t, thread, thread, s.Socket()) }

	tab := open("finished")
	wire.Succeeded(t, tab.Say(`/state {"answer":42}`).End())
	wire.Succeeded(t, tab.Say("/say Hello from yesterday.").End())

	tab = open("rewound")
	wire.Succeeded(t, tab.Say("/say one").End())
	wire.Succeeded(t, tab.Say("/say two").End())
	wire.Succeeded(t, tab.Rewind(2, "/say three").End())

	wire.Succeeded(t, open("large").Say(fmt.Sprintf(`/state {"text":%q}`, strings.Repeat("x", large))).End())

	tab = open("answered")
	asked := tab.Say(`/tool pay {"amount":1}`).Interrupts()
	wire.Succeeded(t, tab.Resume(client.Resolve(asked[0], edit)).End())

	open("asked").Say(`/tool pay {"amount":9007199254740993}`).Interrupts()

	asked = open("drafted").Say("/parallel 3").Interrupts()
	body := fmt.Sprintf(`{"entries":[{"interruptId":%q,"status":"resolved","payload":%s}]}`, asked[0].ID, approve)
	answer, err := http.Post(s.URL()+"/v1/threads/drafted/interrupts/resolve", "application/json", bytes.NewReader([]byte(body)))
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		t.Fatalf("a draft: %s", answer.Status)
	}

	tab = open("queued")
	tab.Say("/slow 40 25")
	confirm := tab.Say("/confirm Go on?")
	behind := tab.Say("/say It was my turn.")
	confirm.Interrupts()
	if d := behind.Disposition(); d != "queued" {
		t.Fatalf("behind the question an input is %q", d)
	}
	s.Terminate()
}

// crash lets a server die in an approved call.
func crash(t *testing.T, options command.Options, thread, point string) {
	t.Helper()
	options.CrashAt = point
	s := command.Start(t, options)
	tab := wire.Open(t, thread, thread, s.Socket())
	asked := tab.Say(`/tool pay {"amount":3}`).Interrupts()
	tab.Resume(client.Resolve(asked[0], approve))
	s.AwaitExit()
	tab.Close()
}
