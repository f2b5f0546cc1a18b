package store

import "encoding/json"

// Deletion says who deletes a thread. No open question goes without a decision on record: the
// commit that takes the thread away writes what Withdraw says.
type Deletion struct {
	Deleter
	Withdraw Withdraw
}

// Deleter is who deletes. It is kept until all is gone that is to go.
type Deleter struct {
	User string          // as Begin.User; notices tell it
	From json.RawMessage // what else Withdraw needs to know of it
}

// Withdraw says what goes on record of the open questions of a thread that is deleted. With
// keep the thread stays as it is, unless it goes whatever goes on in it. It may be called more
// than once.
type Withdraw func(Withdrawn) (list []Decided, keep bool)

// Withdrawn are the open questions of a thread that goes.
type Withdrawn struct {
	Suspension json.RawMessage // as End.Suspension
	Interrupts []string        // their ids, the first hundred
	By         Deleter
}
