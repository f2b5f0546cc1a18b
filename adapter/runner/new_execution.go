package runner

import "context"

// newExecution is the activation of a run that this node has claimed.
func newExecution(ctx context.Context, cancel context.CancelCauseFunc, n *node, b *begun) *execution {
	x := &execution{
		activation: activation{
			claim: b.claim, ctx: ctx, cancel: cancel,
			lease: newLease(n.store, b.claim, n.options.Lease, b.asked),
			pipe:  newPipeline(n.store, b.claim, b.number, b.seq),
		},
		node: n, agent: n.options.Agents[b.agent], named: b.agent, label: b.label, id: b.id, frozen: b.frozen, given: b.given, headers: b.headers,
		continuing: b.continuing, stored: b.snapshot, hasParts: hasParts(b.view), version: b.view.Version,
		allowed: n.options.roomFor(b.view.Bytes),
	}
	x.room = x.allowed
	return x
}

// goThrough prepares the execution, and calls its agent if it is to go on.
func (x *execution) goThrough(b *begun) error {
	if err := x.prepare(b); err != nil {
		return err
	}
	err := x.goOnOrEnd(b)
	if err != nil {
		x.parking.dismiss(x.id)
	}
	return err
}

func (x *execution) goOnOrEnd(b *begun) error {
	switch {
	case x.journal.stopped:
		return x.stopHere()
	case x.journal.failure != "":
		return x.giveUp(x.journal.failure, "an interrupt expired before it was answered")
	case x.frozen.Restores:
		x.finish(nil)
	case x.agent == nil:
		return unknownAgent(x.named, b.orphan, !x.journal.final)
	case x.blocking():
		return x.callBlocking()
	default:
		x.call()
	}
	return nil
}
