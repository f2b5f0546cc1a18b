package client

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"time"
)

// Options are how a Client connects and what it keeps. Nil is all defaults.
type Options struct {
	// Token is sent as Authorization: Bearer.
	Token string
	// Header goes with every handshake. A server that knows its users otherwise than by
	// Token refuses a handshake without Origin (origin_required): set the server's address.
	Header http.Header
	// Authorize, called before every handshake, may put a fresh credential into the
	// header. An expired credential is then no reason to stop.
	Authorize func(ctx context.Context, header http.Header) error
	// HTTPClient sends handshakes. Default http.DefaultClient.
	HTTPClient *http.Client
	// ReadLimit is the size of the largest frame that is read, in bytes. Default
	// 64 MiB.
	ReadLimit int64
	// DialTimeout bounds one attempt to connect. Default 10 s.
	DialTimeout time.Duration
	// BackoffMin and BackoffMax bound the random time before an attempt to connect:
	// it is below a bound that doubles from one to the other. Defaults 250 ms, 15 s.
	BackoffMin, BackoffMax time.Duration
	// Buffer is how many updates a subscription holds that nobody has taken. When it
	// is full its thread stands still until half are taken; other threads do not
	// notice. Default 1024.
	Buffer int
	// Window is how many messages of a thread are told when it is followed or told anew, the
	// last ones; 0: all. The view grows as a run goes on and with Thread.Older. A thread
	// that an input made the server tell without being asked is told whole.
	Window int
	// Changed is told when the client is connected, is not, or learns something about
	// the server. It is called by one goroutine, must return soon and must not call
	// Close.
	Changed func(Status)
	// Received sees each frame before the client does, on the same terms.
	Received func(*Frame)
	// Logger gets what is lost, refused and not understood: ids and codes, never a
	// payload or a credential. Default: nothing is logged.
	Logger *slog.Logger
}

// Status is what a client knows of its connection.
type Status struct {
	// Connected: there is a socket, and Err is nil. Otherwise Err is why not.
	Connected bool
	Err       error
	// Stopped: it does not connect again.
	Stopped bool
	// StoreAway: the server's store does not answer. The server can accept and read nothing
	// until it does; what is asked for meanwhile is sent again by itself.
	StoreAway bool
	// Draining: the server is shutting down and will close the socket.
	Draining bool
	Hello
}

func (o *Options) withDefaults() Options {
	d := Options{}
	if o != nil {
		d = *o
	}
	or(&d.DialTimeout, 10*time.Second)
	d.BackoffMin, d.BackoffMax = max(d.BackoffMin, 0), max(d.BackoffMax, 0)
	or(&d.BackoffMin, 250*time.Millisecond)
	or(&d.BackoffMax, 15*time.Second)
	d.Buffer = max(d.Buffer, 0)
	or(&d.Buffer, 1024)
	or(&d.Logger, slog.New(slog.DiscardHandler))
	return d
}

// header is that of the next request.
func (o *Options) header(ctx context.Context) (http.Header, error) {
	header := o.Header.Clone()
	if header == nil {
		header = http.Header{}
	}
	if o.Token != "" {
		header.Set("Authorization", "Bearer "+o.Token)
	}
	if o.Authorize != nil {
		if err := o.Authorize(ctx, header); err != nil {
			return nil, fmt.Errorf("client: authorizing: %w", err)
		}
	}
	return header, nil
}

func or[T comparable](v *T, value T) {
	var zero T
	if *v == zero {
		*v = value
	}
}
