package adapter

import (
	"slices"

	"github.com/aguiws/aguiws/adapter/internal/judge"
	"github.com/aguiws/aguiws/protocol"
)

// AnotherResolves returns the interrupt as one that, with Options.SeparateDuties, must
// be resolved by somebody else than whose messages led to it. Tool calls are so without
// it. Clients see it in the interrupt's metadata.
func AnotherResolves(i protocol.Interrupt) protocol.Interrupt {
	return withOwn(i, judge.AnotherKey, true)
}

// users are those whose messages the execution has been given, as far as they are
// known. Nobody, if who began it is not.
func (x *execution) users() []string {
	if x.frozen.User == "" {
		return nil
	}
	users := []string{x.frozen.User}
	for _, answer := range x.journal.answers {
		if answer != nil && len(answer.Messages) > 0 && answer.User != "" && !slices.Contains(users, answer.User) {
			users = append(users, answer.User)
		}
	}
	for _, user := range x.journal.steered {
		if !slices.Contains(users, user) {
			users = append(users, user)
		}
	}
	slices.Sort(users[1:])
	return users
}
