package runner

import (
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
)

// makes counts a thread that is to be made, as one of its user's threads and inputs, and
// returns for whom it counts.
func (q *quotas) makes(user string, key store.ThreadKey) (owner string, refused *protocol.RunError) {
	take := q.takes(user, "", "")
	take.Thread, take.Threads, take.Inputs, take.Burst = key, q.options.MaxThreadsPerUser, q.options.MaxInputs, q.options.InputBurst
	take.Runs, take.Makes = -1, true
	s := q.ask(take)
	if refused = s.tooMany(); refused == nil {
		refused = s.threadsFull()
	}
	if taken := s.heard(); taken != nil && refused == nil {
		owner = taken.Owner
	}
	return owner, refused
}
