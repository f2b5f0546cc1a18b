package webhook

import (
	"context"
	"encoding/binary"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
)

func TestAddresses(t *testing.T) {
	for _, ok := range []string{"1.1.1.1", "93.184.216.34", "2606:2800:220:1:248:1893:25c8:1946"} {
		if err := public(netip.MustParseAddr(ok)); err != nil {
			t.Error(err)
		}
	}
	for _, bad := range []string{
		"127.0.0.1", "127.8.9.10", "10.1.2.3", "172.16.0.1", "172.31.255.255", "192.168.1.1", "169.254.169.254", "100.64.0.1", "100.127.255.255",
		"0.0.0.0", "0.1.2.3", "224.0.0.1", "239.255.255.255", "240.0.0.1", "255.255.255.255", "198.18.0.1", "192.0.2.1", "192.0.0.8",
		"::", "::1", "fe80::1", "fe80::1%eth0", "fc00::1", "fd12:3456::1", "ff02::1", "fec0::1",
		"::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:8.8.8.8", "::127.0.0.1", "64:ff9b::7f00:1", "64:ff9b::808:808", "64:ff9b:1::1", "2002:7f00:1::1", "2001:db8::1", "2001::1",
	} {
		if public(netip.MustParseAddr(bad)) == nil {
			t.Errorf("%s passes for an address of the internet", bad)
		}
	}
	for _, bad := range []string{"0.0.0.0", "::", "::ffff:0.0.0.0", "224.0.0.1", "ff02::1", "255.255.255.255"} {
		if single(netip.MustParseAddr(bad)) == nil {
			t.Errorf("%s passes for one host", bad)
		}
	}
}

// dns answers each question by an A record, with what the next address is.
func dns(t *testing.T, next func() netip.Addr) *net.Resolver {
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		buf := make([]byte, 1500)
		for {
			n, from, err := conn.ReadFrom(buf)
			if err != nil {
				return
			}
			question := buf[12:n]
			end := 0
			for question[end] != 0 { // the labels of the name
				end += int(question[end]) + 1
			}
			question = question[:end+5]
			isA := binary.BigEndian.Uint16(question[end+1:]) == 1
			answer := append([]byte{buf[0], buf[1], 0x81, 0x80, 0, 1, 0, 0, 0, 0, 0, 0}, question...)
			if isA {
				answer[7] = 1
				answer = append(answer, 0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4)
				answer = append(answer, next().AsSlice()...)
			}
			_, _ = conn.WriteTo(answer, from)
		}
	}()
	t.Cleanup(func() {
		conn.Close()
		<-ended
	})
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "udp", conn.LocalAddr().String())
	}}
}

// A name that leads into the house is found out at each connection, whatever it led to
// before.
func TestNamesThatLeadInside(t *testing.T) {
	in := install(t)
	var reached [2]atomic.Int32
	listen := func(i int, addr string) *httptest.Server {
		l, err := net.Listen("tcp", addr)
		if err != nil {
			t.Fatal(err)
		}
		s := &httptest.Server{Listener: l, Config: &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			reached[i].Add(1)
			w.Header().Set("Connection", "close")
		})}}
		s.Start()
		t.Cleanup(s.Close)
		return s
	}
	inside := listen(0, "127.0.0.1:0")
	_, port, _ := net.SplitHostPort(inside.Listener.Addr().String())
	listen(1, "127.0.0.2:"+port)
	var asked atomic.Int32
	outside := netip.MustParseAddr("127.0.0.2")
	resolver := dns(t, func() netip.Addr {
		if asked.Add(1) == 1 {
			return outside
		}
		return netip.MustParseAddr("127.0.0.1")
	})
	check := func(ip netip.Addr) error {
		if ip == outside { // which plays the internet
			return nil
		}
		return public(ip)
	}
	n := &node{tries: make(chan Try, 100), log: &buffer{}}
	opts := Options{Poll: time.Millisecond, Resolver: resolver, Observe: func(try Try) { n.tries <- try }}
	target := Target{Name: "crm", URL: "https://hooks.example:" + port, Secrets: []string{secretA}, FromStart: true}
	var err error
	if n.Sender, err = assemble(in.store(), []Target{target}, (&opts).withDefaults(), check); err != nil {
		t.Fatal(err)
	}
	n.lines["crm"].target.URL = "http://hooks.example:" + port // there is no certificate for it
	n.start()
	t.Cleanup(func() { _ = n.Shutdown(context.Background()) })
	in.notice("t1")
	same(t, "the first", in.tried(n).Outcome, Delivered)
	in.notice("t2")
	same(t, "the second, which leads inside", in.tried(n).Outcome, Failed)
	same(t, "reached inside and outside", []int32{reached[0].Load(), reached[1].Load()}, []int32{0, 1})
	same(t, "what waits", in.counts(n, "crm"), store.WebhookCounts{Waiting: 1, Failed: 1})
	if err := n.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	in.move(time.Hour)
	taken, err := n.store.TakeWebhooks(t.Context(), store.WebhookTake{Target: "crm", Limit: 1, Hold: time.Hour})
	if err != nil || len(taken.Webhooks) != 1 {
		t.Fatal(taken, err)
	}
	has(t, "why", taken.Webhooks[0].Tries.Error, "prohibited IP address: 127.0.0.1")
}

// A host that is allowed by name may be anywhere, but not everywhere.
func TestPrivateHosts(t *testing.T) {
	g := &guard{private: []string{"hooks.internal"}, public: public, resolver: dns(t, func() netip.Addr { return netip.MustParseAddr("127.0.0.1") })}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	conn, err := g.dial(t.Context(), "tcp", "HOOKS.internal:"+port)
	if err != nil {
		t.Fatal(err)
	}
	conn.Close()
	for _, host := range []string{"other.internal", "127.0.0.1", "x.hooks.internal"} {
		if conn, err := g.dial(t.Context(), "tcp", net.JoinHostPort(host, port)); err == nil {
			conn.Close()
			t.Errorf("%s is connected to", host)
		}
	}
	g.resolver = dns(t, func() netip.Addr { return netip.MustParseAddr("224.0.0.1") })
	var op *net.OpError
	if _, err := g.dial(t.Context(), "tcp", "hooks.internal:"+port); !errors.As(err, &op) || !strings.Contains(err.Error(), "no one host") {
		t.Errorf("multicast: %v", err)
	}
}
