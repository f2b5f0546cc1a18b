package store

import "errors"

// ErrOutcomeUnknown wraps every store error after which the call may or may
// not have taken effect (a lost reply, a time-out, a fail-over). The same call
// may be sent again: each writing call recognises itself.
var ErrOutcomeUnknown = errors.New("store: no answer, the outcome is unknown")

// ErrMoved is wrapped by errors of calls during whose every try others have changed what they are about. It is an
// ErrOutcomeUnknown, after which the same call may be sent again, but of a store that answers.
var ErrMoved error = movedError{}

type movedError struct{}

func (movedError) Error() string { return "store: others change it again and again meanwhile" }

func (movedError) Unwrap() error { return ErrOutcomeUnknown }

// ErrPartial is wrapped, beside ErrOutcomeUnknown, by errors of calls that ask all of
// a store of which a part does not answer: Work, Tail, the counts and the pages. The values
// that they return with it are right, and are what the other parts have answered.
var ErrPartial = errors.New("store: a part of it did not answer")

// ErrCannotAwait is Await's answer where there is nothing to wait for all of the store by.
var ErrCannotAwait = errors.New("store: work cannot be waited for")

// ErrClaimLost is Journal's answer to a claim that is not held any more.
var ErrClaimLost = errors.New("store: the claim is lost")

// ErrCorrupted is wrapped by errors that say what of a thread's stored data cannot
// be read, and never what it holds. It concerns that thread alone, and the same call
// fails again. All of such a thread can be stopped, and it can be deleted.
var ErrCorrupted = errors.New("store: stored data cannot be read")

// ErrBadCursor is wrapped by calls that page, for a cursor that is none of theirs.
var ErrBadCursor = errors.New("store: the cursor is not one that this list has given")
