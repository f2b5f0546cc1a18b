package gateway

import (
	"context"
	"errors"
	"log/slog"
	"net/http"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/gateway/internal/wire"
	"github.com/aguiws/aguiws/protocol"
)

// reception takes one answer in: the stream, what it says, and how it is accounted for.
type reception struct {
	*exchange
	relay    *relay
	runs     runs
	decoding decoding
	peeked   *received // the first event that says something, not relayed yet
	ended    bool      // accounted for
	// stopped is closed when the agent has been told to stop; nil: it is not told.
	stopped <-chan struct{}
}

// receive makes a request. The error is a *failure, or why the run is over; what is
// returned with it has nothing to read.
func (u *Upstream) receive(ctx context.Context, run *adapter.Run, r request, body *wire.Payload, header http.Header) (*reception, error) {
	x, err := u.send(ctx, body, header, r.ids)
	v := &reception{exchange: x, decoding: newDecoding()}
	var to sink = run
	if r.unheard {
		to = unheard{run}
	}
	v.relay = newRelay(ctx, to, u.manners, u.options.Dialect, r.ids)
	v.relay.yes, v.relay.no = u.options.Yes, u.options.No
	v.relay.repaired = v.repaired(u.log(run, r.ids))
	v.relay.speaks = u.speaks
	v.runs = runs{read: v.event, behind: x.behind, repaired: v.relay.repaired, sent: r.ids.run, own: &u.ownIDs, retells: v.relay.names.retells, most: wire.LargeBytes}
	if f, ok := errors.AsType[*failure](err); ok && r.retries(f) {
		v.relay.repaired(RepairVersion)
		return v, err
	}
	v.relay.unclear = func(why string) {
		u.unclear.Do(func() {
			u.log(run, r.ids).Warn("the dialect of the agent is unclear: say it, dialect in upstreams or --upstream NAME=DIALECT+URL", "because", why)
		})
	}
	if err != nil {
		v.account(err, false)
		u.logFailure(run, r.ids, err)
		if x.sent.Load() {
			v.stopped = u.stop(r.ids, header, err)
		}
		return v, err
	}
	v.relay.failed = func(err error) {
		u.logFailure(run, r.ids, err)
		v.stopped = u.stop(r.ids, header, err)
	}
	return v, nil
}

// repaired counts repairs, and logs the first of each name.
func (v *reception) repaired(log *slog.Logger) func(name string) {
	seen := map[string]bool{}
	return func(name string) {
		v.u.observe(Observation{Repair: name})
		if !seen[name] {
			seen[name] = true
			level := slog.LevelInfo
			if name == RepairOutcome {
				level = slog.LevelWarn // AG-UI wants one: what was meant is not known
			}
			log.Log(v.ctx, level, "the agent's events were repaired", "repair", name, "event", v.relay.index)
		}
	}
}

// event reads the next event of the answer, whichever run it is of.
func (v *reception) event() (received, error) {
	text, err := v.next()
	if err != nil {
		return received{}, err
	}
	return v.decoding.next(text, v.stream.Cut)
}

// peek reads as far as to the first event that says that the agent has taken what it was
// sent: RUN_STARTED is said before anything is looked at, and a RUN_ERROR right behind it
// says that it was not. Any other event says that it was, also one that cannot be read.
func (v *reception) peek() error {
	for {
		next, err := v.runs.next()
		if err != nil {
			if f, ok := errors.AsType[*failure](err); ok {
				f.arrived = f.arrived || f.Code == adapter.CodeProtocolViolation
			}
			return v.fail(err)
		}
		switch e := next.event.(type) {
		case *protocol.RunStarted:
			v.relay.index = next.index
			v.relay.runStarted(e)
			continue
		case *protocol.RunError:
			if !next.late {
				f := ownFailure(e)
				v.account(f, false)
				v.relay.end()
				v.abandon()
				return f
			}
		}
		v.peeked = &next
		return nil
	}
}

// read relays what comes to the end of the run. The error is why the run is over.
func (v *reception) read() (outcome, error) {
	for {
		next, err := v.take()
		if err != nil {
			return ended(v.fail(err))
		}
		said, err := v.relay.take(next)
		if err != nil {
			return ended(v.fail(err))
		}
		if said == nil {
			continue
		}
		if said.Failure != nil {
			said.Failure.Forgotten = said.Failure.forgets("")
			v.account(said.Failure, false)
		} else {
			v.account(nil, len(said.Interrupts) > 0)
		}
		v.abandon()
		return *said, nil
	}
}

// take is the next event to relay.
func (v *reception) take() (received, error) {
	if next := v.peeked; next != nil {
		v.peeked = nil
		return *next, nil
	}
	return v.runs.next()
}

// fail gives the answer up for an error, and returns it.
func (v *reception) fail(err error) error {
	v.relay.end()
	v.account(err, false)
	v.abandon()
	v.relay.failed(err)
	return err
}

// leave gives the answer up because the run is over. A reception that has come to its end
// is left as it is.
func (v *reception) leave() {
	if !v.ended {
		_ = v.fail(errAbandoned)
	}
}

// account tells how the request ended, once.
func (v *reception) account(err error, interrupted bool) {
	if v.ended {
		return
	}
	v.ended = true
	v.u.observe(Observation{
		Code: codeOf(err), FirstEvent: v.first, Duration: v.lasted(),
		Events: v.count.events, Bytes: v.count.bytes, Interrupted: interrupted,
	})
}

func codeOf(err error) string {
	f, ok := errors.AsType[*failure](err)
	switch {
	case err == nil:
		return ""
	case !ok:
		return codeCancelled
	case f.own:
		return adapter.CodeAgentError
	}
	return f.Code
}

func (u *Upstream) log(run *adapter.Run, as ids) *slog.Logger {
	return u.options.Logger.With("upstream", u.options.Name, "thread", run.ThreadID(), "label", run.LatestInput().RunID, "sentRunId", as.run)
}

// logFailure tells the log why a request failed: what clients are told, and what they are
// not.
func (u *Upstream) logFailure(run *adapter.Run, as ids, err error) {
	f, ok := errors.AsType[*failure](err)
	if !ok || f.own {
		return
	}
	args := []any{"code", f.Code, "error", f.Message}
	if f.cause != nil {
		text := f.cause.Error()
		args = append(args, "cause", excerpt([]byte(text)))
	}
	u.log(run, as).Warn("a request to the agent failed", args...)
}
