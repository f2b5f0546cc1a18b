package cli

import (
	"net/netip"
	"time"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/llm"
	"github.com/aguiws/aguiws/server"
	"github.com/aguiws/aguiws/server/identity"
	"github.com/aguiws/aguiws/server/signin"
)

// settings is everything that can be set.
type settings struct {
	command      string   // serve, dev, check, record, show, erase or version
	agentCommand []string // that dev starts
	recording    recording
	checking     checking
	showing      store.ThreadKey // what show is asked for
	erasing      erasing

	addr, tlsCert, tlsKey string
	hosts, origins        []string
	proxies               []netip.Prefix

	redis, prefix string
	lease         time.Duration
	strict        bool
	waitReplicas  int

	retainBytes                                int64
	retainAge, retainThreads                   time.Duration
	noticeAge, keepRuns, keepDecisions         time.Duration
	redact, redactLists                        []adapter.Redaction
	runTimeout, maxPark, linger                time.Duration
	separateDuties                             bool
	noticeSummaries                            bool
	maxRuns                                    int
	threadBytes                                int64
	payloadsFrom                               int64
	runsPerUser, runsPerTenant, threadsPerUser int

	agent, effects, busy, mode, onExpiry string
	model                                modelSettings
	unanswered                           policies

	auth      string
	tokens    []identity.Token
	tokenFile string
	jwt       jwtSettings
	signIn    signInSettings

	webhooks       []webhookTarget
	webhookPrivate []string
	logins         []providerEntry
	loginKeys      string
	publicURL      string

	upstream, upstreams []upstreamEntry // of flags, and of the list

	onDisconnect map[string]server.Disconnect

	maxFrame, held                          int64
	sockets, socketsPerUser, socketsPerAddr int
	requestsPerUser, requestsPerAddr        int
	inputs                                  int

	logFormat, logLevel    string
	metricsAddr, pprofAddr string
	memoryLimit            int64
	drain                  time.Duration
	crashAt                string
	from                   map[string]string // where a setting was set, as errors call it
	strays                 []stray           // of the environment
	traces                 traceSettings     // of the environment
}

type jwtSettings struct {
	keySet, issuer, audience       string
	user, tenant, namespace, scope string
}

type signInSettings struct {
	issuer, clientID, secretFile string
	scopes                       []string
	lifetime                     time.Duration
}

// newSettings returns the defaults.
func newSettings() *settings {
	return &settings{
		command: "serve", showing: store.ThreadKey{Namespace: "local"}, erasing: erasing{tenant: "default"}, recording: recording{message: checkMessage, out: "recording"}, addr: "127.0.0.1:8080", prefix: "aguiws", lease: 10 * time.Second,
		retainBytes: 8 << 20, retainAge: 7 * 24 * time.Hour,
		noticeAge: 7 * 24 * time.Hour, keepRuns: 30 * 24 * time.Hour, keepDecisions: 365 * 24 * time.Hour,
		runTimeout: 6 * time.Hour, maxPark: 30 * 24 * time.Hour, linger: 5 * time.Millisecond, maxRuns: 10_000, threadBytes: 64 << 20, runsPerUser: 50, runsPerTenant: 10_000, threadsPerUser: 10_000, agent: "script", busy: "queue", mode: "auto", onExpiry: "keep", unanswered: policies{common: "refuse"}, auth: "none",
		jwt:          jwtSettings{user: "sub", scope: "scope"},
		signIn:       signInSettings{scopes: []string{"profile", "email"}, lifetime: signin.DefaultLifetime},
		model:        modelSettings{url: llm.DefaultURL},
		onDisconnect: server.DisconnectDefaults(),
		maxFrame:     4 << 20, held: 256 << 20,
		sockets: 10_000, socketsPerUser: 64, socketsPerAddr: 256,
		requestsPerUser: 50, requestsPerAddr: 100, inputs: 120,
		logFormat: "text", logLevel: "info", drain: 20 * time.Second,
		from: map[string]string{},
	}
}

// The groups of settings, in the order of the usage.
var groups = []string{"Serving", "Upstreams", "The store", "Runs", "Identity", "Logins", "Webhooks", "Limits", "Operations"}

