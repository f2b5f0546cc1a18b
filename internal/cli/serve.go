package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
	"go.opentelemetry.io/otel/trace"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/runner"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/internal/origin"
	"github.com/aguiws/aguiws/redisstore"
	"github.com/aguiws/aguiws/server"
	"github.com/aguiws/aguiws/server/identity"
	"github.com/aguiws/aguiws/server/login"
	"github.com/aguiws/aguiws/server/metrics"
	"github.com/aguiws/aguiws/server/webhook"
	"github.com/aguiws/aguiws/web"
)

// serve wires the parts together, listens until ctx has ended, and drains.
func serve(ctx context.Context, s *settings, log *slog.Logger, stdout io.Writer) error {
	m := metrics.New()
	agents, err := newAgents(s, m, log)
	if err != nil {
		return err
	}
	defer shut(agents.close, s)
	introduce(log, s, agents)
	s.warnOfStrays(log)
	s.warnOfProxy(log)
	slog.SetDefault(log) // and with it what libraries say by package log
	redis.SetLogger(redisLog{log})
	access, noAccess := newAccess(s)
	targets, noTargets := s.targets()
	_, noSignIn := newSignIn(s, log)
	if err := errors.Join(noAccess, noTargets, noSignIn); err != nil {
		return err
	}
	store, err := openStore(ctx, s, log)
	if err != nil {
		return err
	}
	defer store.Close()
	logins, signIn, err := newAccounts(s, store, m.Login, log)
	if err != nil {
		return err
	}
	s.explainMode(log, store.Durable())
	traces, flush := s.traces.provider(ctx, log)
	defer flush()
	runs, err := runner.New(m.Store(store), s.runnerOptions(agents, logins, traces, log))
	if err != nil {
		return err
	}
	defer shut(runs.Shutdown, s)
	hooks, err := webhook.New(store, targets, &webhook.Options{PrivateHosts: s.privateHosts(), PublicURL: s.pageAddress(), Observe: m.Webhook, Logger: log})
	if err != nil {
		return err
	}
	defer shut(hooks.Shutdown, s)
	options := s.serverOptions(access.auth, agents, store, m, log)
	options.Webhooks, options.Logins, options.SignIn = hooks, logins, signIn
	srv, err := server.New(runs, options)
	if err != nil {
		return err
	}
	drained := sync.OnceFunc(func() { shut(srv.Shutdown, s) })
	defer drained()
	listener, err := listen(srv, s, access)
	if err != nil {
		return err
	}
	aside, err := startAside(s, srv, log)
	if err != nil {
		listener.Close()
		return err
	}
	defer aside.stop()
	defer access.watch(log)()
	access.warm(ctx, log)
	announce(stdout, log, s, agents, listener.Addr(), store.Durable())

	served := make(chan error, 1)
	go func() { served <- srv.Serve(listener) }()
	sayWhatWaits(ctx, log, store)
	select {
	case err := <-served:
		return err
	case <-ctx.Done():
	}
	log.Info("draining", "timeout", s.drain.String())
	var hooked sync.WaitGroup
	hooked.Go(func() { shut(hooks.Shutdown, s) })
	drained()
	hooked.Wait()
	return errors.Join(err, <-served)
}

// runnerOptions are the options of the runner that carries the agents.
func (s *settings) runnerOptions(agents *agentSet, logins *login.Service, traces trace.TracerProvider, log *slog.Logger) *runner.Options {
	return &runner.Options{
		Traces: traces,
		Logins: agentLogins(logins), PublicURL: s.publicAddress(),
		Agents: agents.byName, Default: agents.byDefault, HeadersBy: agents.headersBy(), Lease: s.lease, Busy: s.busyPolicy(), Mode: s.runMode(), MaxQueueBytes: 4 * s.maxFrame, MaxStateBytes: s.maxFrame + s.maxFrame/16,
		RunTimeout: orNever(s.runTimeout), MaxPark: orNever(s.maxPark), Linger: orNever(s.linger), SeparateDuties: s.separateDuties, MaxRuns: s.maxRuns, MaxThreadBytes: s.threadBytes, ThreadCache: threadCache(s.limitMemory()),
		PayloadsFrom:   s.payloadsFrom,
		MaxRunsPerUser: s.runsPerUser, MaxRunsPerTenant: s.runsPerTenant, MaxThreadsPerUser: s.threadsPerUser, MaxInputs: s.inputs, InputBurst: max(s.inputs/2, 1),
		OnExpiry: adapter.ExpiryPolicy(s.onExpiry), UnansweredBy: s.unansweredBy(agents), Redact: s.redact, RedactLists: s.redactLists, NoticeSummaries: s.noticeSummaries, Logger: log, Hook: crashHook(s.crashAt),
	}
}

