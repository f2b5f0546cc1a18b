package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/aguiws/aguiws/client"
	"github.com/aguiws/aguiws/internal/suite"
	"github.com/aguiws/aguiws/redisstore/redistest"
)

// TestMain is the command itself, and its servers, where a test has started it.
func TestMain(m *testing.M) {
	if os.Getenv("AGUIWS_EXAMPLE") != "" {
		main()
		return
	}
	goleak.VerifyTestMain(m)
}

// A question is asked at one server, which is killed. It is answered at another,
// and the third one tells what came of it.
func TestCluster(t *testing.T) {
	suite.Full(t)
	redistest.Start(t, redistest.Options{}) // or the test is skipped: there is no Redis
	if _, err := exec.LookPath("redis-cli"); err != nil {
		if strings.Contains(os.Getenv("AGUIWS_REQUIRE"), "redis") {
			t.Fatal("AGUIWS_REQUIRE wants redis: install redis-cli")
		}
		t.Skip("without redis-cli: install it (AGUIWS_REQUIRE=redis makes this a failure)")
	}
	var ports []string
	for range 3 {
		ports = append(ports, strconv.Itoa(redistest.FreePort(t)))
	}
	servers := started(t, "--addrs", "127.0.0.1:0,127.0.0.1:0,127.0.0.1:0", "--redis-ports", strings.Join(ports, ","))

	first := follow(t, servers[0].url)
	end, err := first.Say("/confirm Book the Adlon?").Wait(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	asked := client.Asked(end)
	if len(asked) != 1 {
		t.Fatalf("asked: %+v", asked)
	}
	victim, err := os.FindProcess(servers[0].pid)
	if err != nil {
		t.Fatal(err)
	}
	if err := victim.Kill(); err != nil {
		t.Fatal(err)
	}
	if _, err := follow(t, servers[1].url).Answer(client.Resolve(asked[0], `{"approved":true}`)).Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	messages := follow(t, servers[2].url).View().Messages
	if last := messages[len(messages)-1].Content.String(); last != "Confirmed." {
		t.Errorf("the third server says %q", last)
	}
}

type address struct {
	url string
	pid int
}

// started starts the command, and returns its servers when all of them listen.
func started(t *testing.T, args ...string) []address {
	t.Helper()
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), "AGUIWS_EXAMPLE=cluster")
	said := &output{servers: make(chan []address, 1)}
	cmd.Stdout, cmd.Stderr = said, said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		if err := <-ended; err != nil {
			t.Errorf("the command has ended with %v", err)
		}
		if t.Failed() {
			t.Logf("output:\n%s", said.b.String())
		}
	})
	select {
	case servers := <-said.servers:
		return servers
	case err := <-ended:
		ended <- err
		t.Fatalf("the command has ended: %v", err)
	case <-time.After(2 * time.Minute):
		t.Fatal("the servers do not come up")
	}
	return nil
}

var opened = regexp.MustCompile(`open http://(\S+)/ and end it with kill -9 (\d+)\n`)

// output keeps what processes say, and finds the servers in it.
type output struct {
	servers chan []address

	mu sync.Mutex
	b  bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.b.Write(p)
	if found := opened.FindAllStringSubmatch(o.b.String(), -1); len(found) == 3 {
		var servers []address
		for _, f := range found {
			pid, _ := strconv.Atoi(f[2]) // digits
			servers = append(servers, address{fmt.Sprintf("ws://%s/agui/ws", f[1]), pid})
		}
		select {
		case o.servers <- servers:
		default:
		}
	}
	return len(p), nil
}

func follow(t *testing.T, url string) *client.Thread {
	t.Helper()
	c, err := client.Dial(t.Context(), url, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	thread, err := c.Follow(t.Context(), "trip", nil)
	if err != nil {
		t.Fatal(err)
	}
	return thread
}
