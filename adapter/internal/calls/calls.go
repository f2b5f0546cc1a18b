// Package calls carries out what agents ask of each other: it begins what was called, and answers
// the caller when that has ended. All of it may be done again, by whichever node.
package calls

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/admission"
	"github.com/aguiws/aguiws/adapter/internal/admit"
	"github.com/aguiws/aguiws/adapter/internal/execution"
	"github.com/aguiws/aguiws/adapter/internal/journal"
	"github.com/aguiws/aguiws/adapter/internal/node"
	"github.com/aguiws/aguiws/adapter/internal/stored"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
)

// lookSeldom is how often it is looked, at least, what became of a call of which nobody tells.
const lookSeldom = time.Minute

// Calls are those of agents by agents.
type Calls struct {
	*node.Node
	Admission *admit.Admission
}

// Look sees beside its caller to what a thread waits for. The sweep does so again later.
func (c *Calls) Look(caller store.ThreadKey) {
	c.Background(func() {
		ctx, cancel := context.WithTimeout(c.Ctx, c.Options.StoreTimeout)
		defer cancel()
		if err := c.Contain("call", caller, func() error { return c.see(ctx, caller, false) }); err != nil && ctx.Err() == nil {
			c.Log.Debug("a call could not be looked at; the sweep does so", "thread", caller.Thread, "error", err)
		}
	})
}

// Above is the thread that one stands below.
func (c *Calls) Above(ctx context.Context, child store.ThreadKey) (store.ThreadKey, bool, error) {
	nodes, err := c.Store.TreeNodes(ctx, child.Namespace, []string{child.Thread})
	if err != nil || nodes[0] == nil || nodes[0].Parent == "" {
		return store.ThreadKey{}, false, err
	}
	return store.ThreadKey{Namespace: child.Namespace, Thread: nodes[0].Parent}, true, nil
}

// Due is Look for a suspension that is past its time. False: it waits for no call.
func (c *Calls) Due(ctx context.Context, caller store.ThreadKey, open *store.Suspension) (bool, error) {
	if called(open) == nil {
		return false, nil
	}
	return true, c.see(ctx, caller, true)
}

// called is the open interrupt that waits for a call; nil: none does.
func called(open *store.Suspension) *store.SuspendedInterrupt {
	if open != nil {
		for i := range open.Items {
			if it := &open.Items[i]; it.By == store.AskedByCall && it.Child != nil && it.Child.Input != nil {
				return it
			}
		}
	}
	return nil
}

// see looks at what the thread has called: what has not begun begins, and what has ended
// answers the call. Due: what goes on is looked at again later.
func (c *Calls) see(ctx context.Context, caller store.ThreadKey, due bool) error {
	view, err := c.Store.Read(ctx, caller, store.ReadQuery{Window: 1})
	if err != nil {
		return err
	}
	open, err := stored.Suspension(view.Suspension)
	if err != nil {
		return err
	}
	it := called(open)
	if it == nil {
		return nil
	}
	child := store.ThreadKey{Namespace: caller.Namespace, Thread: it.Child.Thread}
	is, err := c.find(ctx, caller, child)
	if err != nil {
		return err
	}
	ended := is.ended
	switch {
	case is.run == nil && ended == nil:
		if ended, err = c.begin(ctx, caller, child, view.Tenant, open, it); err != nil {
			return err
		}
	case is.over:
		if ended, err = c.result(ctx, child, is.run); err != nil {
			return err
		}
	}
	if ended != nil {
		done, err := c.answer(ctx, caller, view.Tenant, it, ended)
		if err != nil || done {
			return err
		}
	}
	if !due {
		return nil
	}
	wait := min(max(view.Now.Sub(time.UnixMilli(it.Child.Asked))/4, execution.LookAfter), lookSeldom)
	_, err = c.Store.Postpone(ctx, caller, it.ID, view.Now.Add(wait))
	return err
}

