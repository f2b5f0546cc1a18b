package execution

import (
	"context"
	"slices"

	"github.com/aguiws/aguiws/adapter/internal/node"
	"github.com/aguiws/aguiws/adapter/internal/retry"
	"github.com/aguiws/aguiws/adapter/internal/stored"
	"github.com/aguiws/aguiws/adapter/store"
)

// users are those whose messages the execution has been given, as far as they are
// known; "" among them is somebody who is not. Nobody, if who began it is not.
func (x *execution) users() ([]string, error) {
	if x.frozen.User == "" {
		return nil, nil
	}
	users := []string{x.frozen.User}
	add := func(user string) {
		if !slices.Contains(users, user) {
			users = append(users, user)
		}
	}
	for _, answer := range x.journal.Answers {
		if answer != nil && len(answer.Messages) > 0 {
			add(answer.User)
		}
	}
	for _, user := range x.journal.Others {
		add(user)
	}
	if of := x.frozen.Answers; of != nil {
		by, err := broughtByUser(x.Ctx, x.node, x.Claim.Thread, *of)
		if err != nil {
			return nil, err
		}
		add(by)
	}
	if x.frozen.Caller != nil {
		for _, user := range x.frozen.Caller.Users {
			add(user)
		}
	}
	slices.Sort(users[1:])
	return users, nil
}

// producersLooked is among how many of a thread's last messages the one is looked for that
// an input answers anew: what stands behind it was made by the run that goes on.
const producersLooked = 200

// broughtByUser is who brought a message; "": it is not known. A run's record names the messages
// of its input, which no label does: a client chooses that.
func broughtByUser(ctx context.Context, n *node.Node, key store.ThreadKey, of store.Answered) (string, error) {
	label := of.Label
	if label == "" {
		page, err := retry.Do(ctx, func() (store.MessagePage, error) {
			return n.Store.Messages(ctx, key, store.MessageQuery{Limit: producersLooked, Bare: true})
		})
		if err != nil {
			return "", err
		}
		label = page.Producers[of.Message].RunID
	}
	if label == "" {
		return "", nil
	}
	view, err := retry.Do(ctx, func() (*store.ThreadView, error) {
		return n.Store.Read(ctx, key, store.ReadQuery{Label: label, Window: 1})
	})
	if err != nil {
		return "", err
	}
	for _, run := range view.Labelled {
		record, err := stored.Record(&run)
		if err != nil {
			return "", err
		}
		if slices.Contains(record.Messages, of.Message) {
			return record.User, nil
		}
	}
	return "", nil
}
