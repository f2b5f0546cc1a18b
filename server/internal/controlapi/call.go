package controlapi

import (
	"net/http"
	"slices"
	"strconv"

	"github.com/aguiws/aguiws/adapter/operate"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/server/identity"
	"github.com/aguiws/aguiws/server/internal/peer"
	"github.com/aguiws/aguiws/server/internal/refusal"
	"github.com/aguiws/aguiws/server/internal/strictjson"
)

// call is one request for an operation.
type call struct {
	*Config
	caller *peer.Caller
	op     *operation
	r      *http.Request
	key    store.ThreadKey // of the path's thread
	digest string          // of the path's payload
	body   []byte
	event  operate.EventToken // of the path
	header http.Header        // of the answer
}

func (c *call) carryOut() (any, error) {
	if err := c.enter(); err != nil {
		return nil, err
	}
	if c.op.admits {
		if refused := c.Gate.MayInput(c.caller); refused != nil {
			return nil, problemOfInput(refused)
		}
	}
	return c.op.serve(c)
}

// enter decides whether the caller may ask for this.
func (c *call) enter() error {
	for name := range c.r.URL.Query() {
		if !c.op.takes(name) {
			return badRequest("there is no query parameter " + strconv.Quote(name))
		}
	}
	return c.enterThread()
}

// enterThread decides whether the caller may do this to the path's thread. A thread that
// the caller may not know of does not exist.
func (c *call) enterThread() error {
	if c.op.byToken || c.op.whoever {
		return nil
	}
	if !c.op.ofThread() {
		return c.needs(c.op.home())
	}
	id := c.r.PathValue("thread")
	if c.op.bytes {
		var err error
		if id, err = c.enterPayload(); err != nil {
			return err
		}
	}
	c.key = store.ThreadKey{Namespace: c.caller.Identity.Namespace, Thread: id}
	if !strictjson.IsName(c.key.Thread) {
		return badRequest("a thread id has " + strictjson.NameRule)
	}
	namespace := c.r.URL.Query().Get("namespace")
	if namespace == "" || namespace == c.caller.Identity.Namespace {
		if c.op.readRun && c.caller.Identity.May(identity.ScopeRead) && c.caller.Identity.May(identity.ScopeRun) {
			return nil
		}
		return c.needs(c.op.home())
	}
	if c.op.beyond == "" || c.mayName("namespace", namespace) != nil {
		return errNoThread
	}
	c.key.Namespace = namespace
	if c.op.outlives {
		return nil // what there is of it decides
	}
	tenant, used, err := c.Runner.Whose(c.r.Context(), c.key)
	if err != nil {
		return err
	}
	if !used || tenant != c.caller.Identity.Tenant {
		return errNoThread
	}
	return nil
}

func (c *call) hasAgent(name string) bool {
	_, there := c.Gate.AgentNamed(name)
	return there
}

// needs refuses a caller that has none of the scopes.
func (c *call) needs(scopes []string) error {
	if slices.ContainsFunc(scopes, c.caller.Identity.May) {
		return nil
	}
	return newProblem(http.StatusForbidden, refusal.CodeForbidden, "this needs "+anyOf(scopes))
}

// read decodes the body.
func (c *call) read(into any) error {
	if err := strictjson.Decode(c.body, into); err != nil {
		return badRequest("the body: " + err.Error())
	}
	return nil
}

// number reads a query parameter that counts something.
func (c *call) number(name string, most int) (int, error) {
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
