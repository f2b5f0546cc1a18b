// Package responseschema checks answers, and the arguments of tools, against JSON Schemas
// that agents and models came up with, within bounds: of the schema, which is refused
// where it is asked, and of what checking one payload may take. It is the one place
// where a schema that somebody sent is compiled.
package responseschema

import (
	"bytes"
	"container/list"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v5"

	"github.com/aguiws/aguiws/protocol/problem"
)

const (
	// maxCompiled bounds what a Set keeps, in bytes, about.
	maxCompiled = 64 << 20
	// Checks that take fewer steps of a payload of fewer bytes wait for nobody.
	smallSteps   = 100_000
	smallPayload = 64 << 10
)

// large is held by checks that may take long and much memory: half of the processors are
// theirs at most, and the others wait in turn.
var large = make(chan struct{}, max(1, runtime.GOMAXPROCS(0)/2))

// Set compiles response schemas and keeps those that were used last. It is safe for
// concurrent use.
type Set struct {
	mu       sync.Mutex
	compiled map[[sha256.Size]byte]*list.Element // of *compiled
	used     list.List                           // the last one first
	size     int
}

type compiled struct {
	key  [sha256.Size]byte
	root *node
	size int
}

// Check answers with what is wrong with a payload, in MaxProblems problems of a line at
// most; nil is a valid one. It fails with ErrTooComplex on a payload that takes too much to
// be checked, which is the same wherever and whenever it is checked. It fails with the
// error of a context that ends, and with another one when the schema itself cannot be used.
func (s *Set) Check(ctx context.Context, schema, payload []byte) ([]problem.Problem, error) {
	return s.CheckWithin(ctx, new(Budget), schema, payload)
}

// CheckWithin is Check for one of several payloads that share a budget.
func (s *Set) CheckWithin(ctx context.Context, b *Budget, schema, payload []byte) ([]problem.Problem, error) {
	root, err := s.compile(ctx, schema)
	if err != nil {
		return nil, err
	}
	if len(payload) == 0 {
		payload = []byte("null")
	}
	if b.until.IsZero() {
		b.until = time.Now().Add(maxTime)
	}
	m := &meter{ctx: ctx, limit: min(smallSteps, maxSteps-b.spent), until: b.until}
	var problems []problem.Problem
	work := func() { problems = check(m, root, payload) }
	if len(payload) <= smallPayload {
		err = within(work)
	} else {
		err = ErrTooComplex
	}
	if err == ErrTooComplex && m.limit < maxSteps-b.spent {
		b.spent += m.spent
		leave, waited := enter(ctx)
		if waited != nil {
			return nil, waited
		}
		defer leave()
		*m = meter{ctx: ctx, limit: maxSteps - b.spent, until: time.Now().Add(maxTime)}
		err = within(work)
	}
	b.spent += m.spent
	return problems, err
}

// enter waits until one more large piece of work may be under way.
func enter(ctx context.Context) (leave func(), err error) {
	select {
	case large <- struct{}{}:
		return func() { <-large }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// check applies a schema to a payload. The verdict has m's limit, and what explains it
// has as much again: a payload that does not fit is never too complex to be told so.
func check(m *meter, root *node, payload []byte) []problem.Problem {
	value, ok := parse(m, payload)
	if !ok {
		return []problem.Problem{{Message: "is not JSON"}}
	}
	e := &evaluation{meter: m, verdicts: map[verdictKey]verdict{}}
	if e.apply(root, value, false).valid {
		return nil
	}
	m.limit += m.limit
	x := &explanation{evaluation: e, seen: map[verdictKey]bool{}}
	err := within(func() { x.explain(root, value) })
	if err != nil && err != ErrTooComplex {
		panic(stopped{err})
	}
	if problems := x.problems.Problems(); len(problems) > 0 {
		return problems
	}
	return []problem.Problem{{Message: "does not fit the schema"}}
}

// Compile reports why a schema cannot be used: it is over a bound. Parts of another schema
// that cannot be checked, such as a pattern that is not RE2, are not: see prune.
func (s *Set) Compile(ctx context.Context, schema []byte) error {
	_, err := s.compile(ctx, schema)
	return err
}

func (s *Set) compile(ctx context.Context, schema []byte) (*node, error) {
	key := sha256.Sum256(schema)
	if root := s.kept(key); root != nil {
		return root, nil
	}
	odd, err := checkBounds(schema)
	if err != nil {
		return nil, schemaError(err)
	}
	leave, err := enter(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	if root := s.kept(key); root != nil {
		return root, nil // by who was before
	}
	root, size := compilePart(schema, odd)
	s.keep(&compiled{key: key, root: root, size: size + len(schema)})
	return root, nil
}

func schemaError(err error) error {
	return errors.New("adapter: response schema: " + problem.Line(err.Error()))
}

// compilePart compiles as much of a schema as can be checked. Odd is why it cannot be whole.
func compilePart(schema []byte, odd error) (root *node, size int) {
	if odd == nil {
		if root, size, err := compile(schema); err == nil {
			return root, size
		}
	}
	for _, follow := range []bool{true, false} { // without those that lead back to themselves
		part, err := prune(schema, follow)
		if err == nil {
			_, err = checkBounds(part)
		}
		if err != nil {
			continue
		}
		if root, size, err := compile(part); err == nil {
			return root, size
		}
	}
	return constantNode(true), 1000
}

// compile leaves to the library what a schema means, and that it is one.
func compile(schema []byte) (root *node, size int, err error) {
	defer func() {
		if p := recover(); p != nil {
			root, err = nil, fmt.Errorf("%v", p)
		}
	}()
	c := jsonschema.NewCompiler()
	c.Draft = jsonschema.Draft2020
	c.LoadURL = func(url string) (io.ReadCloser, error) {
		return nil, fmt.Errorf("refers to %q: only references inside the schema are followed", url)
	}
	const here = "urn:aguiws:response-schema"
	if err := c.AddResource(here, bytes.NewReader(schema)); err != nil {
		return nil, 0, err
	}
	compiled, err := c.Compile(here)
	if err != nil {
		return nil, 0, errors.New(strings.ReplaceAll(err.Error(), "\n", "; "))
	}
	return newGraph(compiled)
}

func (s *Set) kept(key [sha256.Size]byte) *node {
	s.mu.Lock()
	defer s.mu.Unlock()
	found := s.compiled[key]
	if found == nil {
		return nil
	}
	s.used.MoveToFront(found)
	return found.Value.(*compiled).root
}

// keep adds a schema, and lets go of those that were not used for longest.
func (s *Set) keep(c *compiled) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.compiled == nil {
		s.compiled = map[[sha256.Size]byte]*list.Element{}
	}
	if s.compiled[c.key] != nil {
		return
	}
	s.compiled[c.key] = s.used.PushFront(c)
	for s.size += c.size; s.size > maxCompiled; {
		oldest := s.used.Remove(s.used.Back()).(*compiled)
		delete(s.compiled, oldest.key)
		s.size -= oldest.size
	}
}
