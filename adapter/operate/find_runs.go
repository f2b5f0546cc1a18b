package operate

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
)

// RunQuery asks for a page of the runs of a thread, or of all threads of a namespace. The
// store has no index of runs: they are looked for among so many for a page, which may have
// fewer than Limit and be followed by another one.
type RunQuery struct {
	Namespace string
	Thread    string    // "": all
	Title     string    // with no Thread: what the title of the thread has in it; "": anything
	From, To  time.Time // with no Thread: From ≤ RunInfo.Created < To; zero: any
	States    []store.DispatchState
	Origin    store.RunOrigin // "": any
	Result    RunResult       // "": any
	Agent     string          // "": any
	Label     string          // the client's runId; "": any
	Parent    string          // RunInfo.ParentRunID; "": any
	IDPrefix  string          // of the server-made id
	Limit     int             // 0: 50
	// Cursor is that of the page before, to the same query but for Limit:
	// store.ErrBadCursor for another.
	Cursor string
}

// For a page no more runs are looked at than runLooks. They are read in pieces of runPiece.
const (
	runLooks = 500
	runPiece = 100
)

// runPlace is where a page of runs begins.
type runPlace struct {
	Query string `json:"q"` // a digest of what is asked for
	// Of one thread:
	Thread string `json:"t,omitempty"`
	Offset int    `json:"o,omitempty"` // in Thread
	After  string `json:"a,omitempty"` // the run that stood before Offset
	// Of all threads:
	Threads string         `json:"c,omitempty"` // the cursor of the round
	Then    string         `json:"n,omitempty"` // that of the next one, if a part of this one was missing
	Past    *runMark       `json:"p,omitempty"` // the last run that was looked at in it; nil: none
	Deep    map[string]int `json:"d,omitempty"` // by thread, how many of its runs stand before, if they are many
}

func (q *RunQuery) digest() string {
	only := *q
	only.Limit, only.Cursor = 0, ""
	text, _ := json.Marshal(only)
	sum := sha256.Sum256(text)
	return base64.RawURLEncoding.EncodeToString(sum[:9])
}

func (q *RunQuery) place() (runPlace, error) {
	at := runPlace{Query: q.digest(), Thread: q.Thread}
	if q.Cursor == "" {
		return at, nil
	}
	var told runPlace
	text, err := base64.RawURLEncoding.DecodeString(q.Cursor)
	if err != nil || json.Unmarshal(text, &told) != nil || told.Query != at.Query || !told.sound() || told.Thread != q.Thread {
		return at, fmt.Errorf("%w: the cursor is of another query of runs", store.ErrBadCursor)
	}
	return told, nil
}

const maxRunOffset = 1_000_000

func (p *runPlace) sound() bool {
	for _, n := range p.Deep {
		if n < 0 || n > maxRunOffset {
			return false
		}
	}
	return p.Offset >= 0 && p.Offset <= maxRunOffset
}

func (p runPlace) cursor() string {
	text, _ := json.Marshal(p)
	return base64.RawURLEncoding.EncodeToString(text)
}

func (q *RunQuery) wants(r *RunInfo) bool {
	return (q.Origin == "" || r.Origin == q.Origin) && (q.Result == "" || r.Result == q.Result) && (q.Agent == "" || r.Agent == q.Agent) && (q.Label == "" || r.Label == q.Label) &&
		(q.Parent == "" || r.ParentRunID == q.Parent) && strings.HasPrefix(r.ID, q.IDPrefix)
}

// FindRuns returns a page of runs, and the cursor of the next one, "" at the end. Those of one
// thread come in the order of Runs, and those of all threads as findLatest has them. A run that
// begins meanwhile may be missing from later pages, and moves none of the others to where it is
// not found. Errors are as Inbox's.
func (ds *dispatches) FindRuns(ctx context.Context, q RunQuery) ([]RunInfo, string, error) {
	at, err := q.place()
	if err != nil {
		return nil, "", err
	}
	if q.Limit <= 0 {
		q.Limit = 50
	}
	if q.Thread == "" {
		return ds.findLatest(ctx, &q, at)
	}
	found, looks := []RunInfo{}, 0
	over, err := ds.findIn(ctx, &q, &at, &found, &looks)
	if err != nil {
		return nil, "", err
	}
	if over {
		return found, "", nil
	}
	return found, at.cursor(), nil
}

// findIn looks through the runs of a place's thread, and moves the place. Over: to their end.
func (ds *dispatches) findIn(ctx context.Context, q *RunQuery, at *runPlace, found *[]RunInfo, looks *int) (over bool, err error) {
	key := store.ThreadKey{Namespace: q.Namespace, Thread: at.Thread}
	for *looks < runLooks && len(*found) < q.Limit {
		first := max(at.Offset-1, 0)
		runs, err := ds.Runs(ctx, key, store.DispatchQuery{States: q.States, Offset: first, Limit: runPiece})
		if err != nil {
			return false, err
		}
		*looks += len(runs)
		next := at.Offset - first
		// Runs that have begun since stand before, and move the others back.
		if i := slices.IndexFunc(runs, func(r RunInfo) bool { return r.ID == at.After }); i >= 0 {
			next = i + 1
		}
		for _, r := range runs[min(next, len(runs)):] {
			next++
			at.After = r.ID
			if q.wants(&r) {
				if *found = append(*found, r); len(*found) == q.Limit {
					break
				}
			}
		}
		at.Offset = first + min(next, len(runs))
		if len(runs) < runPiece && next >= len(runs) {
			return true, nil
		}
	}
	return false, nil
}
