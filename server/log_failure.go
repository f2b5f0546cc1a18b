package server

import (
	"context"
	"errors"
	"log/slog"
)

// logFailure tells the log that something failed which was done for the peer. A call that
// the end of its connection ended, which a client may cause when it likes, has not failed:
// it is told to who debugs.
func (p *peer) logFailure(doing, thread string, err error) {
	if ended := context.Cause(p.ctx); ended != nil && (errors.Is(err, context.Canceled) || errors.Is(err, ended)) {
		p.log.Debug("the connection ended meanwhile", "doing", doing, "thread", thread, "why", ended)
		return
	}
	p.log.Warn(doing+" failed", "thread", thread, "error", err)
}

// logFailureFor is logFailure for a request that has no peer yet.
func logFailureFor(request context.Context, log *slog.Logger, doing string, err error) {
	if context.Cause(request) != nil && errors.Is(err, context.Canceled) {
		log.Debug("the client has gone meanwhile", "doing", doing)
		return
	}
	log.Error(doing+" failed", "error", err)
}
