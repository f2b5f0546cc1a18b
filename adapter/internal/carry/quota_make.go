package carry

import (
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
)

// Makes counts a thread that is to be made, as one of its user's threads and inputs, and
// returns for whom it counts.
func (q *Quotas) Makes(user string, key store.ThreadKey) (owner string, refused *protocol.RunError) {
	take := q.Takes(user, "", "")
	take.Thread, take.Threads, take.Inputs, take.Burst = key, q.Options.MaxThreadsPerUser, q.Options.MaxInputs, q.Options.InputBurst
	take.Runs, take.Makes = -1, true
	s := q.Ask(take)
	if refused = s.TooMany(); refused == nil {
		refused = s.threadsFull()
	}
	if taken := s.heard(); taken != nil && refused == nil {
		owner = taken.Owner
	}
	return owner, refused
}
