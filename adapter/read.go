package adapter

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/aguiws/aguiws/adapter/internal/stored"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
)

// maxAnsweringRuns bounds the runs that the answers of one input were given to
// before. What an input repeats is an answer to one suspension, or to a few.
const maxAnsweringRuns = 8

// read reads what judging an input takes.
func (r *Runner) read(ctx context.Context, key store.ThreadKey, input *protocol.RunAgentInput) (*judgement, error) {
	q := store.ReadQuery{Label: input.RunID, Follower: true}
	for _, entry := range input.Resume {
		q.InterruptIDs = append(q.InterruptIDs, entry.InterruptID)
	}
	for _, m := range input.Messages {
		q.MessageIDs = append(q.MessageIDs, m.ID)
		if m.Role == protocol.RoleTool {
			q.ToolCallIDs = append(q.ToolCallIDs, m.ToolCallID)
		}
	}
	for range maxSubmitTries {
		j, moved, err := r.readOnce(ctx, key, input, q)
		if err != nil || !moved {
			return j, err
		}
	}
	return nil, fmt.Errorf("%w: the thread changes too fast to be read", store.ErrOutcomeUnknown)
}

// readOnce reads the thread, and for answers given before how their runs fare.
// Moved: the reads do not belong together.
func (r *Runner) readOnce(ctx context.Context, key store.ThreadKey, input *protocol.RunAgentInput, q store.ReadQuery) (j *judgement, moved bool, err error) {
	view, err := r.store.Read(ctx, key, q)
	if err != nil {
		return nil, false, err
	}
	j = &judgement{input: input, thread: key, busy: r.options.Busy, schemas: &r.schemas, answered: map[string]answeredRun{}}
	runs := map[string]*store.RunState{}
	for id, text := range view.Answers {
		var a answeredRun
		if err := stored.Decode(text, &a.Decision, "the answer to interrupt %s", id); err != nil {
			return nil, false, err
		}
		if _, read := runs[a.Run]; !read {
			if len(runs) == maxAnsweringRuns {
				j.refusal = refuse(CodeInvalidInput, fmt.Sprintf("resume repeats answers that more than %d runs were given: "+
					"send entries for the open interrupts alone", maxAnsweringRuns), nil)
				break
			}
			of, err := r.store.Read(ctx, key, store.ReadQuery{RunID: a.Run, After: &store.Position{Epoch: view.Epoch, Seq: view.Seq}})
			if err != nil {
				return nil, false, err
			}
			if of.Version != view.Version {
				return nil, true, nil
			}
			runs[a.Run] = of.Run
		}
		a.state = runs[a.Run]
		if a.state == nil {
			continue // forgotten with its retention
		}
		a.failed = eventType(a.state.Terminal) == protocol.TypeRunError
		j.answered[id] = a
	}
	j.view = view
	if j.fold, err = stored.Fold(view, -1); err != nil {
		return nil, false, err
	}
	j.input = recognised(input, j.fold.Messages())
	return j, false, nil
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
