package execution

import (
	"context"

	"github.com/aguiws/aguiws/adapter/internal/node"
)

// NewExecution is the activation of a run that this node has claimed.
func NewExecution(ctx context.Context, cancel context.CancelCauseFunc, n *node.Node, b *Begun) *execution {
	x := &execution{
		Activation: Activation{
			Claim: b.Claim, Ctx: ctx, Cancel: cancel,
			Lease: newLease(n.Store, b.Claim, n.Options.Lease, b.Asked),
			Pipe:  newPipeline(ctx, n.Store, n.Company, b.Claim, b.Number, b.Seq),
		},
		node: n, agent: n.Options.Agents[b.Agent], named: b.Agent, label: b.Label, id: b.Id, frozen: b.Frozen, given: b.Given, headers: b.Headers,
		continuing: b.Continuing, stored: b.Snapshot, hasParts: hasParts(b.View), version: b.View.Version,
		allowed: n.Options.RoomFor(b.View.Bytes),
	}
	x.room, x.Pipe.traces = x.allowed, n.Traces
	return x
}

// GoThrough prepares the execution, and calls its agent if it is to go on.
func (x *execution) GoThrough(b *Begun) error {
	if err := x.prepare(b); err != nil {
		return err
	}
	err := x.goOnOrEnd(b)
	if err != nil {
		x.Parking.Dismiss(x.id)
	}
	return err
}

func (x *execution) goOnOrEnd(b *Begun) error {
	waits, err := x.settleCalls(b)
	switch {
	case err != nil:
		return err
	case !waits:
		return x.stopHere()
	case x.journal.Stopped:
		return x.stopHere()
	case x.journal.Failure != "":
		return x.giveUp(x.journal.Failure, "an interrupt expired before it was answered")
	case x.frozen.Restores:
		x.finish(nil)
	case x.agent == nil:
		return node.UnknownAgent(x.named, b.Orphan, !x.journal.Final)
	case x.blocking():
		return x.callBlocking()
	default:
		x.call()
	}
	return nil
}
