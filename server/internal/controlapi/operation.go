package controlapi

import (
	"slices"
	"strings"

	"github.com/aguiws/aguiws/server/identity"
)

// operation is one method of one path of the control API. The routes and the
// OpenAPI document are both made of the list of them.
type operation struct {
	method, path string // path as http.ServeMux has it, under /v1
	id, summary  string
	notes        string // sentences for the document, beside those about scopes; "": none
	// scope lets the caller do this in its own namespace, beyond there and in the
	// others of its tenant; "" there: it is about no thread. identity.ScopeAdmin lets it do
	// all of it.
	scope, beyond string
	readRun       bool // identity.ScopeRead and ScopeRun together do as well in the caller's own namespace
	admits        bool // it may begin a run, or a thread: each call is one of the user's inputs
	lists         bool // what many threads hold
	waits         bool // for what is to come, if it is asked to
	exports       bool // all that there is, if it is asked to
	bytes         bool // it answers with what is stored, as it is
	outlives      bool // it tells of threads that are deleted too
	byToken       bool // it is for whoever has the token of an event, which its path names
	whoever       bool // is known may ask, whatever else they may do
	query         []parameter
	body          any // a value of the body's type; nil: there is none
	status        int // of success
	answer        any // a value of the answer's type; nil: there is none
	blind         any // of what a caller without the scope read is answered; nil: answer
	serve         func(*call) (any, error)
}

// parameter is one that the query may have.
type parameter struct{ name, about string }

func (o *operation) takes(name string) bool {
	return slices.ContainsFunc(o.parameters(), func(p parameter) bool { return p.name == name })
}

// parameters are those of the query, the one that threads have included.
func (o *operation) parameters() []parameter {
	if o.beyond == "" || !o.ofThread() {
		return o.query
	}
	return append(o.query[:len(o.query):len(o.query)], parameter{"namespace", "The namespace of the thread. The default is the caller's own. Another one needs " + anyOf(o.away()) + " in the thread's tenant."})
}

// ofThread reports whether it is about the thread that its path names.
func (o *operation) ofThread() bool {
	return strings.Contains(o.path, "{thread}") || strings.Contains(o.path, "{ref}")
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