func openStore(ctx context.Context, s *settings, log *slog.Logger) (*redisstore.Store, error) {
	options := s.storeOptions(log)
	if s.redis == "" {
		return redisstore.Embedded(options)
	}
	store, err := redisstore.Open(ctx, s.redis, options)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.named("redis"), err)
	}
	return store, nil
}

func (s *settings) busyPolicy() runner.BusyPolicy {
	if s.busy == "queue" {
		return runner.BusyQueue
	}
	return runner.BusyPolicy(s.busy)
}

// orNever is a time that is none where it is 0.
func orNever(d time.Duration) time.Duration {
	if d == 0 {
		return -1
	}
	return d
}

func (s *settings) runMode() runner.Mode {
	if s.mode == "auto" {
		return runner.ModeAuto
	}
	return runner.Mode(s.mode)
}

// sayWhatWaits says what a store that outlives the process has for people, for workers and
// for operators.
func sayWhatWaits(ctx context.Context, log *slog.Logger, st *redisstore.Store) {
	if !st.Durable() {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	open, err := store.OpenQuestions(ctx, st)
	if err != nil {
		log.Warn("the store does not say what waits", "error", err)
		return
	}
	dispatches, err := st.CountDispatches(ctx)
	if err != nil {
		log.Warn("the store does not say what waits", "error", err)
		return
	}
	oldest := ""
	if open.Threads > 0 {
		oldest = open.Since.UTC().Format(time.RFC3339)
	}
	log.Info("what waits", "questions", open.Threads, "oldest", oldest, "queued", dispatches[store.DispatchQueued], "running", dispatches[store.DispatchClaimed], "dead", dispatches[store.DispatchDeadLetter])
}

// explainMode says how executions go on behind a question, or a worker that was lost.
func (s *settings) explainMode(log *slog.Logger, durable bool) {
	chosen, why := s.runMode().Chosen(durable)
	log.Info("executions go on", "mode", s.mode, "chosen", cmp.Or(string(chosen), "replay"), "why", why)
}

func (s *settings) storeOptions(log *slog.Logger) *redisstore.Options {
	return &redisstore.Options{Prefix: s.prefix, Lease: s.lease, Logger: log, Strict: s.strict, WaitReplicas: s.waitReplicas,
		RetainBytes: int(s.retainBytes), RetainAge: s.retainAge, ThreadTTL: s.retainThreads,
		NoticeAge: s.noticeAge, Keep: s.keepRuns, KeepDecisions: s.keepDecisions}
}

// serverOptions are what the settings say of the server.
func (s *settings) serverOptions(auth identity.Authenticator, agents *agentSet, st *redisstore.Store, m *metrics.Metrics, log *slog.Logger) *server.Options {
	hosts, origins := s.ownAddress()
	public, _ := origin.ParsePublic(s.publicAddress()) // validated
	return &server.Options{
		Auth: auth, Hosts: append(hosts, s.hosts...), Origins: append(origins, s.origins...), TrustedProxies: s.proxies, Agents: agents.names,
		PassHeaders: append(agents.passHeaders(), s.traces.headers()...), Identities: agents.identities, Multimodal: agents.multimodal, Capabilities: agents.capabilities,
		Base:     public.Base,
		Fallback: web.HandlerFor(web.Options{Base: public.Base, Keep: "--redis URL keeps them.", SignIn: s.hasSignIn()}), Store: st, Metrics: m, Logger: log,
		Ready: func(ctx context.Context) error {
			err := st.Ready(ctx)
			if errors.Is(err, store.ErrPartial) {
				return nil // the others could not do more
			}
			return err
		},
		OnDisconnect:  s.onDisconnect,
		MaxFrameBytes: s.maxFrame, HeldBytes: s.held, MemoryLimit: s.limitMemory(),
		Sockets: s.sockets, SocketsPerUser: s.socketsPerUser, SocketsPerAddress: s.socketsPerAddr,
		RequestsPerUser: float64(s.requestsPerUser), RequestsPerAddress: float64(s.requestsPerAddr),
		InputsPerMinute: float64(s.inputs),
	}
}

// shut runs one shutdown within the drain timeout.
func shut(shutdown func(context.Context) error, s *settings) {
	ctx, cancel := context.WithTimeout(context.Background(), s.drain)
	defer cancel()
	_ = shutdown(ctx) // what did not finish in time was handed back
}
