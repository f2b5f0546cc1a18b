package server

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
	"github.com/aguiws/aguiws/server/identity"
)

// control is what the control API asks of an adapter.Runner beyond what the
// bindings do. All methods may be called concurrently.
type control interface {
	Threads(ctx context.Context, namespace string, q store.PageQuery) ([]store.ThreadInfo, string, error)
	Thread(ctx context.Context, key store.ThreadKey) (*adapter.Thread, error)
	SetTitle(ctx context.Context, key store.ThreadKey, title string) (bool, error)
	DeleteThread(ctx context.Context, key store.ThreadKey) (bool, error)
	Runs(ctx context.Context, key store.ThreadKey, q store.DispatchQuery) ([]adapter.RunInfo, error)
	FindRun(ctx context.Context, key store.ThreadKey, id string) (*adapter.RunInfo, error)
	CancelRun(ctx context.Context, key store.ThreadKey, id, reason string) (adapter.Cancelled, error)
	Requeue(ctx context.Context, key store.ThreadKey, id string) (adapter.Admitted, error)
	InterruptThread(ctx context.Context, key store.ThreadKey, reason string) (adapter.Interrupted, error)
	Pause(ctx context.Context, key store.ThreadKey) (bool, error)
	Unpause(ctx context.Context, key store.ThreadKey, tenant, label string) (bool, error)
	Inject(ctx context.Context, in adapter.Injection) (adapter.Admitted, error)
	Inbox(ctx context.Context, q store.PageQuery) ([]adapter.Suspended, string, error)
	Open(ctx context.Context, keys []store.ThreadKey) ([]adapter.Suspended, error)
	Answer(ctx context.Context, key store.ThreadKey, tenant, label string, entries []protocol.ResumeEntry) (adapter.Answered, error)
	DropDraft(ctx context.Context, key store.ThreadKey, interruptID string) (bool, error)
	DeadLetters(ctx context.Context, q store.PageQuery) ([]adapter.RunInfo, string, error)
	CountDispatches(ctx context.Context, tenant string) (map[store.DispatchState]int64, error)
}

// operation is one method of one path of the control API. The routes and the
// OpenAPI document are both made of the list of them.
type operation struct {
	method, path string // path as http.ServeMux has it, under /v1
	id, summary  string
	// scope lets the caller do this in its own namespace, beyond there and in the
	// others of its tenant; "" there: it is about no thread. ScopeAdmin lets it do
	// all of it.
	scope, beyond string
	admits        bool // it may begin a run: each call is one of the user's inputs
	query         []parameter
	body          any // a value of the body's type; nil: there is none
	status        int // of success
	answer        any // a value of the answer's type; nil: there is none
	serve         func(*v1Call) (any, error)
}

// parameter is one that the query may have.
type parameter struct{ name, about string }

// v1Call is one request to the control API.
type v1Call struct {
	*caller
	op   *operation
	srv  *Server
	r    *http.Request
	runs control
	key  store.ThreadKey // of the path's thread
	body []byte
}

func (s *Server) v1Routes() []route {
	runs, ok := s.runs.(control)
	if metered, wrapped := s.runs.(meteredBackend); wrapped {
		runs, ok = metered.backend.(control)
	}
	if !ok {
		return nil
	}
	operations := v1Operations()
	document := openAPI(operations)
	routes := []route{{"GET /v1/openapi.json", func(w http.ResponseWriter, r *http.Request) {
		if _, refused := s.enter(r); refused != nil {
			problemOf(refused).write(w)
			return
		}
		writeTagged(w, r, http.StatusOK, document)
	}}}
	for i := range operations {
		op := &operations[i]
		routes = append(routes, route{op.method + " /v1" + op.path, func(w http.ResponseWriter, r *http.Request) {
			s.serveV1(w, r, op, runs)
		}})
	}
	return routes
}

// serveV1 answers one call: who asks, what is asked, then the operation.
func (s *Server) serveV1(w http.ResponseWriter, r *http.Request, op *operation, runs control) {
	c, refused := s.enter(r)
	if refused != nil {
		problemOf(refused).write(w)
		return
	}
	call := &v1Call{caller: c, op: op, srv: s, r: r, runs: runs}
	if op.body != nil {
		if call.body, refused = s.readJSON(w, r); refused != nil {
			problemOf(refused).write(w)
			return
		}
	}
	ctx, cancel := context.WithTimeout(r.Context(), s.opts.CallTimeout)
	defer cancel()
	call.r = r.WithContext(ctx)
	answer, err := call.carryOut()
	if err != nil {
		call.problem(err).write(w)
		return
	}
	if answer == nil {
		w.WriteHeader(http.StatusNoContent)
		return
	}
	text, err := json.Marshal(answer)
	if err != nil {
		call.problem(err).write(w)
		return
	}
	writeTagged(w, r, op.status, text)
}

