package client

import (
	"errors"
	"math/rand/v2"
	"net/http"
	"time"

	"github.com/coder/websocket"
)

// live serves one socket after another until the client ends.
func (c *Client) live(s *socket) {
	bound := c.opts.BackoffMin
	for {
		pause := time.Duration(0)
		if s != nil {
			bound = c.opts.BackoffMin
			why := c.serve(s)
			pause = s.away
			if c.over(why) {
				return
			}
		}
		if !c.sleep(max(pause, rand.N(bound))) {
			return
		}
		bound = min(2*bound, c.opts.BackoffMax)
		var err error
		if s, err = c.connect(c.ctx); err != nil {
			s = nil
			if c.over(err) {
				return
			}
			var refused *RefusedError
			if errors.As(err, &refused) && refused.RetryAfter > 0 && !c.sleep(refused.RetryAfter) {
				return
			}
		}
	}
}

// over notes that there is no socket, and reports whether there will be none.
func (c *Client) over(why error) bool {
	stopped := c.stops(why)
	c.mu.Lock()
	if c.err == nil && stopped != nil {
		c.end(stopped)
	}
	over := c.err != nil
	if over {
		why = c.err
	}
	c.mu.Unlock()
	c.opts.Logger.Info("not connected", "error", why)
	c.tell(func(s *Status) { *s = Status{Err: why, Stopped: over, Hello: s.Hello} })
	return over
}

// stops is why there is no use in connecting again; nil if there is.
func (c *Client) stops(why error) error {
	var refused *RefusedError
	if errors.As(why, &refused) {
		fresh := refused.Status == http.StatusUnauthorized && c.opts.Authorize != nil
		if refused.passes() || fresh {
			return nil
		}
		return &StoppedError{Err: why}
	}
	if errors.Is(why, websocket.ErrMessageTooBig) {
		return &StoppedError{Err: why} // it would come again
	}
	switch code, _ := CloseCode(why); code {
	case 4401:
		if c.opts.Authorize != nil {
			return nil
		}
		fallthrough
	case 1003, 1007, 1009, 4400:
		return &StoppedError{Code: code, Err: why}
	}
	return nil
}

func (c *Client) sleep(d time.Duration) bool {
	pause := time.NewTimer(d)
	defer pause.Stop()
	select {
	case <-pause.C:
		return true
	case <-c.ctx.Done():
		return false
	}
}
