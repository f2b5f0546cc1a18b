package runner

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/internal/judge"
	"github.com/aguiws/aguiws/adapter/internal/stored"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
	"github.com/aguiws/aguiws/protocol/fold"
)

// Branch is messages that a rewind took out of a thread together.
type Branch struct {
	ID    string    // of the run that took them out
	After string    // the message that they stood behind; "": they began the thread
	At    time.Time // when they were taken out
	Count int
	Title string // what their first user message says
	// Kept says that the messages can be restored. More than 4 MiB of them are not kept,
	// or what the store takes for too many.
	Kept bool
}

// aboutBranch is what a list of branches is made of.
type aboutBranch struct {
	After string `json:"after,omitempty"`
	At    int64  `json:"at"`
	Count int    `json:"n"`
	Title string `json:"title,omitempty"`
	Kept  bool   `json:"kept,omitempty"`
}

// branchBytes bounds the messages of a branch: they are encoded and deflated before the
// run begins that takes them out.
const branchBytes = 4 << 20

// branch is what is kept of messages that are taken out from a place on.
func branch(held protocol.Messages, keep int, at time.Time) (*store.Branch, error) {
	out := held[keep:]
	if len(out) == 0 {
		return nil, nil
	}
	about := aboutBranch{At: at.UnixMilli(), Count: len(out), Title: titleOf(out)}
	if keep > 0 {
		about.After = held[keep-1].ID
	}
	b := &store.Branch{Messages: json.RawMessage("[")}
	for i, m := range out {
		text, err := m.MarshalJSON()
		if err != nil {
			return nil, fmt.Errorf("adapter: branch: %w", err)
		}
		if len(b.Messages)+len(text) > branchBytes {
			b.Messages = nil
			break
		}
		if i > 0 {
			b.Messages = append(b.Messages, ',')
		}
		b.Messages = append(b.Messages, text...)
	}
	if about.Kept = b.Messages != nil; about.Kept {
		b.Messages = append(b.Messages, ']')
	}
	var err error
	b.About, err = json.Marshal(about)
	return b, err
}

// Branches returns what rewinds took out of a thread and is kept, the latest first. They
// stand in the thread as long as its archive, and make room for later ones. Those whose
// After is not in the thread are part of another branch, and can be restored when that is.
func (ts *threads) Branches(ctx context.Context, key store.ThreadKey) ([]Branch, error) {
	return branchesOf(ctx, ts.store, key)
}

func branchesOf(ctx context.Context, s store.Branches, key store.ThreadKey) ([]Branch, error) {
	kept, err := s.Branches(ctx, key)
	if err != nil {
		return nil, err
	}
	var branches []Branch
	for _, b := range kept {
		var about aboutBranch
		if json.Unmarshal(b.About, &about) != nil {
			continue // the others can be restored
		}
		branches = append(branches, Branch{ID: b.ID, After: about.After, At: unixMilli(about.At), Count: about.Count, Title: about.Title, Kept: about.Kept && b.Kept})
	}
	return branches, nil
}

// goingBack is how an input goes back in its thread that says so itself.
type goingBack struct {
	after    string            // the last message that stays; "": none does, or before says it
	before   string            // the first one that does not
	again    bool              // the input brings nothing: what stays ends with a user message, which is answered anew
	restores string            // the branch whose messages follow; "": none
	messages protocol.Messages // of it
}

// find looks for the branch to restore. The thread's view must be of no later moment: if
// the branch is restored meanwhile, the thread has moved, and no run begins.
func (g *goingBack) find(ctx context.Context, s store.Branches, key store.ThreadKey) (*protocol.RunError, error) {
	branches, err := branchesOf(ctx, s, key)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(branches, func(b Branch) bool { return b.ID == g.restores })
	switch {
	case i < 0:
		return judge.Refuse(adapter.CodeBranchGone, fmt.Sprintf("the thread has no branch %q: it was restored, or has made room for later ones", g.restores), nil), nil
	case !branches[i].Kept:
		return errBranchNotKept(), nil
	}
	g.after = branches[i].After
	return nil, nil
}

// read reads the messages of the branch that was found.
func (g *goingBack) read(ctx context.Context, s store.Branches, key store.ThreadKey) (*protocol.RunError, error) {
	text, err := s.BranchMessages(ctx, key, g.restores)
	switch {
	case err != nil:
		return nil, err
	case text == nil:
		return errBranchNotKept(), nil
	}
	g.messages = nil
	return nil, stored.Decode(text, &g.messages, "branch %s", g.restores)
}

func errBranchNotKept() *protocol.RunError {
	return judge.Refuse(adapter.CodeBranchGone, "the messages of this branch were too many to be kept", nil)
}

// goBack lets the run of an input that was judged begin by going back. An input that waits
// is refused: it would follow what the thread holds by then.
func (g *goingBack) goBack(j *judge.Judgement, v *judge.Verdict, waits bool) *protocol.RunError {
	keep := 0
	if id := cmp.Or(g.after, g.before); id != "" {
		place, held := j.Fold.Place(id)
		switch {
		case held:
			keep = j.Fold.Rank(place)
		case g.restores != "":
			return judge.Refuse(adapter.CodeBranchGone, fmt.Sprintf("the thread does not hold message %q, behind which the branch stood: restore the branch that does first", id), nil)
		default:
			return judge.Refuse(adapter.CodeInvalidInput, fmt.Sprintf("the thread holds no message %q", id), nil)
		}
		if g.after != "" {
			keep++
		}
	}
	last, next := around(j.Fold, keep)
	switch {
	case next.Role == protocol.RoleTool:
		return judge.Refuse(adapter.CodeInvalidInput, fmt.Sprintf("message %q is the result of a call that would stay: go back to before the call", next.ID), nil)
	case g.again && last.Role != protocol.RoleUser:
		return judge.Refuse(adapter.CodeInvalidInput, fmt.Sprintf("message %q is not a user's, which can be answered anew: give a text that follows it", last.ID), nil)
	case waits, v.Queue:
		return judge.RefuseForNow(adapter.CodeThreadBusy, "an input that goes back cannot wait: stop the run that is under way, or wait until it has ended")
	}
	v.Keep, v.Rewinds, v.Behind = keep, keep < j.Fold.Len() || g.restores != "", false
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
