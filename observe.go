package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"net/http/pprof"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/redisstore"
	"github.com/aguiws/aguiws/server"
)

func newLogger(s *settings, w io.Writer) *slog.Logger {
	var level slog.Level
	_ = level.UnmarshalText([]byte(s.logLevel)) // one of four
	options := &slog.HandlerOptions{Level: level}
	if s.logFormat == "json" {
		return slog.New(slog.NewJSONHandler(w, options))
	}
	return slog.New(slog.NewTextHandler(w, options))
}

// redisLog has the Redis client's own messages. Most are about connections, and
// what a connection meets is said by the call that met it.
type redisLog struct{ *slog.Logger }

// Printf implements the client's logger.
func (l redisLog) Printf(ctx context.Context, format string, args ...any) {
	level := slog.LevelDebug
	if strings.HasPrefix(format, "sentinel: new master") {
		level = slog.LevelInfo
	}
	l.Log(ctx, level, "redis client", "message", fmt.Sprintf(format, args...))
}

// introduce says what runs here and on what. It is the first line of the log.
func introduce(log *slog.Logger, s *settings, agents map[string]adapter.Agent) {
	store := "embedded"
	if s.redis != "" {
		store = redisstore.Address(s.redis)
	}
	names := slices.DeleteFunc(slices.Sorted(maps.Keys(agents)), func(name string) bool { return name == "" })
	log.Info("starting", "version", version(), "go", runtime.Version(), "addr", s.addr, "metricsAddr", s.metricsAddr, "pprofAddr", s.pprofAddr,
		"store", store, "prefix", s.prefix, "auth", s.auth, "agents", strings.Join(names, ","), "agent", s.agent)
}

// announce says where to go and what will be lost: to a person, or, where the log
// is for a program, in the log alone.
func announce(w io.Writer, log *slog.Logger, s *settings, addr net.Addr, durable bool) {
	scheme := "http"
	if s.tlsCert != "" {
		scheme = "https"
	}
	const volatile = "the store is embedded: suspensions will not survive this process. --redis URL makes them durable"
	if s.logFormat == "json" {
		log.Info("serving", "url", scheme+"://"+addr.String()+"/")
		if !durable {
			log.Warn(volatile)
		}
		return
	}
	fmt.Fprintf(w, "aguiws: open %s://%s/\n", scheme, addr)
	if !durable {
		fmt.Fprintln(w, "aguiws: "+volatile)
	}
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
	h := &http.Server{Handler: handler, ReadHeaderTimeout: 5 * time.Second, IdleTimeout: time.Minute, MaxHeaderBytes: 16 << 10,
		ErrorLog: slog.NewLogLogger(a.log.Handler(), slog.LevelWarn)}
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
			http.Error(w, "this is for the machine that it runs on", http.StatusForbidden)
			return
		}
		mux.ServeHTTP(w, r)
	})
}
