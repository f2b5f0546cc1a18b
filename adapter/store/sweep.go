package store

import "context"

// Sweep is what nodes do again and again, each for all: nobody else need be alive.
type Sweep interface {
	// Due returns threads that want a Claim: queued dispatches that are ready,
	// leases that have expired, and suspensions past their deadline. At most
	// limit; those that stay due, however many, hide no other for long. Some, beside
	// an error that wraps ErrPartial.
	Due(ctx context.Context, limit int) ([]ThreadKey, error)
	// Retire trims logs, run records, archives and terminal dispatches that are
	// past their retention, a bounded number a call. More: there is more to do,
	// beside an error too: what fails is left out.
	Retire(ctx context.Context) (more bool, err error)
}
