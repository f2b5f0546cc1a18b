package hostile

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"
	"time"
)

// What is held for a client: frames whose answers it does not take, replies, inputs
// that wait, snapshots, and what it has not sent to its end.

// sips reads a little now and then, so that the connection makes progress.
func sips(ctx context.Context, in io.Reader) {
	for sip := make([]byte, 150_000); ctx.Err() == nil; {
		if _, err := in.Read(sip); err != nil {
			return
		}
		wait(ctx, time.Second, nil)
	}
}

// unreadPings are held until their answers are taken, and those stand behind a log.
// Together they are the whole budget but for fewer bytes than the smallest input has,
// so that none of them waits for another.
func unreadPings(s *siege) {
	const (
		sockets          = 8
		pings            = budget / sockets / (4 * mib)
		opening, closing = `{"type":"ws.ping","x":"`, `"}`
		attach           = `{"type":"ws.attach","threadId":"` + stock + `"}`
		left             = 40
	)
	of := func(size int) string {
		return frame(final|text, opening+strings.Repeat("a", size-len(opening+closing))+closing)
	}
	whole, last := of(4*mib), of(4*mib-len(attach)-left/sockets)
	s.repeat(sockets, func(ctx context.Context, reached func()) {
		c, in, release, err := s.socket(ctx, 64<<10, "agui.v1.json")
		if err != nil {
			return
		}
		defer release()
		sipping := make(chan struct{})
		s.working.Go(func() {
			defer close(sipping)
			sips(ctx, in)
			release()
		})
		_, err = io.WriteString(c, frame(final|text, attach))
		wait(ctx, time.Second, sipping) // until the kernels hold no more of the log
		_ = c.SetWriteDeadline(time.Now().Add(advance / 2))
		for n := range pings {
			if err != nil {
				break
			}
			_, err = io.WriteString(c, map[bool]string{false: whole, true: last}[n == pings-1])
		}
		wait(ctx, time.Second, sipping)
		reached()
		<-sipping
	})
}

// unreadReplies are of a thread, whole.
func unreadReplies(s *siege) {
	s.repeat(24, func(ctx context.Context, reached func()) {
		c, release, err := s.connect(ctx, 4096)
		if err != nil {
			return
		}
		defer release()
		status := make([]byte, len("HTTP/1.1 200"))
		if _, err := io.WriteString(c, head("GET", "/v1/threads/"+stock)); err != nil {
			return
		}
		if _, err := io.ReadFull(c, status); err != nil || !bytes.HasSuffix(status, []byte("200")) {
			return
		}
		reached()
		wait(ctx, 15*time.Second, nil)
	})
}

// waitingInputs stand behind a run that takes its time, and are much larger when they
// have been read than on the wire.
func waitingInputs(s *siege) {
	var many strings.Builder
	for n := range 60_000 {
		if n > 0 {
			many.WriteByte(',')
		}
		fmt.Fprintf(&many, `{"id":"%d","role":"user","content":""}`, n)
	}
	waiting := frame(final|text, `{"threadId":"waiting","runId":"r","messages":[`+many.String()+`]}`)
	s.repeat(6, func(ctx context.Context, reached func()) {
		c, in, release, err := s.socket(ctx, 64<<10, "")
		if err != nil {
			return
		}
		defer release()
		gone := s.gone(in)
		_, err = io.WriteString(c, frame(final|text, input(fmt.Sprintf("slow-%s", c.LocalAddr()), "r", "m", "/slow 10000 1000")))
		for range 9 {
			if err != nil {
				break
			}
			_ = c.SetWriteDeadline(time.Now().Add(advance / 2))
			_, err = io.WriteString(c, waiting)
		}
		reached()
		wait(ctx, time.Minute, gone)
		release()
		<-gone
	})
}

// slowAttaches take a large thread by sips.
func slowAttaches(s *siege) {
	s.repeat(24, func(ctx context.Context, reached func()) {
		c, in, release, err := s.socket(ctx, 64<<10, "agui.v1.json")
		if err != nil {
			return
		}
		defer release()
		if _, err := io.WriteString(c, frame(final|text, `{"type":"ws.attach","threadId":"`+stock+`"}`)); err != nil {
			return
		}
		reached()
		sips(ctx, in)
	})
}

// unfinishedBodies are as large as they may be, but for their end.
func unfinishedBodies(s *siege) {
	begun := `{"text":"` + strings.Repeat("a", 4*mib-200)
	s.repeat(150, func(ctx context.Context, reached func()) {
		c, release, err := s.connect(ctx, 64<<10)
		if err != nil {
			return
		}
		defer release()
		gone := s.gone(c)
		_, err = io.WriteString(c, head("POST", "/v1/threads/t/input", "Content-Type: application/json", fmt.Sprint("Content-Length: ", 4*mib)))
		if err == nil {
			_ = c.SetWriteDeadline(time.Now().Add(advance / 2))
			_, _ = io.WriteString(c, begun)
		}
		reached()
		wait(ctx, time.Minute, gone)
		release()
		<-gone
	})
}

// unfinishedFrames get another byte before anybody could call them silent.
func unfinishedFrames(s *siege) {
	begun := beginning(4*mib, 4*mib-100)
	s.repeat(64, func(ctx context.Context, reached func()) { s.trickle(ctx, begun, reached) })
}

// beginning is the first bytes of a frame.
func beginning(size, bytes int) string {
	const opening = `{"type":"ws.ping","x":"`
	return announce(final|text, size) + opening + strings.Repeat("a", bytes-len(opening))
}

// trickle opens a socket, begins a frame on it, and goes on with a byte a second for
// as long as it is let.
func (s *siege) trickle(ctx context.Context, begun string, reached func()) {
	c, in, release, err := s.socket(ctx, 64<<10, "agui.v1.json")
	if err != nil {
		return
	}
	defer release()
	gone := s.gone(in)
	_ = c.SetWriteDeadline(time.Now().Add(advance / 2))
	_, err = io.WriteString(c, begun)
	reached()
	_ = c.SetWriteDeadline(time.Time{})
	for err == nil && ctx.Err() == nil {
		wait(ctx, time.Second, gone)
		_, err = io.WriteString(c, "a")
	}
	release()
	<-gone
}

// aFrame is how long a frame may take that is not large.
const aFrame = 45 * time.Second

// framesEnded fails the test when one is let trickle on.
func framesEnded(s *siege) {
	ctx, cancel := context.WithTimeout(s.t.Context(), aFrame)
	defer cancel()
	began := time.Now()
	s.trickle(ctx, beginning(64<<10, 100), func() {})
	s.t.Logf("a frame was let trickle for %s", time.Since(began).Round(time.Second))
	if ctx.Err() != nil {
		s.t.Errorf("a frame that gets a byte a second has been read for %s and goes on", aFrame)
	}
}
