package cli

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"runtime"
	"strings"

	"github.com/aguiws/aguiws/internal/build"
	"github.com/aguiws/aguiws/internal/origin"
	"github.com/aguiws/aguiws/redisstore"
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

// Printf implements the client's logger. A new master is worth a line to
// whoever keeps the servers, and the client tells it from the rest by nothing
// but its text.
func (l redisLog) Printf(ctx context.Context, format string, args ...any) {
	level := slog.LevelDebug
	if strings.HasPrefix(format, "sentinel: new master") {
		level = slog.LevelInfo
	}
	l.Log(ctx, level, "redis client", "message", fmt.Sprintf(format, args...))
}

// introduce says what runs here and on what. It is the first line of the log.
func introduce(log *slog.Logger, s *settings, agents *agentSet) {
	store := "embedded"
	if s.redis != "" {
		store = redisstore.Address(s.redis)
	}
	var upstreams []string
	for i := range agents.upstreams {
		each := &agents.upstreams[i]
		upstreams = append(upstreams, each.Name+"="+each.shownURL())
	}
	log.Info("starting", "version", build.Version(), "go", runtime.Version(), "addr", s.addr, "metricsAddr", s.metricsAddr, "pprofAddr", s.pprofAddr,
		"store", store, "prefix", s.prefix, "auth", s.auth, "agents", strings.Join(agents.names, ","), "agent", agents.byDefault, "upstreams", strings.Join(upstreams, ","))
}

// announce says where to go, which process to end, and what will be lost: to a person, or, where the log
// is for a program, in the log alone.
func announce(w io.Writer, log *slog.Logger, s *settings, agents *agentSet, addr net.Addr, durable bool) {
	scheme := "http"
	if s.tlsCert != "" {
		scheme = "https"
	}
	const volatile = "the store is embedded: suspensions will not survive this process. --redis URL makes them durable"
	if s.logFormat == "json" {
		log.Info("serving", "url", scheme+"://"+addr.String()+"/", "pid", os.Getpid())
		if !durable {
			log.Warn(volatile)
		}
		return
	}
	fmt.Fprintf(w, "aguiws: open %s://%s/ (process %d)\n", scheme, addr, os.Getpid())
	for i := range agents.upstreams {
		each := &agents.upstreams[i]
		fmt.Fprintf(w, "aguiws: in front of %s: %s://%s/agui/%s\n", each.shownURL(), scheme, addr, each.Name)
	}
	if !durable {
		fmt.Fprintln(w, "aguiws: "+volatile)
	}
}

// proxyUnlisted reports whether a proxy must be there that is not listed: on a loopback
// address nobody else can use another name.
func (s *settings) proxyUnlisted() bool {
	return s.onLoopback() && len(s.hosts) > 0 && len(s.proxies) == 0
}

// onLoopback reports whether this machine alone reaches addr.
func (s *settings) onLoopback() bool {
	host, _, _ := net.SplitHostPort(s.addr)
	return origin.Loopback(host)
}

// warnOfProxy says that a proxy is not listed. The server sees later what a proxy says for
// itself.
func (s *settings) warnOfProxy(log *slog.Logger) {
	if s.proxyUnlisted() {
		log.Warn("hosts are served on a loopback address, so a proxy is in front of it, and it is not listed: its clients have no limits by address", "setting", "--trusted-proxies 127.0.0.1/32,::1/128")
	}
}
