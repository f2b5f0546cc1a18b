package peer

import (
	"context"
	"errors"
	"log/slog"
)

// LogFailure tells the log that something failed which was done for the peer. A call that
// the end of its connection ended, which a client may cause when it likes, has not failed:
// it is told to who debugs.
func (p *Peer) LogFailure(doing, thread string, err error) {
	if ended := context.Cause(p.Ctx); ended != nil && (errors.Is(err, context.Canceled) || errors.Is(err, ended)) {
		p.Log.Debug("the connection ended meanwhile", "doing", doing, "thread", thread, "why", ended)
		return
	}
	p.Log.Warn(doing+" failed", "thread", thread, "error", err)
}

// LogFailureFor is LogFailure for a request that has no peer yet.
func LogFailureFor(request context.Context, log *slog.Logger, doing string, err error) {
	if context.Cause(request) != nil && errors.Is(err, context.Canceled) {
		log.Debug("the client has gone meanwhile", "doing", doing)
		return
	}
	log.Error(doing+" failed", "error", err)
}
