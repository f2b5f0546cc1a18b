package operate

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/internal/admit"
	"github.com/aguiws/aguiws/adapter/internal/judge"
	"github.com/aguiws/aguiws/adapter/internal/stored"
	"github.com/aguiws/aguiws/adapter/store"
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

// Branches returns what rewinds took out of a thread and is kept, the latest first. They
// stand in the thread as long as its archive, and make room for later ones. Those whose
// After is not in the thread are part of another branch, and can be restored when that is.
func (ts *threads) Branches(ctx context.Context, key store.ThreadKey) ([]Branch, error) {
	kept, err := ts.Store.Branches(ctx, key)
	if err != nil {
		return nil, err
	}
	var branches []Branch
	for _, b := range kept {
		var about admit.AboutBranch
		if json.Unmarshal(b.About, &about) != nil {
			continue // the others can be restored
		}
		branches = append(branches, Branch{ID: b.ID, After: about.After, At: unixMilli(about.At), Count: about.Count, Title: about.Title, Kept: about.Kept && b.Kept})
	}
	return branches, nil
}

// branchToRestore reads one. A branch that is gone refuses only an input that is no repeat.
func (ts *threads) branchToRestore(ctx context.Context, key store.ThreadKey, id string) (*admit.GoingBack, error) {
	back := &admit.GoingBack{Restores: id}
	branches, err := ts.Branches(ctx, key)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(branches, func(b Branch) bool { return b.ID == id })
	if i < 0 {
		back.Refusal = judge.Refuse(adapter.CodeBranchGone, fmt.Sprintf("the thread has no branch %q: it was restored, or has made room for later ones", id), nil)
		return back, nil
	}
	back.After = branches[i].After
	text, err := ts.Store.BranchMessages(ctx, key, id)
	if err != nil {
		return nil, err
	}
	if text == nil {
		back.Refusal = judge.Refuse(adapter.CodeBranchGone, "the messages of this branch were too many to be kept", nil)
		return back, nil
	}
	return back, stored.Decode(text, &back.Messages, "branch %s", id)
}
