package edge

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/aguiws/aguiws/server/internal/unacked"
)

const (
	// piece is how much of a body must come within bodyPause, and how much of an
	// answer must be taken within the write timeout, unless less is left.
	piece     = 16 << 10
	bodyPause = 10 * time.Second
	// refusedBody is how long what nobody reads of a body may take to arrive.
	refusedBody = 5 * time.Second
)

// Handler gives next requests whose bodies must keep coming and whose answers
// must be taken. A deadline that next sets itself holds besides for reading, and
// instead for writing, where none takes that back. All servers can have that.
func (e *Edge) Handler(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		x := &exchange{ResponseWriter: w, control: http.NewResponseController(w), timeout: e.opts.WriteTimeout, arrived: true, shared: r.ProtoMajor > 1}
		c, _ := r.Context().Value(connectionKey{}).(*connection)
		if e.hurrying.Load() {
			w.Header().Set("Connection", "close")
		}
		if c != nil {
			x.network = c.network()
		}
		if x.shared {
			// The server's own would end a stream whose handler is silent before its first write.
			x.control.SetWriteDeadline(time.Time{})
		}
		if r.Body != nil && r.Body != http.NoBody {
			// net/http looks at what kind of a body its own request has.
			own := *r
			own.Body = &body{r.Body, x}
			r = &own
			x.arrived, x.allowed = false, bodyPause
			x.expect(time.Now().Add(bodyPause))
			e.receives(c, x)
			defer e.receives(c, nil)
		}
		defer x.close()
		next.ServeHTTP(x, r)
	})
}

// exchange is a request and its answer. Its deadlines may be set concurrently.
type exchange struct {
	http.ResponseWriter
	control *http.ResponseController
	timeout time.Duration
	network net.Conn // nil: what the kernel holds of the answer is not known
	shared  bool     // the connection is also other requests': HTTP/2
	written int      // of the answer

	allowed time.Duration // for which the piece of the body that is read may still be waited
	got     int           // of the piece

	mu       sync.Mutex
	arrived  bool      // the body is at its end
	next     time.Time // when more of it must have come
	until    time.Time // when all of it must have, by the handler; zero: it does not say
	hurried  time.Time // when all of it must have, because the server ends
	answered bool      // what is left of the body is of interest to nobody
	own      bool      // the handler sees to the write deadline
	ending   bool      // net/http writes the rest
	hijacked bool

	taking  bool        // something is being written
	look    *time.Timer // whether it is taken; nil: not yet
	unacked int         // what the kernel held when it last looked; below zero: it has not
}

// expect sets when more of the body must have come.
func (x *exchange) expect(at time.Time) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.next = at
	x.arm()
}

// arm must be called with the lock held.
func (x *exchange) arm() {
	if x.arrived || x.hijacked {
		return
	}
	at := x.next
	for _, earlier := range []time.Time{x.until, x.hurried} {
		if !earlier.IsZero() && earlier.Before(at) {
			at = earlier
		}
	}
	x.control.SetReadDeadline(at)
}

func (x *exchange) hurry() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.hurried = time.Now()
	if !x.answered {
		x.hurried = x.hurried.Add(patience)
	}
	x.arm()
}

// SetReadDeadline is for http.ResponseController.
func (x *exchange) SetReadDeadline(at time.Time) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.arrived || x.hijacked {
		return x.control.SetReadDeadline(at)
	}
	x.until = at
	x.arm()
	return nil
}

// SetWriteDeadline is for http.ResponseController.
func (x *exchange) SetWriteDeadline(at time.Time) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.own = !at.IsZero()
	return x.control.SetWriteDeadline(at)
}

// body is that of a request, which must keep coming.
type body struct {
	io.ReadCloser
	x *exchange
}

