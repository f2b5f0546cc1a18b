package operate

import (
	"context"
	"encoding/json"
	"time"

	"github.com/aguiws/aguiws/adapter/internal/admit"
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
	// Calls are the last tool calls among its messages that have a result, at most 20. A
	// result that says that the call was not carried out does not count. What they did is
	// not undone.
	Calls []CarriedOut
}

// CarriedOut is a tool call that was carried out, unless a decision on record refused it.
type CarriedOut struct {
	ID, Tool  string
	Arguments string // as proposed; "": they are longer than 2 KiB
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
		branch := Branch{ID: b.ID, After: about.After, At: unixMilli(about.At), Count: about.Count, Title: about.Title, Kept: about.Kept && b.Kept}
		for _, c := range about.Calls {
			branch.Calls = append(branch.Calls, CarriedOut{ID: c.ID, Tool: c.Name, Arguments: c.Arguments})
		}
		branches = append(branches, branch)
	}
	return branches, nil
}
