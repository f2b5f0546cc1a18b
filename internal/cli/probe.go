package cli

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/url"
	"time"

	"github.com/google/uuid"

	"github.com/aguiws/aguiws/gateway"
	"github.com/aguiws/aguiws/protocol"
)

const (
	probeTimeout = 2 * time.Minute // some agents take most of one to begin
	probeBytes   = 16 << 20        // of an answer, that are kept
)

// exchange is a request to an upstream, and all that came.
type exchange struct {
	request []byte
	status  int
	kind    string // Content-Type
	to      string // where a redirect leads, without what may be secret; "": it is none
	body    []byte
	first   time.Duration // until the first bytes
	took    time.Duration
	broken  error // what ended the answer before its end
}

// greeting is an input with one message, in a thread of its own.
func greeting(message, version string) []byte {
	in := protocol.RunAgentInput{
		ThreadID: uuid.NewString(), RunID: uuid.NewString(), ProtocolVersion: version,
		State: protocol.Any("{}"), ForwardedProps: protocol.Any("{}"),
		Messages: protocol.Messages{{ID: uuid.NewString(), Role: protocol.RoleUser, Content: protocol.Text(message)}},
	}
	body, err := json.Marshal(in)
	if err != nil {
		panic(fmt.Errorf("cli: a greeting: %w", err)) // it is a literal and texts
	}
	return body
}

// ask sends an input to the upstream as it is, once, and reads the answer as it is.
func (e *upstreamEntry) ask(ctx context.Context, input []byte) (*exchange, error) {
	o, err := e.options(nil)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, e.URL, bytes.NewReader(input))
	if err != nil {
		return nil, errors.New("its URL cannot be asked")
	}
	r.Header = o.Header
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "text/event-stream")
	r.Header.Set("Accept-Encoding", "identity")
	client := plainClient(o)
	defer client.CloseIdleConnections()
	began := time.Now()
	response, err := client.Do(r)
	if err != nil {
		return nil, withoutURL(err)
	}
	defer response.Body.Close()
	x := &exchange{request: input, status: response.StatusCode, kind: response.Header.Get("Content-Type")}
	if to, err := response.Location(); err == nil && x.status >= 300 && x.status < 400 {
		x.to = (&url.URL{Scheme: to.Scheme, Host: to.Host, Path: to.Path, RawPath: to.RawPath}).String()
	}
	var all bytes.Buffer
	piece := make([]byte, 32<<10)
	for all.Len() < probeBytes {
		n, err := response.Body.Read(piece)
		if n > 0 && x.first == 0 {
			x.first = time.Since(began)
		}
		all.Write(piece[:n])
		if err != nil {
			if err != io.EOF {
				x.broken = withoutURL(err)
			}
			break
		}
	}
	if all.Len() >= probeBytes {
		x.broken = fmt.Errorf("more than %d MiB came, and the rest was not read", probeBytes>>20)
	}
	x.body, x.took = all.Bytes(), time.Since(began)
	return x, nil
}

// plainClient goes where it is told to and nowhere else.
func plainClient(o *gateway.Options) *http.Client {
	return &http.Client{
		Transport:     &http.Transport{Proxy: nil, TLSClientConfig: o.TLS, TLSHandshakeTimeout: checkTimeout, DisableKeepAlives: true, DialContext: (&net.Dialer{Timeout: checkTimeout}).DialContext},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// withoutURL is an error of a request without the URL, which may hold a secret.
func withoutURL(err error) error {
	var of *url.Error
	if errors.As(err, &of) {
		return of.Err
	}
	return err
}

// streams reports whether the answer is a stream of events.
func (x *exchange) streams() bool {
	kind, _, _ := mime.ParseMediaType(x.kind)
	return x.status >= 200 && x.status < 300 && kind == "text/event-stream"
}

// forbidsVersion reports whether the gateway would ask again without protocolVersion.
func (x *exchange) forbidsVersion() bool {
	refused := x.status == http.StatusBadRequest || x.status == http.StatusUnprocessableEntity
	return refused && bytes.Contains(x.body, []byte("protocolVersion"))
}

// events are the data of what came.
func (x *exchange) events() (list []json.RawMessage) {
	for block := range bytes.SplitSeq(bytes.ReplaceAll(x.body, []byte("\r\n"), []byte("\n")), []byte("\n\n")) {
		var data []byte
		for line := range bytes.SplitSeq(block, []byte("\n")) {
			if rest, is := bytes.CutPrefix(line, []byte("data:")); is {
				data = append(append(data, bytes.TrimPrefix(rest, []byte(" "))...), '\n')
			}
		}
		if data = bytes.TrimSpace(data); json.Valid(data) {
			list = append(list, data)
		}
	}
	return list
}

// connect opens a connection to the upstream and closes it. It sends no request.
func (e *upstreamEntry) connect(ctx context.Context) error {
	o, err := e.options(nil)
	if err != nil {
		return err
	}
	u, err := e.parseURL()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	at := net.JoinHostPort(u.Hostname(), portOf(u))
	var c net.Conn
	if u.Scheme == "https" {
		c, err = (&tls.Dialer{Config: o.TLS}).DialContext(ctx, "tcp", at)
	} else {
		c, err = (&net.Dialer{}).DialContext(ctx, "tcp", at)
	}
	if err == nil {
		c.Close()
	}
	return err
}
