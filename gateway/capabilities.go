package gateway

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/aguiws/aguiws/protocol"
)

const (
	capabilitiesFresh   = 5 * time.Minute
	capabilitiesRetry   = 30 * time.Second
	capabilitiesTimeout = 5 * time.Second
	maxCapabilities     = 1 << 20
)

// capabilityCache keeps what an agent declared, or that it did not.
type capabilityCache struct {
	u *Upstream

	mu      sync.Mutex
	asking  chan struct{} // closed when who asks is done; nil: nobody does
	known   *protocol.AgentCapabilities
	err     error
	expires time.Time
}

// Capabilities are what the agent declares about itself; nil: nothing. They are asked for
// once in five minutes, and half a minute after a failure, by one caller for all. The
// caller must not change what is returned.
func (u *Upstream) Capabilities(ctx context.Context) (*protocol.AgentCapabilities, error) {
	c := &u.asked
	for {
		c.mu.Lock()
		if time.Now().Before(c.expires) {
			defer c.mu.Unlock()
			return c.known, c.err
		}
		asking := c.asking
		if asking == nil {
			asking = make(chan struct{})
			if !u.later(func() { c.ask(asking) }) {
				c.mu.Unlock()
				return nil, errors.New("gateway: the upstream is closed")
			}
			c.asking = asking
		}
		c.mu.Unlock()
		select {
		case <-asking:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

func (c *capabilityCache) ask(done chan struct{}) {
	ctx, cancel := context.WithTimeout(context.Background(), capabilitiesTimeout)
	defer cancel()
	known, err := c.u.fetchCapabilities(ctx)
	fresh := capabilitiesFresh
	if err != nil {
		fresh = capabilitiesRetry
		c.u.options.Logger.Warn("the agent's capabilities are not known", "upstream", c.u.options.Name, "error", err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.known, c.err, c.expires, c.asking = known, err, time.Now().Add(fresh), nil
	close(done)
}

func (u *Upstream) fetchCapabilities(ctx context.Context) (*protocol.AgentCapabilities, error) {
	response, err := u.ask(ctx, http.MethodGet, u.options.CapabilitiesURL, u.options.Header, nil)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	switch response.StatusCode {
	case http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusNotImplemented, http.StatusNoContent:
		return nil, nil
	case http.StatusOK:
	default:
		return nil, fmt.Errorf("gateway: capabilities: the agent answered %d", response.StatusCode)
	}
	text, err := io.ReadAll(io.LimitReader(response.Body, maxCapabilities+1))
	if err != nil {
		return nil, err
	}
	if len(text) > maxCapabilities {
		return nil, fmt.Errorf("gateway: the capabilities are larger than %d bytes", maxCapabilities)
	}
	known := new(protocol.AgentCapabilities)
	if err := known.UnmarshalJSON(text); err != nil {
		return nil, fmt.Errorf("gateway: capabilities: %w", err)
	}
	return known, nil
}
