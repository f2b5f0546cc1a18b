package cli

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/pprof"
	"strings"
	"sync"
	"time"

	"github.com/aguiws/aguiws/server"
)

// listen opens the server's own listener, with TLS where there is a
// certificate.
func listen(srv *server.Server, s *settings, id *access) (net.Listener, error) {
	l, err := srv.Listen(s.addr)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.named("addr"), err)
	}
	if id.certificate.Load() == nil {
		return l, nil
	}
	return tls.NewListener(l, &tls.Config{
		MinVersion: tls.VersionTLS12,
		NextProtos: []string{"http/1.1"}, // WebSockets need it
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) {
			return id.certificate.Load(), nil
		},
	}), nil
}

// aside is what is served to the operator, on listeners of its own.
type aside struct {
	log     *slog.Logger
	servers []*http.Server
	serving sync.WaitGroup
}

// startAside opens the listeners that the settings ask for. The caller stops
// them.
func startAside(s *settings, srv *server.Server, log *slog.Logger) (*aside, error) {
	a := &aside{log: log}
	for _, each := range []struct {
		name, addr string
		handler    http.Handler
	}{{"metrics-addr", s.metricsAddr, srv.Probes()}, {"pprof-addr", s.pprofAddr, profiles()}} {
		if each.addr == "" {
			continue
		}
		l, err := net.Listen("tcp", each.addr)
		if err != nil {
			a.stop()
			return nil, fmt.Errorf("%s: %w", s.named(each.name), err)
		}
		a.serve(l, each.handler)
		log.Info("serving aside", "setting", each.name, "addr", l.Addr().String())
	}
	return a, nil
}

func (a *aside) serve(l net.Listener, handler http.Handler) {
	h := server.Aside(handler, a.log)
	a.servers = append(a.servers, h)
	a.serving.Go(func() {
		if err := h.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			a.log.Error("serving aside failed", "error", err)
		}
	})
}

func (a *aside) stop() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	for _, h := range a.servers {
		if h.Shutdown(ctx) != nil {
			h.Close() // a profile is being taken
		}
	}
	a.serving.Wait()
}

// profiles serves net/http/pprof to this machine. The Host is looked at, so
// that no page whose name was pointed here can read the memory.
func profiles() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/debug/pprof/", pprof.Index)
	mux.HandleFunc("/debug/pprof/cmdline", pprof.Cmdline)
	mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("/debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("/debug/pprof/trace", pprof.Trace)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host := r.Host
		if h, _, err := net.SplitHostPort(host); err == nil {
			host = h
		}
		if ip := net.ParseIP(strings.Trim(host, "[]")); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
			http.Error(w, "this address serves the machine itself only: use localhost", http.StatusForbidden)
			return
		}
		mux.ServeHTTP(w, r)
	})
}
