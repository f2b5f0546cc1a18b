package server

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
)

// sseEvent is one block of a stream.
type sseEvent struct {
	id   string
	data string
}

// sseStream is the client's end of an answer. It fails the test on whatever an
// AG-UI client could not read.
type sseStream struct {
	t      *testing.T
	resp   *http.Response
	cancel context.CancelFunc
	lines  *bufio.Reader
}

// ask sends a request, with headers as name and value in turn.
func (ts *testServer) ask(method, path, body string, header ...string) *sseStream {
	ts.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	ts.t.Cleanup(cancel)
	r, err := http.NewRequestWithContext(ctx, method, ts.http.URL+path, strings.NewReader(body))
	if err != nil {
		ts.t.Fatal(err)
	}
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(header); i += 2 {
		r.Header.Del(header[i])
		if header[i+1] != "" {
			r.Header.Set(header[i], header[i+1])
		}
	}
	resp, err := ts.http.Client().Do(r)
	if err != nil {
		ts.t.Fatal(err)
	}
	ts.t.Cleanup(func() { resp.Body.Close() })
	return &sseStream{t: ts.t, resp: resp, cancel: cancel, lines: bufio.NewReader(resp.Body)}
}

// post sends an input and wants a stream.
func (ts *testServer) post(body string, header ...string) *sseStream {
	ts.t.Helper()
	return ts.ask(http.MethodPost, "/agui", body, header...).opened()
}

// events follows thread t.
func (ts *testServer) events(query string, header ...string) *sseStream {
	ts.t.Helper()
	return ts.ask(http.MethodGet, "/agui/threads/t/events"+query, "", header...).opened()
}

func (s *sseStream) opened() *sseStream {
	s.t.Helper()
	if s.resp.StatusCode != http.StatusOK || s.resp.Header.Get("Content-Type") != "text/event-stream" {
		body, _ := io.ReadAll(s.resp.Body)
		s.t.Fatalf("got %s %s: %s", s.resp.Status, s.resp.Header.Get("Content-Type"), body)
	}
	return s
}

// next reads a block that has an event or an id; false at the end.
func (s *sseStream) next() (e sseEvent, ok bool) {
	s.t.Helper()
	for {
		line, err := s.lines.ReadString('\n')
		if err == io.EOF && line == "" && e == (sseEvent{}) {
			return e, false
		}
		if err != nil {
			s.t.Fatalf("after %.200q: %v", line, err)
		}
		if strings.Contains(line, "\r") {
			s.t.Fatalf("%q has a carriage return", line)
		}
		field, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
		switch {
		case line == "\n":
			if e != (sseEvent{}) {
				return e, true
			}
		case strings.HasPrefix(line, ":"):
		case field == "id" && e == (sseEvent{}):
			e.id = value
		case field == "data" && e.data == "":
			e.data = value
		default:
			s.t.Fatalf("unexpected line %q after %+v", line, e)
		}
	}
}

// wants reads an event for each of the given ones, which it must equal.
func (s *sseStream) wants(events ...string) {
	s.t.Helper()
	for _, want := range events {
		got, ok := s.next()
		if !ok {
			s.t.Fatalf("ended before %s", want)
		}
		if !sameJSON(s.t, []byte(got.data), []byte(want)) {
			s.t.Fatalf("got  %s\nwant %s", got.data, want)
		}
	}
}

// expect reads an event, which must be of the type.
func (s *sseStream) expect(kind string) map[string]any {
	s.t.Helper()
	e, ok := s.next()
	if !ok {
		s.t.Fatalf("ended before %s", kind)
	}
	return s.decoded(e, kind)
}

func (s *sseStream) decoded(e sseEvent, kind string) map[string]any {
	s.t.Helper()
	var m map[string]any
	if err := json.Unmarshal([]byte(e.data), &m); err != nil {
		s.t.Fatalf("%s: %v", e.data, err)
	}
	if kind != "" && m["type"] != kind {
		s.t.Fatalf("got %s, want %s", e.data, kind)
	}
	return m
}

// ends wants nothing more.
func (s *sseStream) ends() {
	s.t.Helper()
	if e, ok := s.next(); ok {
		s.t.Fatalf("got %+v, want the end", e)
	}
}

// fails wants a RUN_ERROR of the code and then the end.
func (s *sseStream) fails(code string) map[string]any {
	s.t.Helper()
	e := s.expect("RUN_ERROR")
	if e["code"] != code {
		s.t.Fatalf("got %v, want %s", e, code)
	}
	s.ends()
	return e
}

// comment wants a comment next.
func (s *sseStream) comment() {
	s.t.Helper()
	for _, want := range []string{":", "\n"} {
		if line, err := s.lines.ReadString('\n'); err != nil || !strings.HasPrefix(line, want) {
			s.t.Fatalf("got %q %v, want a comment", line, err)
		}
	}
}

// rest reads to the end, and returns the events' types and the last one.
func (s *sseStream) rest() (types []string, last map[string]any) {
	s.t.Helper()
	for {
		e, ok := s.next()
		if !ok {
			return types, last
		}
		if e.data != "" {
			last = s.decoded(e, "")
			types = append(types, kindOf(last))
		}
	}
}

// refusedWith wants an HTTP answer instead of a stream.
func (s *sseStream) refusedWith(status int, member, code string) map[string]any {
	s.t.Helper()
	body, err := io.ReadAll(s.resp.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	var m map[string]any
	if err := json.Unmarshal(body, &m); err != nil || s.resp.StatusCode != status || m[member] != code {
		s.t.Fatalf("got %s %s, want %d %s", s.resp.Status, body, status, code)
	}
	if message, _ := m["message"].(string); message == "" {
		s.t.Errorf("%s says nothing", body)
	}
	return m
}

// idle waits until no connection is being served and nothing is followed.
func (ts *testServer) idle(b *fake) {
	ts.t.Helper()
	eventually(ts.t, "nothing is served", func() bool { return ts.openSockets() == 0 })
	if n := b.followers(); n != 0 {
		ts.t.Errorf("%d followers are left", n)
	}
}

func numbered(from, to int) (events []string) {
	for i := from; i <= to; i++ {
		events = append(events, custom(fmt.Sprint(i)))
	}
	return events
}
