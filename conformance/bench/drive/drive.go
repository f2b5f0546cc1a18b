// Package drive is what all measured servers share, rivals too: events of one size,
// emitted when they are told to through standard input, and what a process has used.
package drive

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// EventSize is how long an event is, in bytes.
const EventSize = 180

// MessageID is as long as a UUID.
const MessageID = "3f1c6f0e-5d0a-4b8e-9d64-0d6e5b7a9c11"

const (
	head = `{"type":"TEXT_MESSAGE_CONTENT","timestamp":`
	mid  = `,"messageId":"` + MessageID + `","delta":"`
	tail = `"}`
	// stampDigits is how long a time in microseconds is.
	stampDigits = 16
	deltaSize   = EventSize - len(head) - stampDigits - len(mid) - len(tail)
)

// deltas are made beforehand: a model's words are there, too.
var deltas = func() (list [1024]string) {
	for i := range list {
		s := strconv.Itoa(i + 1000)
		list[i] = s + strings.Repeat("abcdefgh ", 1+deltaSize/9)[:deltaSize-len(s)]
	}
	return
}()

// Delta is so long that an event with a timestamp has EventSize bytes.
func Delta(i int) string { return deltas[i&1023] }

// Append appends such an event.
func Append(b []byte, i int) []byte {
	b = append(b, head...)
	b = strconv.AppendInt(b, time.Now().UnixMicro(), 10)
	b = append(b, mid...)
	b = append(b, Delta(i)...)
	return append(b, tail...)
}

// Phase is one stretch of emitting.
type Phase struct {
	events int     // of each run
	rate   float64 // of each run, a second; 0: as fast as it goes
	start  time.Time
	begun  chan struct{}
	next   *Phase
}

// Stage lets runs emit in phases, all at once.
type Stage struct {
	mu   sync.Mutex
	last *Phase
	runs atomic.Int64
}

// NewStage returns a stage on which nothing has begun.
func NewStage() *Stage { return &Stage{last: &Phase{begun: make(chan struct{})}} }

// Upcoming is the phase that has not begun: a run takes it when it is there.
func (s *Stage) Upcoming() *Phase {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.last
}

func (s *Stage) begin(events int, rate float64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.last
	p.events, p.rate, p.start = events, rate, time.Now()
	p.next = &Phase{begun: make(chan struct{})}
	s.last = p.next
	close(p.begun)
}

// Emit emits in phase after phase until stop. So many calls of emit are under way at
// once when it is as fast as it goes.
func (s *Stage) Emit(p *Phase, stop <-chan struct{}, atOnce int, emit func(i int) error) error {
	// Runs are spread over the period of a rate, evenly however many there are.
	offset := math.Mod(float64(s.runs.Add(1))*math.Phi, 1)
	for done := 0; ; p = p.next {
		select {
		case <-p.begun:
		case <-stop:
			return nil
		}
		var err error
		if p.rate == 0 && atOnce > 1 {
			err = together(p.events, atOnce, func(i int) error { return emit(done + i) })
		} else {
			for i := range p.events {
				if p.rate > 0 {
					time.Sleep(time.Until(p.start.Add(time.Duration((float64(i) + offset) / p.rate * float64(time.Second)))))
				}
				if err = emit(done + i); err != nil {
					break
				}
			}
		}
		if err != nil {
			return err
		}
		done += p.events
	}
}

func together(n, atOnce int, emit func(i int) error) error {
	var next atomic.Int64
	var group sync.WaitGroup
	errs := make(chan error, atOnce)
	for range atOnce {
		group.Go(func() {
			for i := next.Add(1); i <= int64(n); i = next.Add(1) {
				if err := emit(int(i - 1)); err != nil {
					errs <- err
					return
				}
			}
		})
	}
	group.Wait()
	close(errs)
	return <-errs
}

// Serve says the address, and obeys in until it ends, an answer in JSON a line: "go EVENTS
// RATE" begins a phase, and "use" and "rest" (after collecting what nobody needs) say
// what the process has used.
func (s *Stage) Serve(addr string, in io.Reader, out io.Writer) error {
	fmt.Fprintln(out, addr)
	answers := json.NewEncoder(out)
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		words := strings.Fields(lines.Text())
		if len(words) == 0 {
			continue
		}
		var answer any
		switch words[0] {
		case "go":
			var events int
			var rate float64
			if _, err := fmt.Sscan(strings.Join(words[1:], " "), &events, &rate); err != nil {
				return fmt.Errorf("%q: %w", lines.Text(), err)
			}
			answer = Used()
			s.begin(events, rate)
		case "use":
			answer = Used()
		case "rest":
			answer = Rested()
		default:
			return fmt.Errorf("%q is no command", lines.Text())
		}
		if err := answers.Encode(answer); err != nil {
			return err
		}
	}
	return lines.Err()
}
