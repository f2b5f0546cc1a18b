package adapter

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/aguiws/aguiws/protocol"
)

// read reads what judging an input takes.
func (r *Runner) read(ctx context.Context, key ThreadKey, input *protocol.RunAgentInput) (*judgement, error) {
	q := ReadQuery{Label: input.RunID, Follower: true}
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
	return nil, fmt.Errorf("%w: the thread changes too fast to be read", ErrOutcomeUnknown)
}

// readOnce reads the thread, and for answers given before how their runs fare.
// Moved: the reads do not belong together.
func (r *Runner) readOnce(ctx context.Context, key ThreadKey, input *protocol.RunAgentInput, q ReadQuery) (j *judgement, moved bool, err error) {
	view, err := r.store.Read(ctx, key, q)
	if err != nil {
		return nil, false, err
	}
	version := view.Version
	j = &judgement{input: input, thread: key, busy: r.options.Busy, schemas: &r.schemas, answered: map[string]answeredRun{}}
	runs := map[string]*RunState{}
	for id, stored := range view.Answers {
		var a answeredRun
		if err := json.Unmarshal(stored, &a.answered); err != nil {
			return nil, false, fmt.Errorf("adapter: stored answer: %w", err)
		}
		if _, read := runs[a.Run]; !read {
			q.RunID = a.Run
			if view, err = r.store.Read(ctx, key, q); err != nil {
				return nil, false, err
			}
			if view.Version != version {
				return nil, true, nil
			}
			runs[a.Run] = view.Run
		}
		a.state = runs[a.Run]
		if a.state == nil {
			continue // forgotten with its retention
		}
		a.failed = eventType(a.state.Terminal) == protocol.TypeRunError
		j.answered[id] = a
	}
	j.view = view
	if j.fold, err = foldView(view, -1); err != nil {
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
