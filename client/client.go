package client

import (
	"context"
	"strconv"
	"sync"
	"time"

	"github.com/coder/websocket"
)

// Client is a connection to a server that outlives its sockets.
type Client struct {
	url    string
	opts   Options
	ctx    context.Context // ends with Close
	cancel context.CancelFunc
	wg     sync.WaitGroup

	mu      sync.Mutex
	status  Status
	socket  *socket                 // nil while there is none
	threads map[string]*Thread      // that are followed
	answers map[string]func(*Frame) // by the frame that they answer, on this socket
	frames  int                     // sent, for their ids
	timers  map[*time.Timer]struct{}
	changed chan struct{} // closed and replaced when something has changed
	err     error         // why nothing more will come
}

// Dial connects to the server at url, .../agui/ws or .../agui/{agent}/ws, and
// returns when it has presented itself. The first attempt is the only one; what goes
// wrong later is tried again. ctx bounds the attempt, not the client.
func Dial(ctx context.Context, url string, opts *Options) (*Client, error) {
	c := &Client{
		url: url, opts: opts.withDefaults(), threads: map[string]*Thread{}, answers: map[string]func(*Frame){},
		timers: map[*time.Timer]struct{}{}, changed: make(chan struct{}),
	}
	s, err := c.connect(ctx)
	if err != nil {
		return nil, err
	}
	c.status = Status{Connected: true, Hello: s.hello}
	c.ctx, c.cancel = context.WithCancel(context.WithoutCancel(ctx))
	c.wg.Go(func() { c.live(s) })
	return c, nil
}

// Close ends the client, its threads and their runs' handles. The runs themselves go
// on. It waits for the client's goroutines, and up to ten seconds for a server that
// does not close its end. A second call does nothing.
func (c *Client) Close() {
	c.mu.Lock()
	c.end(ErrClosed)
	for t := range c.timers {
		if t.Stop() {
			c.wg.Done()
		}
		delete(c.timers, t)
	}
	s := c.socket
	c.mu.Unlock()
	if s != nil {
		s.Close(websocket.StatusNormalClosure, "")
	}
	c.cancel()
	c.wg.Wait()
}

// Status is what is known of the connection.
func (c *Client) Status() Status {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.status
}

// end makes all that waits fail. The lock is held.
func (c *Client) end(why error) {
	if c.err != nil {
		return
	}
	c.err = why
	for _, t := range c.threads {
		t.fail(why)
	}
	c.change()
}

// later calls f, with the lock held, unless the client is closed before. The lock is
// held.
func (c *Client) later(after time.Duration, f func()) {
	if c.err != nil {
		return
	}
	c.wg.Add(1)
	var t *time.Timer
	t = time.AfterFunc(after, func() {
		defer c.wg.Done()
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.timers, t)
		if c.err == nil {
			f()
			c.change()
		}
	})
	c.timers[t] = struct{}{}
}

// tell changes the status and says so. It belongs to the client's goroutine.
func (c *Client) tell(change func(*Status)) {
	c.mu.Lock()
	change(&c.status)
	now := c.status
	c.change()
	c.mu.Unlock()
	if c.opts.Changed != nil {
		c.opts.Changed(now)
	}
}

// change wakes who waits for something. The lock is held.
func (c *Client) change() {
	close(c.changed)
	c.changed = make(chan struct{})
}

// await waits until ok, called with the lock held, says so or fails.
func (c *Client) await(ctx context.Context, ok func() (bool, error)) error {
	for {
		c.mu.Lock()
		done, err := ok()
		changed := c.changed
		c.mu.Unlock()
		if done || err != nil {
			return err
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// ask sends a frame, {"id":…,"type":kind,…}, whose answer goes to answer; nothing does
// if the socket is lost. It returns the id. The lock is held.
func (c *Client) ask(kind string, members map[string]any, answer func(*Frame)) (id string) {
	id = c.id()
	members["id"], members["type"] = id, kind
	c.answers[id] = answer
	c.send(encode(members))
	return id
}

func (c *Client) id() string {
	c.frames++
	return "f" + strconv.Itoa(c.frames)
}