func (b *body) Read(p []byte) (int, error) {
	x := b.x
	x.mu.Lock()
	arrived := x.arrived
	x.mu.Unlock()
	if arrived {
		return b.ReadCloser.Read(p)
	}
	// Time in which the handler does something else is not the client's.
	began := time.Now()
	x.expect(began.Add(x.allowed))
	n, err := b.ReadCloser.Read(p)
	x.allowed -= time.Since(began)
	if x.got += n; x.got >= piece {
		x.got, x.allowed = 0, bodyPause
	}
	if err != nil {
		x.mu.Lock()
		defer x.mu.Unlock()
		x.answered = true
		x.next = began // what does not come is not waited for again
		if x.arrived = err == io.EOF; x.arrived && !x.hijacked {
			// From here on net/http reads, to see whether the client goes.
			x.control.SetReadDeadline(time.Time{})
		}
		x.arm()
	}
	return n, err
}

// answering bounds what net/http reads of a body before it writes the header.
func (x *exchange) answering() {
	x.mu.Lock()
	defer x.mu.Unlock()
	if !x.arrived && !x.answered {
		x.answered = true
		x.next = time.Now().Add(refusedBody)
		x.arm()
	}
}

// give gives the client time to take what write writes.
func (x *exchange) give(write func() error) error {
	x.mu.Lock()
	if x.own || x.hijacked {
		x.mu.Unlock()
		return write()
	}
	x.control.SetWriteDeadline(time.Now().Add(x.timeout))
	x.taking, x.unacked = true, -1
	switch {
	case x.network == nil:
	case x.look == nil:
		x.look = time.AfterFunc(x.timeout/4, x.isTaken)
	default:
		x.look.Reset(x.timeout / 4)
	}
	x.mu.Unlock()
	defer func() {
		x.mu.Lock()
		defer x.mu.Unlock()
		x.taking = false
		if x.shared && !x.own && !x.ending {
			// HTTP/2 ends a stream at the deadline, also one on which nobody writes.
			x.control.SetWriteDeadline(time.Time{})
		}
		if x.look != nil {
			x.look.Stop()
		}
	}()
	return write()
}

// isTaken gives a slow client more time when it has taken something of what the
// kernel holds. Room for more is only there when much of that is gone.
func (x *exchange) isTaken() {
	x.mu.Lock()
	defer x.mu.Unlock()
	if !x.taking || x.own || x.hijacked {
		return
	}
	now := unacked.Bytes(x.network)
	if now < x.unacked {
		x.control.SetWriteDeadline(time.Now().Add(x.timeout))
	}
	x.unacked = now
	x.look.Reset(x.timeout / 4)
}

func (x *exchange) WriteHeader(status int) {
	if status >= 200 {
		x.answering()
	}
	x.give(func() error {
		x.ResponseWriter.WriteHeader(status)
		return nil
	})
}

func (x *exchange) Write(p []byte) (n int, err error) {
	x.answering()
	for first := true; first || len(p) > 0 && err == nil; first = false {
		m := 0
		err = x.give(func() (err error) {
			m, err = x.ResponseWriter.Write(p[:min(len(p), piece)])
			return err
		})
		n, p = n+m, p[m:]
	}
	x.written += n
	return n, err
}

// Flush makes it an http.Flusher.
func (x *exchange) Flush() { _ = x.FlushError() }

// FlushError is for http.ResponseController.
func (x *exchange) FlushError() error {
	x.answering()
	return x.give(x.control.Flush)
}

// Hijack is for http.ResponseController. The caller has the connection then and sees to its
// deadlines.
func (x *exchange) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	c, rw, err := x.control.Hijack()
	if err == nil {
		x.mu.Lock()
		x.hijacked = true
		x.mu.Unlock()
	}
	if g, ok := c.(*gatherer); ok {
		c = g.network
	}
	return c, rw, err
}

// Unwrap is for http.ResponseController.
func (x *exchange) Unwrap() http.ResponseWriter { return x.ResponseWriter }

// close bounds what net/http does after the handler: it throws the rest of the
// body away, and writes the rest of the answer. Between two requests it forgets
// the deadlines itself.
func (x *exchange) close() {
	x.answering()
	if x.written > piece {
		_ = x.FlushError() // while it is watched; what is short stays in one piece
	}
	x.mu.Lock()
	x.ending = true
	x.mu.Unlock()
	x.give(func() error { return nil })
}
