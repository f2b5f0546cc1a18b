package store

import (
	"context"
	"time"
)

// Logins is what a Store keeps of logins of users at other services. Everything in it comes
// sealed: a store needs to know none of it.
type Logins interface {
	// PutFlow keeps what a flow needs under its id, for a while.
	PutFlow(ctx context.Context, id string, data []byte, keep time.Duration) error
	// Flow returns what is kept of a flow; nil: nothing is.
	Flow(ctx context.Context, id string) ([]byte, error)
	// TakeFlow lets one caller have a flow, which names itself by a random text: the same
	// caller gets it again, as after a lost reply. No other caller ever does, and then the
	// store keeps only that the flow was taken.
	TakeFlow(ctx context.Context, id, by string) (FlowTaken, error)

	// Tokens are those of a user, by provider, in no order.
	Tokens(ctx context.Context, user string) ([]StoredToken, error)
	// PutToken keeps a token in the place of the version that was there; "": of whatever
	// was, NoToken: of none. False: another version is there. A call that is sent again
	// changes nothing, whatever was put or deleted since. A token of the version that was
	// there is another sealing of it: its holder goes on holding it. All tokens of a user
	// are forgotten when none was put for keep.
	PutToken(ctx context.Context, user string, t StoredToken, was string, keep time.Duration) (bool, error)
	// DropToken deletes the token of a provider, if it is of that version; "": whatever it
	// is. False: none was there, or another version.
	DropToken(ctx context.Context, user, provider, version string) (bool, error)
	// HoldToken lets one caller at a time work at a version of a token, for that long at
	// most. The same caller holds it again. False: somebody else does, or it is another version.
	HoldToken(ctx context.Context, user, provider, version, by string, hold time.Duration) (bool, error)
}

// NoToken stands for the version of a token that there is not.
const NoToken = "-"

// FlowTaken answers TakeFlow. Neither Data nor Used: there is no such flow.
type FlowTaken struct {
	Data []byte
	Used bool // somebody else has taken it
}

// StoredToken is a token of a user at a provider.
type StoredToken struct {
	Provider string
	Version  string // a random text, which no other token has
	Sealed   []byte
}
