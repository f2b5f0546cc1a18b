package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/aguiws/aguiws/conformance/bench/drive"
)

// order is what the process of the clients is told, in JSON.
type order struct {
	// Do is open, expect or wait.
	Do string
	// Kind is how a client opens: run, run-sse, sse (a server that only streams), begin (asks
	// for a run and leaves), attach, bare, shared, centrifuge, centrifuge-shared.
	Kind    string
	Addr    string
	Clients int
	Threads int // that they share out
	Salt    string
	Events  int // that each is to expect
}

// arrived is what came since the last expect.
type arrived struct {
	Last   int64 // Unix time in us of the last one
	Events int
	P50    float64
	P99    float64
	CPU    int64
}

// clients open streams and take the time of each event.
type clients struct {
	list []*taker
	done chan error
	cpu  int64
}

func (c *clients) obey(in io.Reader, out io.Writer) error {
	fmt.Fprintln(out, "ready")
	answers := json.NewEncoder(out)
	for lines := bufio.NewScanner(in); lines.Scan(); {
		var o order
		if err := json.Unmarshal(lines.Bytes(), &o); err != nil {
			return err
		}
		var answer any = struct{}{}
		var err error
		switch o.Do {
		case "open":
			err = c.open(o)
		case "expect":
			c.done = make(chan error, len(c.list))
			c.cpu = drive.CPU()
			for _, t := range c.list {
				t.expect(o.Events, c.done)
			}
		case "wait":
			answer, err = c.wait()
		}
		if err != nil {
			answer = map[string]string{"error": err.Error()}
		}
		if err := answers.Encode(answer); err != nil {
			return err
		}
	}
	return nil
}

func (c *clients) wait() (arrived, error) {
	late := time.After(patience)
	for range c.list {
		select {
		case err := <-c.done:
			if err != nil {
				return arrived{}, err
			}
		case <-late:
			return arrived{}, fmt.Errorf("events have not come for %s", patience)
		}
	}
	a := arrived{CPU: drive.CPU() - c.cpu}
	var all []int32
	for _, t := range c.list {
		a.Last = max(a.Last, t.last)
		all = append(all, t.took...)
	}
	slices.Sort(all)
	a.Events = len(all)
	at := func(part float64) float64 { return float64(all[min(len(all)-1, int(part*float64(len(all))))]) }
	a.P50, a.P99 = at(.5), at(.99)
	return a, nil
}

func (c *clients) open(o order) error {
	opened, errs := make([]*taker, o.Clients), make([]error, o.Clients)
	var group sync.WaitGroup
	var next atomic.Int64
	for range 32 {
		group.Go(func() {
			for i := int(next.Add(1)) - 1; i < o.Clients; i = int(next.Add(1)) - 1 {
				opened[i], errs[i] = openTaker(o, i)
			}
		})
	}
	group.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	if o.Kind != "begin" {
		c.list = append(c.list, opened...)
	}
	return nil
}

// taker is one client.
type taker struct {
	mark   []byte // of the text that says that it is ready
	ready  chan error
	done   chan error
	expect func(n int, done chan error)

	mu     sync.Mutex
	left   int
	took   []int32 // us from the event's timestamp
	last   int64
	before int64 // the timestamp before
}

func openTaker(o order, i int) (*taker, error) {
	threads := o.Threads
	if threads == 0 {
		threads = o.Clients
	}
	thread := fmt.Sprintf("%s-%d", o.Salt, i%threads)
	input := fmt.Sprintf(`{"threadId":%q,"runId":"r1","messages":[{"id":"u-%s","role":"user","content":"emit"}]}`, thread, thread)
	t := &taker{ready: make(chan error, 1)}
	t.expect = t.begin
	path, protocol, first := "/agui/ws", "agui.v1.json", ""
	switch o.Kind {
	case "run", "begin":
		first, t.mark = input, []byte(`"TEXT_MESSAGE_START"`)
	case "attach":
		first, t.mark = fmt.Sprintf(`{"type":"ws.attach","threadId":%q}`, thread), []byte(`"ws.live"`)
	case "bare", "shared":
		path, protocol, t.mark = "/"+o.Kind, "", []byte(`"ready"`)
	case "centrifuge", "centrifuge-shared":
		channel := "channel-" + thread
		if o.Kind == "centrifuge-shared" {
			channel = "shared"
		}
		path, protocol, t.mark = "/", "", []byte(`"subscribe"`)
		first = `{"id":1,"connect":{}}` + "\n" + fmt.Sprintf(`{"id":2,"subscribe":{"channel":%q}}`, channel)
	case "run-sse":
		t.mark = []byte(`"TEXT_MESSAGE_START"`)
		return t, t.openSSE(o.Addr, input)
	case "sse":
		t.mark = []byte(`"RUN_STARTED"`)
		return t, t.openSSE(o.Addr, input)
	default:
		return nil, fmt.Errorf("%q is no kind of client", o.Kind)
	}
	s, err := dialSocket(o.Addr, path, protocol, 64<<10)
	if err == nil && first != "" {
		err = s.send("%s", first)
	}
	if err != nil {
		return nil, err
	}
	go t.read(s)
	err = t.wait()
	if o.Kind == "begin" {
		_ = s.Close()
	}
	return t, err
}