func (c *v1Call) carryOut() (any, error) {
	for name := range c.r.URL.Query() {
		if !c.op.takes(name) {
			return nil, badRequest("there is no query parameter " + strconv.Quote(name))
		}
	}
	if err := c.enterThread(); err != nil {
		return nil, err
	}
	if c.op.admits {
		if refused := c.srv.mayInput(c.caller); refused != nil {
			return nil, problemOfRefusal(refused)
		}
	}
	return c.op.serve(c)
}

func (o *operation) takes(name string) bool {
	for _, p := range o.parameters() {
		if p.name == name {
			return true
		}
	}
	return false
}

// parameters are those of the query, the one that threads have included.
func (o *operation) parameters() []parameter {
	if o.beyond == "" || !strings.Contains(o.path, "{thread}") {
		return o.query
	}
	return append(o.query[:len(o.query):len(o.query)], parameter{"namespace", "of the thread, if it is not the caller's own; needs " + anyOf(o.away()) + " in the thread's tenant"})
}

// home and away are the scopes any one of which is needed in the caller's own
// namespace, and in others of its tenant.
func (o *operation) home() []string { return scopeList(o.scope, o.beyond, identity.ScopeAdmin) }
func (o *operation) away() []string { return scopeList(o.beyond, identity.ScopeAdmin) }

// scopeList leaves out "" and what comes again.
func scopeList(scopes ...string) []string {
	var list []string
	for _, scope := range scopes {
		if scope != "" && !slices.Contains(list, scope) {
			list = append(list, scope)
		}
	}
	return list
}

func anyOf(scopes []string) string {
	if len(scopes) == 1 {
		return "the scope " + scopes[0]
	}
	return "one of the scopes " + strings.Join(scopes, ", ")
}

// enterThread decides whether the caller may do this to the path's thread. What
// may not be known does not exist.
func (c *v1Call) enterThread() error {
	id := c.identity
	if !strings.Contains(c.op.path, "{thread}") {
		return c.needs(c.op.home())
	}
	c.key = store.ThreadKey{Namespace: id.Namespace, Thread: c.r.PathValue("thread")}
	if !isName(c.key.Thread) {
		return badRequest("a thread id has 1 to 1024 bytes of UTF-8")
	}
	namespace := c.r.URL.Query().Get("namespace")
	if namespace == "" || namespace == id.Namespace {
		return c.needs(c.op.home())
	}
	if c.op.beyond == "" || c.needs(c.op.away()) != nil {
		return errNoThread
	}
	c.key.Namespace = namespace
	thread, err := c.runs.Thread(c.r.Context(), c.key)
	if err != nil {
		return err
	}
	if thread == nil || thread.Tenant != id.Tenant {
		return errNoThread
	}
	return nil
}

// needs refuses a caller that has none of the scopes.
func (c *v1Call) needs(scopes []string) error {
	if slices.ContainsFunc(scopes, c.identity.May) {
		return nil
	}
	return &problem{Status: http.StatusForbidden, Code: codeForbidden, Detail: "this needs " + anyOf(scopes)}
}

// number reads a query parameter that counts something.
func (c *v1Call) number(name string, most int) (int, error) {
	text := c.r.URL.Query().Get(name)
	if text == "" {
		return 0, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 || n > most {
		return 0, badRequest(name + " is a number from 0 to " + strconv.Itoa(most))
	}
	return n, nil
}

// maxPage bounds a page; more is refused rather than cut.
const maxPage = 200

func (c *v1Call) page() (store.PageQuery, error) {
	limit, err := c.number("limit", maxPage)
	q := c.r.URL.Query()
	return store.PageQuery{Tenant: c.identity.Tenant, Reason: q.Get("reason"), Limit: limit, Cursor: q.Get("cursor")}, err
}

var pageParameters = []parameter{
	{"limit", "items in the page, at most 200; 50 if left out"},
	{"cursor", "next of the page before"},
}

// writeTagged writes JSON that a client may ask for again at little cost.
func writeTagged(w http.ResponseWriter, r *http.Request, status int, body []byte) {
	h := w.Header()
	h.Set("Cache-Control", "no-cache")
	if r.Method == http.MethodGet {
		sum := sha256.Sum256(body)
		tag := `"` + base64.RawURLEncoding.EncodeToString(sum[:12]) + `"`
		h.Set("ETag", tag)
		if r.Header.Get("If-None-Match") == tag {
			w.WriteHeader(http.StatusNotModified)
			return
		}
	}
	h.Set("Content-Type", "application/json")
	w.WriteHeader(status)
	w.Write(body)
}
