package conformance_test

import (
	"bytes"
	"encoding/json"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/aguiws/aguiws"

// room is what the code of one folder, and of the folders under it that have no
// room of their own, may know. Its tests may know more.
type room struct {
	folder string
	why    string
	ours   []string // rooms of this module
	theirs []string // modules of others: none, these, or any
	// never may not come in by any detour.
	never []string
}

var (
	std      = []string{} // no dependency
	whatever []string     // as many as are wanted
	// below is what the roof stands on.
	below = []string{"protocol", "adapter", "adapter/runner", "adapter/operate", "adapter/admission", "adapter/store", "adapter/follow", "adapter/script", "gateway", "llm", "llm/chat", "llm/demo", "redisstore", "server", "server/identity", "server/login", "server/metrics", "server/signin", "server/webhook", "client", "web"}
)

// rooms are the house: imports run from the last to the first.
var rooms = []room{
	{folder: "protocol", why: "the ground floor is AG-UI on the wire and nothing else, so that anybody can build on it",
		ours: []string{"protocol/internal/wire", "protocol/problem", "protocol/surrogate"}, theirs: std, never: []string{"net/http"}},
	{folder: "protocol/problem", why: "a document is wrong at a place, whatever it is about", theirs: std, never: []string{"net/http"}},
	{folder: "protocol/number", why: "a number has a value, whatever it counts", theirs: std, never: []string{"net/http"}},
	{folder: "protocol/internal/wire", why: "JSON is read and written before anybody knows what it says",
		ours: []string{"protocol/problem"}, theirs: std, never: []string{"net/http"}},
	{folder: "protocol/internal/eventtext", why: "it is texts for tests of all rooms of protocol, and knows none of them",
		theirs: std, never: []string{"net/http"}},
	{folder: "protocol/surrogate", why: "a character is cut whatever the text is",
		ours: []string{"protocol/internal/wire"}, theirs: std, never: []string{"net/http"}},
	{folder: "protocol/jsonpatch", why: "a patch changes a document, whatever it is",
		ours: []string{"protocol/internal/wire", "protocol/number"}, theirs: std, never: []string{"net/http"}},
	{folder: "protocol/fold", why: "what a client holds follows from the events: whether they may come is not its business",
		ours: []string{"protocol", "protocol/internal/wire", "protocol/jsonpatch"}, theirs: std, never: []string{"net/http"}},
	{folder: "protocol/order", why: "an event is legal by those before it and by what the client holds",
		ours: []string{"protocol", "protocol/fold"}, theirs: std, never: []string{"net/http"}},
	{folder: "protocol/downgrade", why: "an older client is sent less of an event, whatever else it is sent",
		ours: []string{"protocol", "protocol/problem"}, theirs: std, never: []string{"net/http"}},
	{folder: "protocol/internal/schema", why: "the compiled JSON Schema is kept apart so that protocol needs no validator",
		ours: []string{"protocol", "protocol/problem"}, theirs: []string{"github.com/santhosh-tekuri/jsonschema"}},
	{folder: "adapter/store", why: "the contract of a store is read by whoever writes one, who needs to know no agent: what it keeps is made of AG-UI's types",
		ours: []string{"protocol"}, theirs: std, never: []string{"net/http"}},
	{folder: "adapter/internal", why: "what admission, agents and followers share reads the store's shapes and AG-UI's, and knows none of them",
		ours: []string{"adapter/store", "protocol"}, theirs: std, never: []string{"net/http"}},
	{folder: "adapter/internal/event", why: "what permits an event is read without asking the store",
		ours: []string{"adapter/store"}, theirs: []string{"github.com/google/uuid"}, never: []string{"net/http"}},
	{folder: "adapter/internal/canonical", why: "that two JSON values are equal is nobody's rule",
		ours: []string{"protocol"}, theirs: []string{"github.com/gowebpki/jcs"}, never: []string{"net/http"}},
	{folder: "adapter/internal/responseschema", why: "a schema is checked whoever came up with it",
		ours: []string{"protocol"}, theirs: []string{"github.com/santhosh-tekuri/jsonschema"}, never: []string{"net/http"}},
	{folder: "adapter/internal/judge", why: "the rules decide on what they are shown: who carries a verdict out must not sway them",
		ours: []string{"adapter/store", "adapter/internal", "adapter/internal/canonical", "adapter/internal/responseschema", "protocol"}, theirs: std, never: []string{"net/http"}},
	{folder: "adapter/follow", why: "following reads a log, whoever writes it: it starts nothing and knows no runner",
		ours: []string{"adapter/store", "adapter/internal", "protocol"}, theirs: std, never: []string{"net/http"}},
	{folder: "adapter", why: "an agent's author reads what an agent can do, and not who carries it out",
		ours: []string{"adapter/store", "adapter/internal", "adapter/internal/judge", "adapter/internal/responseschema", "protocol"}, theirs: []string{"github.com/google/jsonschema-go"},
		never: []string{"net/http", "github.com/redis/go-redis", "github.com/alicebob/miniredis", "github.com/coder/websocket"}},
	{folder: "adapter/admission", why: "what is sent into threads, and answered to it, is read by whoever sends",
		ours: []string{"adapter/store", "protocol"}, theirs: std,
		never: []string{"net/http", "github.com/redis/go-redis", "github.com/alicebob/miniredis", "github.com/coder/websocket"}},
	{folder: "adapter/internal/node", why: "what all rooms of a node share decides nothing",
		ours: []string{"adapter", "adapter/internal", "adapter/store", "protocol", "adapter/internal/judge", "adapter/internal/responseschema", "internal/tracing"}, theirs: std,
		never: []string{"net/http", "github.com/redis/go-redis", "github.com/alicebob/miniredis", "github.com/coder/websocket"}},
	{folder: "adapter/internal/journal", why: "what an execution has recorded is read without calling its agent",
		ours: []string{"adapter", "adapter/internal", "adapter/store", "protocol", "adapter/internal/node"}, theirs: []string{"github.com/google/uuid"},
		never: []string{"net/http", "github.com/redis/go-redis", "github.com/alicebob/miniredis", "github.com/coder/websocket"}},
	{folder: "adapter/internal/decision", why: "what is told and kept of a decision does not depend on what comes of it",
		ours: []string{"adapter", "adapter/internal", "adapter/store", "protocol", "adapter/internal/canonical", "adapter/internal/node"}, theirs: std,
		never: []string{"net/http", "github.com/redis/go-redis", "github.com/alicebob/miniredis", "github.com/coder/websocket"}},
	{folder: "adapter/internal/execution", why: "an execution goes on the same whoever has claimed it, and whyever",
		ours: []string{"adapter", "adapter/internal", "adapter/store", "protocol", "adapter/internal/canonical", "adapter/internal/decision", "adapter/internal/event", "adapter/internal/journal", "adapter/internal/judge", "adapter/internal/node", "adapter/internal/responseschema", "internal/tracing"}, theirs: []string{"github.com/google/uuid"},
		never: []string{"net/http", "github.com/redis/go-redis", "github.com/alicebob/miniredis", "github.com/coder/websocket"}},
	{folder: "adapter/internal/carry", why: "a run that this node has is carried whoever has begun it",
		ours: []string{"adapter", "adapter/internal", "adapter/store", "protocol", "adapter/admission", "adapter/internal/execution", "adapter/internal/judge", "adapter/internal/node", "internal/tracing"}, theirs: []string{"github.com/google/uuid"},
		never: []string{"net/http", "github.com/redis/go-redis", "github.com/alicebob/miniredis", "github.com/coder/websocket"}},
	{folder: "adapter/internal/admit", why: "an input is judged and begun, whoever sends it and whatever asks for its thread",
		ours: []string{"adapter", "adapter/internal", "adapter/store", "protocol", "adapter/admission", "adapter/follow", "adapter/internal/canonical", "adapter/internal/carry", "adapter/internal/decision", "adapter/internal/execution", "adapter/internal/journal", "adapter/internal/judge", "adapter/internal/node", "internal/tracing"}, theirs: []string{"github.com/google/uuid"},
		never: []string{"net/http", "github.com/redis/go-redis", "github.com/alicebob/miniredis", "github.com/coder/websocket"}},
	{folder: "adapter/internal/calls", why: "what an agent has called goes on whoever has begun it, and is looked at by whoever comes along",
		ours: []string{"adapter", "adapter/internal", "adapter/store", "protocol", "adapter/admission", "adapter/internal/admit", "adapter/internal/execution", "adapter/internal/journal", "adapter/internal/judge", "adapter/internal/node"}, theirs: std,
		never: []string{"net/http", "github.com/redis/go-redis", "github.com/alicebob/miniredis", "github.com/coder/websocket"}},
	{folder: "adapter/internal/dispatch", why: "what is due is looked for and claimed without anybody asking",
		ours: []string{"adapter", "adapter/internal", "adapter/store", "protocol", "adapter/admission", "adapter/follow", "adapter/internal/admit", "adapter/internal/carry", "adapter/internal/execution", "adapter/internal/journal", "adapter/internal/judge", "adapter/internal/node"}, theirs: []string{"github.com/google/uuid"},
		never: []string{"net/http", "github.com/redis/go-redis", "github.com/alicebob/miniredis", "github.com/coder/websocket"}},
	{folder: "adapter/operate", why: "who operates asks and answers, whatever carries the runs",
		ours: []string{"adapter", "adapter/internal", "adapter/store", "protocol", "adapter/admission", "adapter/internal/admit", "adapter/internal/calls", "adapter/internal/carry", "adapter/internal/decision", "adapter/internal/execution", "adapter/internal/event", "adapter/internal/journal", "adapter/internal/judge", "adapter/internal/node"}, theirs: []string{"github.com/google/uuid"},
		never: []string{"net/http", "github.com/redis/go-redis", "github.com/alicebob/miniredis", "github.com/coder/websocket"}},
	{folder: "adapter/runner", why: "what a run is must not depend on where it is stored or how it travels",
		ours: []string{"adapter", "adapter/internal", "adapter/store", "protocol", "adapter/admission", "adapter/follow", "adapter/operate", "adapter/internal/admit", "adapter/internal/calls", "adapter/internal/carry", "adapter/internal/dispatch", "adapter/internal/execution", "adapter/internal/judge", "adapter/internal/node", "internal/tracing"}, theirs: []string{"go.opentelemetry.io/otel/trace"},
		never: []string{"net/http", "github.com/redis/go-redis", "github.com/alicebob/miniredis", "github.com/coder/websocket", "go.opentelemetry.io/otel/sdk"}},
	{folder: "adapter/adaptertest", why: "agents are tested on what carries them for good, with a store in memory; tests alone may know it",
		ours: []string{"adapter", "adapter/admission", "adapter/follow", "adapter/operate", "adapter/runner", "adapter/store", "protocol", "redisstore"}, theirs: std, never: []string{"net/http"}},
	{folder: "adapter/script", why: "an agent knows what an agent is, and no more: it is the first example of one",
		ours: []string{"adapter", "protocol"}, theirs: std, never: []string{"net/http"}},
	{folder: "gateway", why: "an agent that others serve is an agent like any other: who runs it, and what counts it, is not its business",
		ours: []string{"adapter", "gateway/internal/wire", "protocol", "internal/tracing"}, theirs: []string{"github.com/google/uuid"}, never: []string{"github.com/redis/go-redis", "github.com/coder/websocket", "go.opentelemetry.io/otel/sdk"}},
	{folder: "gateway/internal/wire", why: "bytes come in within bounds, whatever they say",
		theirs: std},
	{folder: "llm", why: "an agent with a model is an agent like any other: it knows what an agent is, and how models are asked",
		ours: []string{"adapter", "llm/chat", "protocol"}, theirs: std, never: []string{"github.com/redis/go-redis"}},
	{folder: "llm/chat", why: "how a model is asked over the wire has nothing to do with who asks it; halves of characters are joined as everywhere",
		ours: []string{"protocol"}, theirs: std},
	{folder: "llm/demo", why: "what the command's assistant can do is written as anybody would write it",
		ours: []string{"adapter", "llm", "protocol"}, theirs: std, never: []string{"github.com/redis/go-redis"}},
	{folder: "redisstore", why: "a store knows the contract; events are bytes to it, and sockets are not its business",
		ours:   []string{"adapter/store", "redisstore/lua", "redisstore/internal/keyspace", "redisstore/internal/link", "redisstore/internal/threadlog", "redisstore/internal/index", "redisstore/internal/mailbox", "redisstore/internal/erasure"},
		theirs: []string{"github.com/redis/go-redis", "github.com/alicebob/miniredis"},
		never:  []string{"github.com/coder/websocket"}},
	{folder: "redisstore/lua", why: "a script decides by its keys and arguments, whoever calls it",
		theirs: []string{"github.com/redis/go-redis"}, never: []string{"net/http"}},
	{folder: "redisstore/internal/keyspace", why: "where a thread lies depends on its name, and on nothing that is there",
		ours: []string{"adapter/store"}, theirs: std, never: []string{"net/http"}},
	{folder: "redisstore/internal/link", why: "how servers are reached, and what is on the way to them, has nothing to do with which calls a store has",
		ours: []string{"adapter/store", "redisstore/lua", "redisstore/internal/keyspace"}, theirs: []string{"github.com/redis/go-redis"}},
	{folder: "redisstore/internal/threadlog", why: "a thread and its log are read by their keys, whoever lists or wakes them",
		ours: []string{"adapter/store", "redisstore/lua", "redisstore/internal/keyspace", "redisstore/internal/link"}, theirs: []string{"github.com/redis/go-redis"}},
	{folder: "redisstore/internal/index", why: "a page of a list is merged in one way, whatever it lists",
		ours: []string{"adapter/store", "redisstore/lua", "redisstore/internal/keyspace", "redisstore/internal/link"}, theirs: []string{"github.com/redis/go-redis"}},
	{folder: "redisstore/internal/mailbox", why: "threads that want a worker are delivered without knowing what a run does",
		ours: []string{"adapter/store", "redisstore/lua", "redisstore/internal/keyspace", "redisstore/internal/link", "redisstore/internal/index"}, theirs: []string{"github.com/redis/go-redis"}},
	{folder: "redisstore/internal/erasure", why: "what is left of a person is found by the keys, whoever wrote it",
		ours: []string{"adapter/store", "redisstore/lua", "redisstore/internal/keyspace", "redisstore/internal/link", "redisstore/internal/index"}, theirs: []string{"github.com/redis/go-redis"}},
	{folder: "redisstore/storetest", why: "the suite of the contract must run over any store",
		ours: []string{"redisstore/storetest/stage", "redisstore/storetest/runs", "redisstore/storetest/threads"}, theirs: std, never: []string{"github.com/redis/go-redis"}},
	{folder: "redisstore/storetest/stage", why: "tests of any store stand on it, and it promises nothing of one",
		ours: []string{"adapter/store"}, theirs: std, never: []string{"github.com/redis/go-redis"}},
	{folder: "redisstore/storetest/model", why: "a model that shared the contract's tests would share their faults",
		ours: []string{"adapter/store", "redisstore/storetest/stage"}, theirs: std, never: []string{"github.com/redis/go-redis"}},
	{folder: "redisstore/storetest/runs", why: "what is promised of runs is shown without what is promised of threads",
		ours: []string{"adapter/store", "redisstore/storetest/stage"}, theirs: std, never: []string{"github.com/redis/go-redis"}},
	{folder: "redisstore/storetest/threads", why: "what is promised of threads is shown without what is promised of runs",
		ours: []string{"adapter/store", "internal/suite", "redisstore/storetest/stage"}, theirs: std, never: []string{"github.com/redis/go-redis"}},
	{folder: "redisstore/redistest", why: "it starts a process, whoever the client is",
		ours:   []string{"internal/suite"},
		theirs: std},
	{folder: "server/identity", why: "who somebody is has nothing to do with what is served to them",
		ours: []string{"server/internal/strictjson"}, theirs: []string{"github.com/go-jose/go-jose/v4"}, never: []string{"github.com/coder/websocket"}},
	{folder: "server/login", why: "users log in elsewhere for whatever agent, and tokens lie in whatever store: which API begins a flow is not its business",
		ours: []string{"adapter", "adapter/admission", "adapter/operate", "adapter/runner", "adapter/store", "internal/origin"}, theirs: []string{"golang.org/x/oauth2"}, never: []string{"github.com/redis/go-redis", "github.com/coder/websocket"}},
	{folder: "server/signin", why: "people sign in at a provider as they log in at others, and are told apart as by their tokens: what they do then is not its business",
		ours: []string{"internal/origin", "server/identity", "server/login"}, theirs: []string{"golang.org/x/oauth2"}, never: []string{"github.com/redis/go-redis", "github.com/coder/websocket"}},
	{folder: "server/webhook", why: "what is sent to others is made of notices, whoever keeps them; who runs it and what it is counted by is not its business",
		ours: []string{"adapter/store", "server/internal/notices"}, theirs: []string{"github.com/standard-webhooks/standard-webhooks/libraries", "code.dny.dev/ssrf"}, never: []string{"github.com/redis/go-redis", "github.com/coder/websocket"}},
	{folder: "internal/oauthtest", why: "it starts an authorization server for tests, whoever logs in there",
		theirs: []string{"github.com/go-jose/go-jose/v4", "github.com/go-oauth2/oauth2/v4"}},
	{folder: "server/internal/conn", why: "it carries texts, whatever they say, so nobody else needs to know the WebSocket library and the kernel",
		ours: []string{"server/internal/budget", "server/internal/unacked"}, theirs: []string{"github.com/coder/websocket", "golang.org/x/sys"}},
	{folder: "server/internal/unacked", why: "it asks the kernel, whatever the bytes are", theirs: []string{"golang.org/x/sys"}, never: []string{"net/http"}},
	{folder: "server/internal/budget", why: "bytes are counted whatever they are", theirs: std, never: []string{"net/http"}},
	{folder: "server/internal/edge", why: "what a connection may take does not depend on what is asked for on it",
		ours: []string{"server/internal/unacked"}, theirs: []string{"golang.org/x/sys", "golang.org/x/time"}, never: []string{"github.com/coder/websocket"}},
	{folder: "internal/origin", why: "which pages a setting means is asked by the command before it starts, and by the server with each request",
		theirs: std, never: []string{"net/http"}},
	{folder: "internal/tracing", why: "spans are made and handed on whoever collects them, so that whoever builds on the packages builds no SDK",
		theirs: []string{"go.opentelemetry.io/otel/trace", "go.opentelemetry.io/otel/attribute", "go.opentelemetry.io/otel/codes"}, never: []string{"net/http", "go.opentelemetry.io/otel/sdk"}},
	{folder: "internal/bindingschema", why: "it tells tests of every room whether a control frame is one, and knows none of them",
		theirs: []string{"github.com/santhosh-tekuri/jsonschema"}, never: []string{"net/http"}},
	{folder: "internal/suite", why: "it tells tests of every room whether they run, and knows none of them",
		theirs: std, never: []string{"net/http"}},
	{folder: "server", why: "a binding drives a runner; which store is behind it must not show",
		ours: []string{"adapter", "adapter/admission", "adapter/runner", "adapter/store", "protocol", "internal/origin",
			"server/identity", "server/internal/conn", "server/internal/controlapi", "server/internal/copilotkit", "server/internal/core", "server/internal/edge", "server/internal/meter", "server/internal/notices", "server/internal/ops", "server/internal/peer", "server/internal/refusal", "server/internal/sse", "server/internal/strictjson", "server/internal/ws", "server/login", "server/metrics", "server/signin", "server/webhook"},
		theirs: std,
		never:  []string{"github.com/redis/go-redis", "github.com/alicebob/miniredis"}},
	{folder: "server/internal/peer", why: "who somebody is, and how much they may take, does not depend on what they want",
		ours:   []string{"adapter", "adapter/admission", "adapter/runner", "adapter/store", "protocol", "internal/origin", "server/identity", "server/internal/budget", "server/internal/edge", "server/internal/meter", "server/internal/notices", "server/internal/refusal", "server/internal/strictjson", "server/internal/unacked", "server/login", "server/signin"},
		theirs: []string{"golang.org/x/time"}, never: []string{"github.com/redis/go-redis"}},
	{folder: "server/internal/core", why: "what a session does is the same, whatever carries it",
		ours:   []string{"adapter", "adapter/admission", "adapter/follow", "adapter/runner", "adapter/store", "protocol", "server/identity", "server/internal/controlapi", "server/internal/frames", "server/internal/meter", "server/internal/notices", "server/internal/peer", "server/internal/refusal"},
		theirs: std, never: []string{"github.com/redis/go-redis"}},
	{folder: "server/internal/ws", why: "a socket has frames and positions of its own, and no other way of serving knows them",
		ours:   []string{"adapter", "adapter/admission", "adapter/follow", "adapter/runner", "adapter/store", "protocol", "server/identity", "server/internal/budget", "server/internal/conn", "server/internal/core", "server/internal/frames", "server/internal/notices", "server/internal/peer", "server/internal/refusal", "server/internal/strictjson"},
		theirs: []string{"golang.org/x/time"}, never: []string{"github.com/redis/go-redis"}},
	{folder: "server/internal/sse", why: "a stream over HTTP answers one request, and no socket knows of it",
		ours:   []string{"adapter", "adapter/follow", "adapter/runner", "adapter/store", "protocol", "server/identity", "server/internal/budget", "server/internal/conn", "server/internal/core", "server/internal/edge", "server/internal/frames", "server/internal/notices", "server/internal/peer", "server/internal/refusal", "server/internal/requestbody", "server/internal/strictjson"},
		theirs: std, never: []string{"github.com/redis/go-redis"}},
	{folder: "server/internal/ops", why: "operators are shown a node and its store, whatever is served",
		ours:   []string{"internal/build", "adapter", "adapter/runner", "adapter/store", "server/internal/budget", "server/internal/controlapi", "server/internal/meter", "server/webhook"},
		theirs: []string{"github.com/prometheus/client_golang", "github.com/prometheus/client_model"}, never: []string{"github.com/redis/go-redis", "github.com/coder/websocket"}},
	{folder: "server/metrics", why: "what happens is counted for the operator, whoever made it happen",
		ours:   []string{"internal/build", "adapter/store", "server/internal/controlapi", "server/internal/meter", "server/webhook"},
		theirs: []string{"github.com/prometheus/client_golang"}, never: []string{"github.com/redis/go-redis", "github.com/coder/websocket"}},
	{folder: "server/internal/meter", why: "each room counts, and none needs to know who is told",
		ours: []string{"adapter/store", "protocol"}, theirs: []string{"github.com/prometheus/client_golang"}},
	{folder: "server/internal/frames", why: "what a client sends is read and weighed, whatever carries it",
		ours:   []string{"adapter", "adapter/admission", "adapter/runner", "adapter/store", "protocol", "server/internal/budget", "server/internal/refusal", "server/internal/strictjson", "server/internal/tanstack"},
		theirs: std, never: []string{"github.com/coder/websocket"}},
	{folder: "server/internal/notices", why: "what is read once for all who watch does not depend on what they watch with",
		ours: []string{"adapter/store"}, theirs: std, never: []string{"net/http"}},
	{folder: "server/internal/controlapi", why: "the control API asks a runner and says who may; sockets and streams are not its business",
		ours:   []string{"adapter", "adapter/admission", "adapter/follow", "adapter/operate", "adapter/runner", "adapter/store", "protocol", "server/identity", "server/internal/notices", "server/internal/peer", "server/internal/refusal", "server/internal/requestbody", "server/internal/strictjson", "server/login", "server/webhook"},
		theirs: []string{"github.com/google/jsonschema-go", "github.com/google/uuid"}, never: []string{"github.com/coder/websocket"}},
	{folder: "server/internal/copilotkit", why: "a foreign protocol is told by streams, and no stream knows of it",
		ours:   []string{"internal/build", "adapter", "adapter/admission", "adapter/follow", "adapter/runner", "adapter/store", "protocol", "server/identity", "server/internal/core", "server/internal/frames", "server/internal/peer", "server/internal/refusal", "server/internal/requestbody", "server/internal/sse", "server/internal/strictjson"},
		theirs: []string{"github.com/google/uuid"}},
	{folder: "server/internal/tanstack", why: "what a foreign client sends and needs has nothing to do with what carries it",
		ours: []string{"protocol"}, theirs: []string{"github.com/gowebpki/jcs"}, never: []string{"net/http"}},
	{folder: "server/internal/refusal", why: "every API over HTTP refuses, whatever it is about",
		ours: []string{"protocol"}, theirs: std},
	{folder: "server/internal/requestbody", why: "bodies are bounded before anybody knows what is in them",
		ours: []string{"server/internal/budget", "server/internal/refusal"}, theirs: std},
	{folder: "server/internal/strictjson", why: "what is read strictly is JSON, of whatever meaning",
		theirs: std, never: []string{"net/http"}},
	{folder: "client", why: "a client knows what goes over the wire, and no server: it is built into other people's programs",
		ours: []string{"protocol"}, theirs: []string{"github.com/coder/websocket", "github.com/google/uuid"}},
	{folder: "web", why: "it is files and a handler, below a base", ours: []string{"internal/origin"}, theirs: std},
	{folder: "conformance", why: "it judges servers over the wire, ours like any other, so it may know the protocol and its client only",
		ours: []string{"conformance", "client", "protocol"}, theirs: []string{"github.com/coder/websocket", "github.com/google/uuid", "github.com/santhosh-tekuri/jsonschema"},
		never: []string{"github.com/redis/go-redis", "github.com/alicebob/miniredis"}},
	{folder: "conformance/internal/command", why: "it starts the command for tests, on a port that none of their Redis servers has",
		ours: []string{"internal/bindingschema", "redisstore/redistest"}, theirs: std},
	{folder: "conformance/cmd", why: "the harness's command may bring a server of ours along, and no example",
		ours: append([]string{"conformance"}, below...), theirs: whatever},
	{folder: "conformance/bench", why: "it measures servers that it starts itself, this one with an agent of its own among them, beside rivals",
		ours: append([]string{"conformance/bench/drive"}, below...), theirs: []string{"github.com/coder/websocket", "github.com/redis/go-redis"}},
	{folder: "conformance/bench/drive", why: "rivals are built with it, into modules of their own: it knows nothing of what is measured",
		theirs: std, never: []string{"net/http"}},
	{folder: "examples", why: "examples stand on the roof, and nobody stands on them",
		ours: below, theirs: whatever},
	{folder: "internal/build", why: "a release has one version, whoever tells it",
		theirs: std, never: []string{"net/http"}},
	{folder: "internal/child", why: "a program is started, told to end and started again, whatever is served in front of it",
		theirs: std, never: []string{"net/http"}},
	{folder: "internal/show", why: "it reads the contract of a store, whichever store it is",
		ours: []string{"protocol", "adapter/store"}, theirs: std},
	{folder: "internal/cli", why: "the command wires things together, and knows no example and no harness",
		ours: append([]string{"internal/build", "internal/child", "internal/origin", "internal/show", "internal/tracing"}, below...), theirs: whatever},
	{folder: "", why: "main hands a command line over and has the exit code back, and decides nothing",
		ours: []string{"internal/cli"}, theirs: std},
}

type listed struct {
	ImportPath                string
	Standard                  bool
	Module                    *struct{ Main bool }
	Imports, Deps             []string
	TestImports, XTestImports []string
}

func TestImportsRunOneWay(t *testing.T) {
	packages := list(t)
	for path, p := range packages {
		if p.Module == nil || !p.Module.Main {
			continue
		}
		r := roomOf(folderOf(path))
		for _, imported := range p.Imports {
			if !r.mayImport(packages[imported]) {
				t.Errorf("%s imports %s, which it must not know: %s", path, imported, r.why)
			}
		}
		for _, dep := range p.Deps {
			for _, never := range r.never {
				if dep == never || strings.HasPrefix(dep, never+"/") {
					t.Errorf("%s reaches %s, if only by a detour: %s", path, dep, r.why)
				}
			}
		}
		if r.folder == "examples" {
			continue
		}
		for _, imported := range append(p.TestImports, p.XTestImports...) {
			if strings.HasPrefix(imported, module+"/examples/") {
				t.Errorf("a test of %s imports %s: examples stand on the roof, and nobody stands on them", path, imported)
			}
		}
	}
}

// A schema that somebody sent is compiled where what it may cost is bounded, and nowhere
// else: the other packages that know the library have schemas of AG-UI's and of the
// binding's own, for tests. Only other packages for tests know these.
func TestSchemasAreCompiledBehindOneDoor(t *testing.T) {
	const library = "github.com/santhosh-tekuri/jsonschema/v5"
	tests := []string{"protocol/internal/schema", "internal/bindingschema", "conformance/internal/command"}
	for path, p := range list(t) {
		if p.Module == nil || !p.Module.Main {
			continue
		}
		folder := folderOf(path)
		if slices.Contains(p.Imports, library) && folder != "adapter/internal/responseschema" && !slices.Contains(tests, folder) {
			t.Errorf("%s imports %s", path, library)
		}
		for _, each := range tests {
			if slices.Contains(p.Imports, module+"/"+each) && !slices.Contains(tests, folder) {
				t.Errorf("%s imports %s, which is for tests", path, each)
			}
		}
	}
}

// The table must describe the house that stands.
func TestEveryRoomIsOfUse(t *testing.T) {
	used := map[string]bool{}
	for path, p := range list(t) {
		if p.Module != nil && p.Module.Main {
			used[roomOf(folderOf(path)).folder] = true
		}
	}
	for _, folder := range []string{"protocol", "adapter", "redisstore", "server", "client", "web", ""} {
		if !used[folder] {
			t.Errorf("no package lies in %q", folder)
		}
	}
}

// mayImport judges one import.
func (r room) mayImport(p *listed) bool {
	switch {
	case p == nil || p.Standard:
		return true
	case p.Module != nil && p.Module.Main:
		other := roomOf(folderOf(p.ImportPath)).folder
		if other == r.folder {
			return true
		}
		// Whoever knows AG-UI may know all that is public of it.
		if strings.HasPrefix(other, "protocol/") && !strings.HasPrefix(r.folder, "protocol") {
			other = "protocol"
		}
		return slices.Contains(r.ours, other)
	case r.theirs == nil:
		return true
	}
	for _, theirs := range r.theirs {
		if strings.HasPrefix(p.ImportPath, theirs+"/") || p.ImportPath == theirs {
			return true
		}
	}
	return false
}

// roomOf finds the room with the longest name that holds the folder.
func roomOf(folder string) room {
	best := rooms[len(rooms)-1]
	for _, r := range rooms {
		if (folder == r.folder || strings.HasPrefix(folder, r.folder+"/")) && len(r.folder) > len(best.folder) {
			best = r
		}
	}
	return best
}

func folderOf(path string) string {
	return strings.TrimPrefix(strings.TrimPrefix(path, module), "/")
}

func list(t *testing.T) map[string]*listed {
	t.Helper()
	var out, complaints bytes.Buffer
	cmd := exec.Command("go", "list", "-deps", "-json=ImportPath,Standard,Module,Imports,Deps,TestImports,XTestImports", "./...")
	cmd.Dir, cmd.Stdout, cmd.Stderr = "..", &out, &complaints
	if err := cmd.Run(); err != nil {
		t.Fatalf("go list: %v\n%s", err, &complaints)
	}
	packages := map[string]*listed{}
	for d := json.NewDecoder(&out); ; {
		p := new(listed)
		if err := d.Decode(p); err == io.EOF {
			return packages
		} else if err != nil {
			t.Fatal(err)
		}
		packages[p.ImportPath] = p
	}
}