// forShow lists what show alone can be told.
func (s *settings) forShow() []setting {
	return []setting{
		{"namespace", "Showing", textValue{&s.showing.Namespace, "name"}, "namespace of the thread, which the log and `/v1` tell. Without authentication it is local"},
	}
}

// table lists the settings. Flags, environment, configuration file, usage and
// the tables of docs/configuration.md are all made from it, or held to it by a test.
func (s *settings) table() []setting {
	return []setting{
		{"addr", "Serving", textValue{&s.addr, "address"}, "address to listen on. It must be a loopback one with `--auth none`"},
		{"hosts", "Serving", listValue{&s.hosts, "names"}, "names of the server besides the loopback ones. A request by another name is refused"},
		{"origins", "Serving", originsValue{&s.origins}, "origins of pages that may use the server besides its own, such as `https://app.example.com`. `http://localhost:*` is any port, and the names of loopback are one. If a proxy ends TLS, the server's own origin belongs here. If the list is empty, every page that this machine serves on a loopback address may use a server with `--auth none`"},
		{"tls-cert", "Serving", textValue{&s.tlsCert, "file"}, "certificate chain in PEM; serves https and wss. SIGHUP reads it again"},
		{"tls-key", "Serving", textValue{&s.tlsKey, "file"}, "the certificate's key in PEM"},
		{"trusted-proxies", "Serving", parsedValue[netip.Prefix]{&s.proxies, parsePrefix, "networks"}, "addresses or networks of proxies, such as `10.0.0.5`, whose X-Forwarded-For is believed, for limits by address. Forwarded is not read"},

		{"upstream", "Upstreams", upstreamValue{&s.upstream}, "an agent that another server serves as AG-UI over HTTP: `http://localhost:8000/agui`, or `weather=http://…` with a name, or `weather=langgraph+http://…` with a [dialect](docs/frameworks.md#agents), which is found out otherwise. Members of one word may stand behind a `#`: `http://…#max-event=32MiB&history=new`. Repeat the flag, or use commas, for several. Each is served under `/agui/` and its name, one without a name as `agent`. The first is served under `/agui` too, unless `agent` names another"},
		{"upstreams", "Upstreams", entriesValue[upstreamEntry]{&s.upstreams, upstreamEntries}, "upstreams in YAML or JSON, with all their members: `[{name: weather, url: https://…, headers: {Authorization: Bearer …}, idempotent: true}]`. The [gateway](docs/gateway.md#what-an-upstream-has) page lists the members. Other users of the machine can read command lines: prefer the configuration file, or header-files in place of headers"},

		{"redis", "The store", textValue{&s.redis, "URL"}, "`redis://host:6379/0`, `rediss://`, `unix:///path`, `redis+sentinel://host,host/master` or `redis+cluster://host,host`. If it is empty, the store is embedded and dies with the process"},
		{"redis-prefix", "The store", textValue{&s.prefix, "name"}, "the beginning of all keys. Servers with the same prefix share their threads"},
		{"strict-durability", "The store", switchValue{&s.strict}, "refuse a Redis whose settings may lose what it acknowledged. With `appendfsync everysec` (Redis's default) a power cut may still forget the last second; take `appendfsync always`, or `wait-replicas`"},
		{"wait-replicas", "The store", numberValue{&s.waitReplicas, 0, 100}, "how many replicas must have a write before it is acknowledged and before it has effects"},
		{"lease", "The store", durationValue{&s.lease, 100 * time.Millisecond, time.Hour}, "how long a worker may be silent before another server takes its run over. Set the same on all servers"},
		{"retain-bytes", "The store", bytesValue{&s.retainBytes, 1 << 10}, "how large a thread's log may be, which is kept for clients that come back. It has 10,000 events at most, and never fewer than since the thread's snapshot, which a run moves every 512 KiB"},
		{"retain-age", "The store", durationValue{&s.retainAge, time.Second, 0}, "how old the events of a log may be"},
		{"retain-threads", "The store", durationValue{&s.retainThreads, 0, 0}, "how long a thread is kept in which nothing goes on, or that was made and not used. 0s is for ever"},
		{"notice-age", "The store", durationValue{&s.noticeAge, time.Minute, 0}, "how long notices are kept, roughly, for programs that read `/v1/notices` and for webhooks. Set the same on all servers"},
		{"keep-runs", "The store", durationValue{&s.keepRuns, time.Minute, 0}, "how long the server knows runs that have ended, dead ones too, and which input or answer it has had: later it takes the same one for a new one. The time begins with each run of the thread, and again when the run ends, so it must be longer than `run-timeout`. Set the same on all servers"},
		{"keep-decisions", "The store", durationValue{&s.keepDecisions, time.Minute, 0}, "how long the decision record keeps a decision, also of a thread that was deleted. Set the same on all servers"},
		{"redact", "The store", parsedValue[adapter.Redaction]{&s.redact, adapter.ParseRedaction, "rules"}, "values that the decision record does not keep, and followers are not told with answers. Each is a JSON pointer into the arguments of calls and into answers: `pay:/card/number` for one tool, `/password` for all. The record still has the SHA-256 of all the arguments"},
		{"redact-lists", "The store", parsedValue[adapter.Redaction]{&s.redactLists, adapter.ParseRedaction, "rules"}, "values that `/v1/inbox` and the page's inbox do not show of a call's arguments, written as for `redact`. A person who opens the question, or follows its thread, sees them. Notices and webhooks hold no arguments without `notice-summaries`"},
		{"notice-summaries", "The store", switchValue{&s.noticeSummaries}, "notices and webhooks of new questions show the beginning of the message, the tool, and the beginning of its arguments without the values of `redact-lists`"},

		{"agent", "Runs", textValue{&s.agent, "name"}, "agent that answers under `/agui`. When it is not set and there are upstreams, the first of them answers"},
		{"effects", "Runs", textValue{&s.effects, "file"}, "file to which the script agent and the assistant append a line for each effect"},
		{"model", "Runs", textValue{&s.model.name, "name"}, "model of the agent `assistant`. That agent is served under `/agui/assistant`, and with `--agent assistant` under `/agui` too"},
		{"model-url", "Runs", textValue{&s.model.url, "URL"}, "endpoint of the model, any with OpenAI's chat completions, such as `http://127.0.0.1:11434/v1` for Ollama. `AGUIWS_MODEL_KEY` holds its key; `OPENAI_API_KEY` goes to OpenAI alone"},
		{"busy", "Runs", choiceValue{&s.busy, []string{"queue", "reject", "supersede"}}, "an input while a run is active waits, is refused, or ends the others"},
		{"mode", "Runs", choiceValue{&s.mode, []string{"auto", "durable", "blocking"}}, "durable refuses a store that dies with the process. Blocking keeps agents waiting in memory instead of calling them again, on one server"},
		{"on-expiry", "Runs", choiceValue{&s.onExpiry, []string{"keep", "cancel", "fail"}}, "an interrupt that expires stays open, is cancelled, or fails its execution"},
		{"max-park", "Runs", durationValue{&s.maxPark, 0, 0}, "how long a question waits that the agent gave no time to. It has expired then, and can still be cancelled while it is open, by a new message too. 0s is for ever"},
		{"unanswered", "Runs", policiesValue{&s.unanswered, []string{"refuse", "cancel"}}, "a new message that answers none of the open questions is refused, or cancels them and is answered. `script=cancel` is for the inputs of one agent"},
		{"on-disconnect", "Runs", disconnectValue{&s.onDisconnect}, "whether a run stops or finishes when its client over HTTP closes the connection, by route and by agent: `/agui=stop`, `script=finish`. An agent's value wins over its route's. Routes that are left out keep the default. A run that stops does so 3 s later, unless somebody follows it then"},
		{"run-timeout", "Runs", durationValue{&s.runTimeout, 0, 0}, "how long a run may be active, without the time it waits for answers. 0s is for ever"},
		{"linger", "Runs", durationValue{&s.linger, 0, time.Second}, "how long the deltas of a run may wait for those of others, which travel with them and cost less. The first delta of a message or a call never waits. 0s is none"},
		{"max-runs", "Runs", numberValue{&s.maxRuns, 1, 0}, "runs at once, without those that wait for answers. More wait for a place here or on another server"},

		{"auth", "Identity", choiceValue{&s.auth, []string{"none", "tokens", "jwt"}}, "the server's users: everybody on loopback; bearers of listed tokens; bearers of an issuer's tokens"},
		{"tokens", "Identity", entriesValue[identity.Token]{&s.tokens, tokenEntries}, "the tokens, in YAML or JSON: `[{token: …, user: ann}]`. Other users of the machine can read command lines: prefer a file"},
		{"token-file", "Identity", textValue{&s.tokenFile, "file"}, "file with such a list. SIGHUP reads it again and closes the connections of tokens that are gone, and of all tokens if the file cannot be read"},
		{"separate-duties", "Identity", switchValue{&s.separateDuties}, "users may not approve a tool call, or answer a question of an upstream, that their own messages led to. Another user has to, with the scope `approver` or in a shared namespace. A user who edits the arguments decides alone what is carried out"},
		{"jwt-keys", "Identity", textValue{&s.jwt.keySet, "URL"}, "`https://` URL of the issuer's key set (JWKS)"},
		{"jwt-issuer", "Identity", textValue{&s.jwt.issuer, "text"}, "the value that `iss` must have"},
		{"jwt-audience", "Identity", textValue{&s.jwt.audience, "text"}, "the value that `aud` must hold"},
		{"jwt-user", "Identity", textValue{&s.jwt.user, "claim"}, "claim that names the user. Dots lead into objects"},
		{"jwt-tenant", "Identity", textValue{&s.jwt.tenant, "claim"}, "claim that names the tenant. If it is empty, all users are of one tenant"},
		{"jwt-namespace", "Identity", textValue{&s.jwt.namespace, "claim"}, "claim that names the namespace in which users share threads. If it is empty, each user has one"},
		{"jwt-scopes", "Identity", textValue{&s.jwt.scope, "claim"}, "claim that lists scopes. A token without it may read and run"},
		{"signin-client-id", "Identity", textValue{&s.signIn.clientID, "text"}, "the server's id at a provider of OpenID Connect. With it people sign in to the page there, beside `--auth tokens` or `jwt`. [Signin](docs/signin.md) says more. It needs `login-keys` and `public-url`"},
		{"signin-client-secret-file", "Identity", textValue{&s.signIn.secretFile, "file"}, "file with the client's secret there. If it is empty, the server is a public client"},
		{"signin-issuer", "Identity", textValue{&s.signIn.issuer, "URL"}, "the provider's issuer, whose metadata the server reads. If it is empty, it is `jwt-issuer`"},
		{"signin-scopes", "Identity", listValue{&s.signIn.scopes, "names"}, "scopes that the server asks the provider for besides `openid`, so that the ID token has the claims that count"},
		{"signin-lifetime", "Identity", durationValue{&s.signIn.lifetime, time.Minute, 30 * 24 * time.Hour}, "how long people stay signed in. Nothing ends a session earlier, except for another first key in `login-keys`"},

		{"logins", "Logins", entriesValue[providerEntry]{&s.logins, providerEntries}, "the providers at which users can log in for agents, in YAML or JSON: `[{name: github, issuer: https://…, client-id: …, client-secret-file: /run/secrets/github, scopes: [repo]}]`. [Logins](docs/logins.md#what-a-provider-has) lists the members. Set the same on all servers"},
		{"login-keys", "Logins", textValue{&s.loginKeys, "file"}, "file with the keys that seal tokens, 32 bytes in base64 a line: the first encrypts, the others still decrypt. The first seals the sessions of people who sign in, too. Set the same on all servers"},
		{"public-url", "Logins", textValue{&s.publicURL, "URL"}, "address under which browsers reach the server, such as `https://chat.example.com`. It may have a path, such as `https://example.com/agents`, which the proxy passes on or takes away. Providers send them back to its `/login/callback/` with the provider's name, webhooks link to its page, and the URLs of events begin with it. If it is empty, with `--auth none`, it is the one of `addr`"},

		{"webhooks", "Webhooks", entriesValue[webhookTarget]{&s.webhooks, webhookEntries}, "the targets, in YAML or JSON: `[{name: crm, url: https://…, kinds: [interrupt.opened], tenant: acme, agents: [script], secrets: [whsec_…], from: now}]`. A target without kinds, tenant or agents gets all of them. Set the same on all servers. Other users of the machine can read command lines: prefer the configuration file, or secret-files in place of secrets"},
		{"webhook-private", "Webhooks", listValue{&s.webhookPrivate, "names"}, "hosts of targets that may have an address inside of a network, and may do without TLS"},

		{"max-frame", "Limits", bytesValue{&s.maxFrame, 1 << 10}, "size of a frame or a body from a client. Four times as much may wait on one thread. A run may make a state a sixteenth larger than this"},
		{"max-held", "Limits", bytesValue{&s.held, 1 << 20}, "bytes that the process holds for clients: frames and bodies until they are worked on, replies until they are taken. At least 32 times `max-frame`. One user may hold an eighth of it, one address a quarter"},
		{"max-thread-bytes", "Limits", bytesValue{&s.threadBytes, 1 << 16}, "size of a thread's messages, state and log at which it takes no new input. It can still be read, answered, rewound and deleted. A run that makes it twice as large ends"},
		{"payloads-from", "Limits", bytesValue{&s.payloadsFrom, 0}, "size of a tool's result, as text, from which on it travels by reference: clients and messages get a preview, and the store keeps the result once. A frontend that does not know of references shows the preview. 0 is never"},
		{"max-sockets", "Limits", numberValue{&s.sockets, 1, 0}, "open sockets and streams"},
		{"max-sockets-per-user", "Limits", limitValue{&s.socketsPerUser}, "open sockets and streams of one user. For this and every limit by user or address below, -1 is no limit, `--auth none` tells no users apart, and loopback addresses have no limit"},
		{"max-sockets-per-address", "Limits", limitValue{&s.socketsPerAddr}, "open sockets and streams of one address, or of one /64 network of IPv6. A /48 may have eight times as many. The same holds for requests"},
		{"max-requests-per-user", "Limits", limitValue{&s.requestsPerUser}, "requests a second of one user, handshakes included"},
		{"max-requests-per-address", "Limits", limitValue{&s.requestsPerAddr}, "requests a second of one address, handshakes included"},
		{"max-inputs", "Limits", limitValue{&s.inputs}, "inputs a minute of one user, on all servers. Half as many may come at once"},
		{"max-runs-per-user", "Limits", limitValue{&s.runsPerUser}, "runs of one user at once on all servers, without those that wait for answers. Inputs in a thread's queue go on waiting, and answers are taken all the same"},
		{"max-runs-per-tenant", "Limits", limitValue{&s.runsPerTenant}, "runs of one tenant at once on all servers, counted as those of a user. Users without a tenant are of the tenant `default`; with `--auth none` all are of the tenant `local`"},
		{"max-threads-per-user", "Limits", limitValue{&s.threadsPerUser}, "threads of one user that are not deleted, on all servers"},

		{"memory-limit", "Operations", bytesLimitValue{&s.memoryLimit, 0}, "memory that the process may use. From 80 % in use on it refuses new sockets, from 90 % on new runs. 0 is `GOMEMLIMIT`, or nine tenths of a container's limit; -1 is no limit"},
		{"drain-timeout", "Operations", durationValue{&s.drain, time.Millisecond, 24 * time.Hour}, "how long runs may go on after SIGTERM"},
		{"log-format", "Operations", choiceValue{&s.logFormat, []string{"text", "json"}}, "form of the log on standard error. The json log also has the lines that are printed for a person at the start"},
		{"log-level", "Operations", choiceValue{&s.logLevel, []string{"debug", "info", "warn", "error"}}, "the lowest level that is logged"},
		{"metrics-addr", "Operations", textValue{&s.metricsAddr, "address"}, "another address that serves /metrics, /healthz and /readyz to everybody who reaches it"},
		{"pprof-addr", "Operations", textValue{&s.pprofAddr, "address"}, "loopback address that serves /debug/pprof/"},
	}
}

// named is what an error calls a setting: as it was given, or else its flag.
func (s *settings) named(name string) string {
	if from, ok := s.from[name]; ok {
		return from
	}
	return "--" + name
}

func names(table []setting) []string {
	var list []string
	for _, each := range table {
		list = append(list, each.name)
	}
	return list
}

// modelSettings say which model the assistant asks.
type modelSettings struct {
	name, url string
	key       string // of the environment
	openai    string // OpenAI's own key, of the environment
}
