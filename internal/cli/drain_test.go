package cli

import (
	"io"
	"net"
	"net/http"
	"testing"
	"time"
)

// Connections that somebody holds open, wherever they have stopped, do not hold the
// command up that is told to end.
func TestHeldConnectionsDelayNoDrain(t *testing.T) {
	const ask = " HTTP/1.1\r\nHost: 127.0.0.1\r\n"
	c := start(t, env(), "--metrics-addr", "127.0.0.1:0", "--pprof-addr", "127.0.0.1:0", "--drain-timeout", "1m")
	for _, addr := range []string{c.addr, c.aside("metrics-addr"), c.aside("pprof-addr")} {
		for _, sent := range []string{
			"", "GET / HTTP/1.1\r\nHost: 127", "GET /healthz" + ask + "\r\n", "POST /" + ask + "Content-Length: 9\r\n\r\n",
			"POST /agui" + ask + "Content-Type: application/json\r\nContent-Length: 9\r\n\r\n",
			"POST /agui" + ask + "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab",
		} {
			conn, err := net.Dial("tcp", addr)
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			if _, err := io.WriteString(conn, sent); err != nil {
				t.Fatal(err)
			}
		}
	}
	// The server has come to all of them when it answers who comes last.
	if status, body := get(t, http.DefaultClient, "http://"+c.addr+"/healthz", ""); status != 200 {
		t.Fatal(status, body)
	}
	began := time.Now()
	c.end()
	if took := time.Since(began); took > patience {
		t.Errorf("it took %v", took)
	}
}
