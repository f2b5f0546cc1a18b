package adapter_test

import (
	"context"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/runner"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
	"github.com/aguiws/aguiws/redisstore"
	"github.com/aguiws/aguiws/redisstore/redistest"
)

// traffic is how many bytes a Redis has been sent, and has answered.
func traffic(t *testing.T, server *redistest.Server) (in, out int) {
	t.Helper()
	text, err := server.Do("INFO", "stats")
	if err != nil {
		t.Fatal(err)
	}
	count := func(name string) int {
		m := regexp.MustCompile(name + `:(\d+)`).FindStringSubmatch(text)
		if m == nil {
			t.Fatalf("no %s", name)
		}
		n, err := strconv.Atoi(m[1])
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	return count("total_net_input_bytes"), count("total_net_output_bytes")
}

// What a turn writes is what is new in it, however long the thread is: one that is said,
// one that asks, and one that is answered. Guarded by bytes that Redis is sent.
func TestATurnWritesWhatIsNew(t *testing.T) {
	if testing.Short() {
		t.Skip("it measures, and takes seconds under the race detector")
	}
	sizes := []int{100, 5000}
	if large, err := strconv.Atoi(os.Getenv("AGUIWS_LARGE_THREAD")); err == nil {
		sizes = append(sizes, large)
	}
	agent := adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
		messages := run.Input().Messages
		if err := run.Say("hm"); err != nil || messages[len(messages)-1].Content.String() != "ask" {
			return err
		}
		if _, err := run.Confirm(ctx, "really?"); err != nil {
			return err
		}
		return run.Say("done")
	})
	var small, smallRead [3]int
	for _, size := range sizes {
		server := redistest.Start(t, redistest.Options{})
		s, err := redisstore.Open(context.Background(), server.URL(), &redisstore.Options{Timeout: patience})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { s.Close() })
		l := &lab{t: t, store: s, key: store.ThreadKey{Namespace: "test", Thread: "thread"}}
		l.start(agent, func(o *runner.Options) { o.MaxThreadBytes, o.Sweep = -1, time.Hour })
		l.follow(nil)
		say := func(i int, text string, messages ...protocol.Message) []protocol.Event {
			t.Helper()
			messages = append(messages, protocol.Message{ID: fmt.Sprintf("turn-%d", i), Role: protocol.RoleUser, Content: protocol.Text(text)})
			l.begins(&protocol.RunAgentInput{Messages: messages})
			return l.untilEnd()
		}
		const piece = 2500
		for from := 0; from < size; from += piece {
			history := make([]protocol.Message, 0, piece)
			for i := from; i < min(size, from+piece); i++ {
				history = append(history, protocol.Message{ID: fmt.Sprintf("00000000-0000-4000-8000-%012d", i), Role: protocol.RoleUser, Content: protocol.Text(strings.Repeat("word ", 80))})
			}
			succeeded(t, say(-1-from, "hi", history...))
		}
		succeeded(t, say(-1-size, "hi")) // reads once what the server has not from its own turns
		l.idle()
		if _, err := server.Do("CONFIG", "SET", "slowlog-log-slower-than", "1000"); err != nil {
			t.Fatal(err)
		}
		server.Do("SLOWLOG", "RESET")
		var wrote, read [3]int
		const rounds = 5
		measure := func(kind int, turn func()) {
			in, out := traffic(t, server)
			turn()
			l.idle() // so that the node holds what the turn has added, before the next one reads the thread
			in2, out2 := traffic(t, server)
			wrote[kind] += (in2 - in) / rounds
			read[kind] += (out2 - out) / rounds
		}
		for i := range rounds {
			measure(0, func() { succeeded(t, say(2*i, "hi")) })
			var open []protocol.Interrupt
			measure(1, func() { open = interrupts(t, say(2*i+1, "ask")) })
			measure(2, func() { succeeded(t, l.answer(resolved(open[0].ID, `{"approved":true}`))) })
		}
		slow, err := server.Do("SLOWLOG", "GET", "100")
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%d messages: written %d, read %d bytes (a turn, one that asks, one that is answered); slow scripts: %.5q", size, wrote, read, slow)
		if os.Getenv("AGUIWS_LARGE_THREAD") != "" {
			t.Logf("%.3000q", slow)
		}
		if size == sizes[0] {
			small, smallRead = wrote, read
			continue
		}
		for kind, n := range wrote {
			if n > 2*small[kind] {
				t.Errorf("turn of kind %d writes %d bytes in a thread of %d messages, and %d in one of %d", kind, n, size, small[kind], sizes[0])
			}
			if n := read[kind]; n > 2*smallRead[kind] {
				t.Errorf("turn of kind %d reads %d bytes in a thread of %d messages, and %d in one of %d", kind, n, size, smallRead[kind], sizes[0])
			}
		}
	}
}
