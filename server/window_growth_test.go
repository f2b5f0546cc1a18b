package server

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/runner"
	"github.com/aguiws/aguiws/adapter/script"
	"github.com/aguiws/aguiws/redisstore/redistest"
)

// A stream with a window costs Redis and the wire the same however long its thread is, and
// what is left out of it is at the place that it names.
func TestEventsWithAWindowCostTheSame(t *testing.T) {
	redis := redistest.Start(t, redistest.Options{})
	answered := func() int {
		text, err := redis.Do("INFO", "stats")
		if err != nil {
			t.Fatal(err)
		}
		n, err := strconv.Atoi(regexp.MustCompile(`total_net_output_bytes:(\d+)`).FindStringSubmatch(text)[1])
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	serving := func() *testServer {
		agents := map[string]adapter.Agent{"": script.New(script.Options{})}
		return nodeWith(t, durable(t, redis), &runner.Options{Agents: agents, MaxThreadBytes: -1}, nil)
	}
	writer, reader := serving(), serving() // one has the threads in use, and one does not
	const window, piece = 20, 1000
	type cost struct{ read, sent int }
	costs := map[int]cost{}
	for _, size := range []int{100, 2000} {
		thread := fmt.Sprint("long-", size)
		for from := 0; from < size; from += piece {
			var history []string
			for i := from; i < min(size, from+piece); i++ {
				history = append(history, fmt.Sprintf(`{"id":"m%08d","role":"user","content":%q}`, i, strings.Repeat("word ", 80)))
			}
			history = append(history, fmt.Sprintf(`{"id":"a%08d","role":"user","content":"/say ok"}`, from))
			writer.post(fmt.Sprintf(`{"threadId":%q,"runId":"r%d","messages":[%s]}`, thread, from, strings.Join(history, ","))).rest()
		}
		writer.post(fmt.Sprintf(`{"threadId":%q,"runId":"last","messages":[{"id":"last","role":"user","content":"/say ok"}]}`, thread)).rest()
		// What a node does by the clock falls into some of them.
		for i := range 5 {
			before := answered()
			s := reader.ask("GET", fmt.Sprintf("/agui/threads/%s/events?window=%d", thread, window), "").opened()
			c := cost{}
			for e, ok := s.next(); ok; e, ok = s.next() {
				c.sent += len(e.data)
				if n := strings.Count(e.data, `"role":`); strings.Contains(e.data, "MESSAGES_SNAPSHOT") && n != window {
					t.Errorf("%d messages in a window of %d", n, window)
				}
			}
			c.read = answered() - before
			if i == 0 || c.read < costs[size].read {
				costs[size] = c
			}
			if older, err := strconv.Atoi(s.resp.Header.Get("Aguiws-Older")); err != nil || older < size-window {
				t.Errorf("%d messages stand before the window, %v", older, err)
			}
			status, _, page := reader.get("/v1/threads/"+thread+"/messages?limit=5&before="+s.resp.Header.Get("Aguiws-Before"), nil, "")
			if messages, _ := page["items"].([]any); status != 200 || len(messages) != 5 {
				t.Errorf("%d: at the place there are %v %v", status, messages, page)
			}
		}
		t.Logf("%d messages: %+v", size, costs[size])
	}
	if few, many := costs[100], costs[2000]; many.read > few.read+few.read/5+500 || many.sent > few.sent+few.sent/20 {
		t.Errorf("%+v of 100 messages, %+v of 2,000", few, many)
	}
}
