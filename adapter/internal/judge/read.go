package judge

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/aguiws/aguiws/adapter/internal/folded"
	"github.com/aguiws/aguiws/adapter/internal/responseschema"
	"github.com/aguiws/aguiws/adapter/internal/stored"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
)

// maxAnsweringRuns bounds the runs that the answers of one input were given to
// before. An input repeats answers to one suspension, or to a few.
const maxAnsweringRuns = 8

// maxReads bounds how often a thread is read again because it changed meanwhile.
const maxReads = 50

// Reader is what judging needs of a store.
type Reader interface {
	// Read is that of store.Admission.
	Read(ctx context.Context, key store.ThreadKey, q store.ReadQuery) (*store.ThreadView, error)
}

// Read reads what judging an input takes, of which threads may hold some. Schemas check
// the payloads of its answers. Read also reads what became of the named interrupts.
func Read(ctx context.Context, st Reader, threads *folded.Threads, schemas *responseschema.Set, key store.ThreadKey, input *protocol.RunAgentInput, named ...string) (*Judgement, error) {
	q := store.ReadQuery{Label: input.RunID, InterruptIDs: slices.Clone(named), Journal: len(input.Resume)+len(named) > 0}
	for _, entry := range input.Resume {
		q.InterruptIDs = append(q.InterruptIDs, entry.InterruptID)
	}
	for range maxReads {
		j := &Judgement{Input: input, sent: input.Messages, thread: key, schemas: schemas, answered: map[string]answeredRun{}}
		moved, err := j.read(ctx, st, threads, q)
		if err != nil || !moved {
			return j, err
		}
	}
	return nil, fmt.Errorf("%w: the thread changes too fast to be read", store.ErrOutcomeUnknown)
}

// read reads the thread, and for answers given before how their runs fare.
// Moved: the reads do not belong together.
func (j *Judgement) read(ctx context.Context, st Reader, threads *folded.Threads, q store.ReadQuery) (moved bool, err error) {
	held := threads.Held(j.thread)
	asks, known := j.asking(q, held)
	view, thread, err := threads.Read(ctx, st, j.thread, held, asks)
	if err != nil {
		return false, err
	}
	if slices.ContainsFunc(known, func(id string) bool { return !thread.Fold.Has(id) }) {
		// Messages that the node held are no longer in the thread.
		asks, _ = j.asking(q, nil)
		if view, thread, err = threads.Read(ctx, st, j.thread, threads.Held(j.thread), asks); err != nil {
			return false, err
		}
	}
	runs := map[string]*store.RunState{}
	for id, text := range view.Answers {
		var a answeredRun
		if err := stored.Decode(text, &a.Answer, "the answer to interrupt %s", id); err != nil {
			return false, err
		}
		if _, read := runs[a.RunID]; !read {
			if len(runs) == maxAnsweringRuns {
				j.refusal = Refuse(CodeInvalidInput, fmt.Sprintf("resume repeats answers that more than %d runs were given: "+
					"send entries for the open interrupts alone", maxAnsweringRuns), nil)
				break
			}
			of, err := st.Read(ctx, j.thread, store.ReadQuery{RunID: a.RunID, After: &store.Position{Epoch: view.Epoch, Seq: view.Seq}})
			if err != nil {
				return false, err
			}
			if of.Version != view.Version {
				return true, nil
			}
			runs[a.RunID] = of.Run
		}
		a.state = runs[a.RunID]
		if a.state == nil {
			continue // forgotten with its retention
		}
		a.failed = eventType(a.state.Terminal) == protocol.TypeRunError
		j.answered[id] = a
	}
	j.View, j.Fold, j.Snapshot = view, thread.Fold, thread.Snapshot
	j.Input = placed(j.Input, j.Fold, view.Queue)
	j.knows, j.behind = behind(j.Input.Messages, j.Fold)
	j.Input = recognised(j.Input, j.Fold)
	return false, nil
}

// asking asks about the messages of the input that a thread is not known to hold: only
// of those it matters what became of them. It returns the ids of the others as well.
func (j *Judgement) asking(q store.ReadQuery, held *folded.Held) (asks store.ReadQuery, known []string) {
	last := len(j.Input.Messages)
	for last > 0 && j.Input.Messages[last-1].Role != protocol.RoleAssistant {
		last--
	}
	for i := range j.Input.Messages {
		m := &j.Input.Messages[i]
		if held.Has(m.ID) {
			known = append(known, m.ID)
			continue
		}
		if i >= last || !strings.HasPrefix(m.ID, givenPrefix) { // history without ids has other ones in the thread
			q.MessageIDs = append(q.MessageIDs, m.ID)
		}
		if m.Role == protocol.RoleTool {
			q.ToolCallIDs = append(q.ToolCallIDs, m.ToolCallID)
		}
	}
	return q, known
}

func eventType(text []byte) protocol.EventType {
	var e struct {
		Type protocol.EventType `json:"type"`
	}
	if json.Unmarshal(text, &e) != nil {
		return ""
	}
	return e.Type
}