func (t *taker) wait() error {
	select {
	case err := <-t.ready:
		return err
	case <-time.After(patience):
		return fmt.Errorf("a client is not ready: %s has not come", t.mark)
	}
}

func (t *taker) begin(n int, done chan error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.left, t.done, t.took, t.before = n, done, make([]int32, 0, n), 0
}

// fail tells who waits.
func (t *taker) fail(err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.left > 0 {
		t.done <- err
		t.left = 0
	}
	select {
	case t.ready <- err:
	default:
	}
}

var stamp = []byte(`"timestamp":`)

// take looks for events in what has come.
func (t *taker) take(text []byte, now int64) {
	if t.mark != nil && bytes.Contains(text, t.mark) {
		t.mark = nil
		t.ready <- nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	for {
		at := bytes.Index(text, stamp)
		if at < 0 {
			return
		}
		text = text[at+len(stamp):]
		sent, digits := int64(0), 0
		for digits < len(text) && text[digits] >= '0' && text[digits] <= '9' {
			sent = sent*10 + int64(text[digits]-'0')
			digits++
		}
		if digits < 16 || t.left == 0 {
			continue // not the stage's
		}
		t.took, t.last = append(t.took, int32(now-sent)), now
		if t.left--; t.left == 0 {
			t.done <- nil
		}
	}
}

func (t *taker) read(s *socket) {
	for {
		for now := time.Now().UnixMicro(); ; {
			text, err := s.whole()
			if err != nil {
				t.fail(err)
				return
			}
			if text == nil {
				break
			}
			if string(text) == "{}" { // centrifuge's ping
				_ = s.send("{}")
			}
			t.take(text, now)
		}
		if err := s.more(); err != nil {
			t.fail(err)
			return
		}
	}
}

func (t *taker) openSSE(addr, input string) error {
	c, err := net.Dial("tcp", addr)
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintf(c, "POST /agui HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\nAccept: text/event-stream\r\nContent-Length: %d\r\n\r\n%s",
		addr, len(input), input); err != nil {
		return err
	}
	go func() { t.fail(t.readSSE(bufio.NewReaderSize(c, 128<<10))) }()
	return t.wait()
}

// readSSE reads an answer in chunks.
func (t *taker) readSSE(r *bufio.Reader) error {
	head := ""
	for !strings.HasSuffix(head, "\r\n\r\n") {
		l, err := r.ReadString('\n')
		if err != nil {
			return err
		}
		head += l
	}
	if !strings.HasPrefix(head, "HTTP/1.1 200 ") || !strings.Contains(strings.ToLower(head), "transfer-encoding: chunked") {
		return fmt.Errorf("an answer that cannot be read: %q", head)
	}
	var text []byte
	for {
		l, err := r.ReadSlice('\n')
		if err != nil {
			return err
		}
		n, err := strconv.ParseInt(string(bytes.TrimSpace(l)), 16, 64)
		if err != nil || n == 0 {
			return fmt.Errorf("the answer has ended: %q, %v", l, err)
		}
		now := time.Now().UnixMicro()
		at := len(text)
		text = slices.Grow(text, int(n))[:at+int(n)]
		if _, err := io.ReadFull(r, text[at:]); err != nil {
			return err
		}
		if _, err := r.Discard(2); err != nil {
			return err
		}
		if end := bytes.LastIndexByte(text, '\n') + 1; end > 0 {
			t.take(text[:end], now)
			text = text[:copy(text, text[end:])]
		}
	}
}
