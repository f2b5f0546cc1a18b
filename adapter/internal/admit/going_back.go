package admit

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/internal/judge"
	"github.com/aguiws/aguiws/adapter/internal/stored"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
	"github.com/aguiws/aguiws/protocol/fold"
)

// GoingBack is how an input goes back in its thread that says so itself.
type GoingBack struct {
	After    string            // the last message that stays; "": none does, or before says it
	Before   string            // the first one that does not
	Again    bool              // the input brings nothing: what stays ends with a user message, which is answered anew
	Restores string            // the branch whose messages follow; "": none
	Messages protocol.Messages // of it
}

// find looks for the branch to restore. The thread's view must be of no later moment: if
// the branch is restored meanwhile, the thread has moved, and no run begins.
func (g *GoingBack) find(ctx context.Context, s store.Branches, key store.ThreadKey) (*protocol.RunError, error) {
	branches, err := s.Branches(ctx, key)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(branches, func(b store.Branch) bool { return b.ID == g.Restores })
	var about AboutBranch
	if i < 0 || json.Unmarshal(branches[i].About, &about) != nil {
		return judge.Refuse(adapter.CodeBranchGone, fmt.Sprintf("the thread has no branch %q: it was restored, or has made room for later ones", g.Restores), nil), nil
	}
	if !about.Kept || !branches[i].Kept {
		return branchNotKept(), nil
	}
	g.After = about.After
	return nil, nil
}

// read reads the messages of the branch that was found.
func (g *GoingBack) read(ctx context.Context, s store.Branches, key store.ThreadKey) (*protocol.RunError, error) {
	text, err := s.BranchMessages(ctx, key, g.Restores)
	switch {
	case err != nil:
		return nil, err
	case text == nil:
		return branchNotKept(), nil
	}
	g.Messages = nil
	return nil, stored.Decode(text, &g.Messages, "branch %s", g.Restores)
}

func branchNotKept() *protocol.RunError {
	return judge.Refuse(adapter.CodeBranchGone, "the messages of this branch were too many to be kept", nil)
}

// goBack lets the run of an input that was judged begin by going back. An input that waits
// is refused: it would follow what the thread holds by then.
func (g *GoingBack) goBack(j *judge.Judgement, v *judge.Verdict, waits bool) *protocol.RunError {
	keep := 0
	if id := cmp.Or(g.After, g.Before); id != "" {
		place, held := j.Fold.Place(id)
		switch {
		case held:
			keep = j.Fold.Rank(place)
		case g.Restores != "":
			return judge.Refuse(adapter.CodeBranchGone, fmt.Sprintf("the thread does not hold message %q, behind which the branch stood: restore the branch that does first", id), nil)
		default:
			return judge.Refuse(adapter.CodeInvalidInput, fmt.Sprintf("the thread holds no message %q", id), nil)
		}
		if g.After != "" {
			keep++
		}
	}
	last, next := around(j.Fold, keep)
	switch {
	case next.Role == protocol.RoleTool:
		return judge.Refuse(adapter.CodeInvalidInput, fmt.Sprintf("message %q is the result of a call that would stay: go back to before the call", next.ID), nil)
	case g.Again && last.Role != protocol.RoleUser:
		return judge.Refuse(adapter.CodeInvalidInput, fmt.Sprintf("message %q is not a user's, which can be answered anew: give a text that follows it", last.ID), nil)
	case waits, v.Queue:
		return judge.RefuseForNow(adapter.CodeThreadBusy, "an input that goes back cannot wait: stop the run that is under way, or wait until it has ended")
	}
	v.Keep, v.Rewinds, v.Behind = keep, keep < j.Fold.Len() || g.Restores != "", false
	return nil
}

// around are the messages on both sides of a place that so many stand before.
func around(f *fold.Fold, keep int) (last, next protocol.Message) {
	for m := range f.All() {
		if keep == 0 {
			return last, m
		}
		last = m
		keep--
	}
	return last, protocol.Message{}
}