// begin begins what was called. It returns what the call comes to if it cannot ever begin.
func (c *Calls) begin(ctx context.Context, caller, child store.ThreadKey, tenant string, open *store.Suspension, it *store.SuspendedInterrupt) (*ended, error) {
	c.Reached("before_child")
	if c.Options.Agents[it.Child.Agent] == nil {
		return nil, nil // another node may know it: in a rolling deployment not all do
	}
	refused, err := c.place(ctx, caller, child, it.Child.User)
	if refused != nil || err != nil {
		return refused, err
	}
	admitted, err := c.Admission.Take(ctx, admit.Request{
		Caller: &store.Caller{Thread: caller.Thread, Interrupt: it.ID, Users: open.Users, Tenant: it.Child.Tenant},
		Input: admission.Input{Namespace: child.Namespace, Tenant: tenant, Agent: it.Child.Agent, User: it.Child.User,
			From: store.Origin{Through: store.ThroughCall}, Run: it.Child.Input},
	})
	if err != nil {
		return nil, err
	}
	c.Reached("after_child")
	return refusedWith(admitted.Refusal), nil
}

// place puts the child below its caller.
func (c *Calls) place(ctx context.Context, caller, child store.ThreadKey, user string) (*ended, error) {
	nodes, err := c.Store.TreeNodes(ctx, child.Namespace, []string{child.Thread})
	if err != nil || nodes[0] != nil {
		return nil, err
	}
	owner, refusal := c.Admission.Quotas.Makes(user, child)
	if refusal != nil {
		return refusedWith(refusal), nil
	}
	_, err = c.Store.PutNode(ctx, child, store.NodeChange{Request: journal.Derive(child.Thread, journal.CallKey, 0), Create: true,
		Version: store.AnyVersion, Parent: &caller.Thread, Owner: owner})
	var not *store.TreeError
	if !errors.As(err, &not) || not.Why == store.NodeExists {
		return nil, unlessTree(err)
	}
	code, full := noRoom[not.Why]
	if !full {
		return nil, err // who deletes the caller ends the call
	}
	return &ended{Status: adapter.CallRefused, Code: code, Message: strings.TrimPrefix(string(not.Why), "parentThreadId: ")}, nil
}

// noRoom has the codes of the refusals that stay until somebody makes room.
var noRoom = map[store.TreeRefusal]string{
	store.TreeTooDeep:     adapter.CodeCallTooDeep,
	store.TreeTooLarge:    adapter.CodeTreeFull,
	store.TooManyNodes:    adapter.CodeNamespaceFull,
	store.TooMuchMetadata: adapter.CodeNamespaceFull,
}

func unlessTree(err error) error {
	if errors.Is(err, store.ErrTree) {
		return nil
	}
	return err
}

// refusedWith is what a call comes to that was refused; nil: it was not, or may be none in a
// moment.
func refusedWith(refusal *protocol.RunError) *ended {
	if refusal == nil {
		return nil
	}
	var own struct {
		After *int64 `json:"retryAfterMs"`
	}
	if text, has := refusal.Metadata["aguiws"]; has && json.Unmarshal(text, &own) == nil && own.After != nil {
		return nil
	}
	return &ended{Status: adapter.CallRefused, Code: refusal.Code, Message: refusal.Message}
}

// answer gives the caller what its call has come to. False: it cannot be given now.
func (c *Calls) answer(ctx context.Context, caller store.ThreadKey, tenant string, it *store.SuspendedInterrupt, end *ended) (bool, error) {
	c.Reached("before_result")
	end.Thread = it.Child.Thread
	payload, err := json.Marshal(end)
	if err != nil {
		return false, fmt.Errorf("adapter: result of a call: %w", err)
	}
	admitted, err := c.Admission.Take(ctx, admit.Request{Called: it.ID, Users: end.users, Input: admission.Input{
		Namespace: caller.Namespace, Tenant: tenant, From: store.Origin{Through: store.ThroughCall},
		Run: &protocol.RunAgentInput{ThreadID: caller.Thread, RunID: "called-" + it.Child.Thread,
			Resume: []protocol.ResumeEntry{{InterruptID: it.ID, Status: protocol.ResumeResolved, Payload: protocol.Any(payload)}}},
	}})
	if err != nil {
		return false, err
	}
	c.Reached("after_result")
	if admitted.Refusal != nil {
		c.Log.Debug("the result of a call is refused", "thread", caller.Thread, "code", admitted.Refusal.Code, "message", admitted.Refusal.Message)
	}
	return admitted.Refusal == nil, nil
}
