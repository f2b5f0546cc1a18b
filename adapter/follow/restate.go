package follow

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/aguiws/aguiws/adapter/internal/lifecycle"
	"github.com/aguiws/aguiws/adapter/internal/stored"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
)

// restate says with snapshots what a used thread is (binding, Following a thread): one
// well-formed run. If a label is given, the run is restated under that runId instead of its
// own.
func restate(view *store.ThreadView, told *stored.Told, label string) ([][]byte, error) {
	record, err := stored.Brief(view.Latest)
	if err != nil {
		return nil, err
	}
	if label == "" {
		label = record.Label
	}
	if view.Active != nil && view.Active.ID == view.Latest.ID {
		return restatement(view, told, label, record, told.Openings...)
	}
	if open, err := stored.Suspension(view.Suspension); err != nil {
		return nil, err
	} else if open != nil {
		terminal, err := interruptOutcome(open, view, label)
		if err != nil {
			return nil, err
		}
		return restatement(view, told, label, record, terminal)
	}
	terminal, err := relabelled(view.Latest.Terminal, label)
	if err != nil {
		return nil, err
	}
	return restatement(view, told, label, record, terminal)
}

// restatedMetadata says of a RUN_STARTED that it is no event of the log.
type restatedMetadata struct {
	Restated  bool            `json:"restated"`
	Decisions json.RawMessage `json:"decisions,omitempty"` // as the run's own RUN_STARTED has them
}

// restatement encodes a restated run of that record with the given end.
func restatement(view *store.ThreadView, told *stored.Told, label string, record store.RunRecord, end ...protocol.Event) ([][]byte, error) {
	ours, err := json.Marshal(restatedMetadata{true, record.Decisions})
	if err != nil {
		return nil, fmt.Errorf("adapter: restating: %w", err)
	}
	var texts [][]byte
	add := func(events ...protocol.Event) error {
		for _, e := range events {
			text, err := protocol.Encode(e)
			if err != nil {
				return fmt.Errorf("adapter: restating: %w", err)
			}
			texts = append(texts, text)
		}
		return nil
	}
	if err := add(&protocol.RunStarted{
		Base:            protocol.Base{Metadata: protocol.Metadata{lifecycle.MetadataKey: ours}},
		ThreadID:        view.Thread.Thread,
		RunID:           label,
		ParentRunID:     record.ParentRunID,
		ProtocolVersion: lifecycle.Version,
	}, &protocol.StateSnapshot{Snapshot: lifecycle.State(told.State)}); err != nil {
		return nil, err
	}
	texts = append(texts, told.Messages)
	return texts, add(end...)
}

// interruptOutcome is the interrupt outcome that lists exactly the open interrupts.
func interruptOutcome(s *store.Suspension, view *store.ThreadView, label string) (protocol.Event, error) {
	interrupts := make([]protocol.Interrupt, len(s.Items))
	for i, it := range s.Items {
		if err := stored.Decode(it.Interrupt, &interrupts[i], "open interrupt %d", i); err != nil {
			return nil, err
		}
	}
	return &protocol.RunFinished{
		ThreadID: view.Thread.Thread, RunID: label,
		Outcome: &protocol.RunOutcome{Type: protocol.OutcomeInterrupt, Interrupts: interrupts},
	}, nil
}

// relabelled is a stored terminal event under another runId.
func relabelled(terminal json.RawMessage, label string) (protocol.Event, error) {
	e, err := protocol.Decode(terminal)
	if err != nil {
		return nil, stored.Corrupted("the end of a run")
	}
	if finished, ok := e.(*protocol.RunFinished); ok {
		finished.RunID = label
	}
	return e, nil
}

// Repeat answers a repeated input (binding, Runs) from the run that carries it
// out, restated under the given label.
func (h *Hub) Repeat(ctx context.Context, key store.ThreadKey, runID, label string) (Repeated, error) {
	for asked := runID; ; {
		view, err := h.store.Read(ctx, key, store.ReadQuery{RunID: runID, Follower: true, Sender: !h.Watched(key, "")})
		if err != nil {
			return Repeated{}, err
		}
		if view.Run == nil {
			return Repeated{}, fmt.Errorf("adapter: run %s is not recorded", runID)
		}
		record, err := stored.Brief(view.Run)
		if err != nil {
			return Repeated{}, err
		}
		if label == "" {
			label = record.Label
		}
		answer, next, err := repeat(view, label, record)
		if err != nil {
			return Repeated{}, err
		}
		if next == "" {
			answer.Of, answer.At = record.Label, store.Position{Epoch: view.Epoch, Seq: view.Seq}
			if answer.Whole && runID == asked {
				answer.Begins, answer.Retained = view.Run.RunStarted, view.Base
			}
			h.observe(key, answer.At)
			return answer, nil
		}
		runID = next
	}
}

// repeat answers from the view's run, which has that record, or names the run to answer
// from.
func repeat(view *store.ThreadView, label string, record store.RunRecord) (answer Repeated, next string, err error) {
	run := view.Run
	answer.Status = run.Status
	switch run.Status {
	case store.RunQueued:
		return answer, "", nil
	case store.RunCancelled: // or it has joined another: its end says which
		for _, e := range lifecycle.CancelledInQueue(view.Thread, label, record.ParentRunID) {
			text, err := protocol.Encode(e)
			if err != nil {
				return answer, "", err
			}
			answer.Events = append(answer.Events, text)
		}
		if run.Terminal != nil {
			end, err := relabelled(run.Terminal, label)
			if err != nil {
				return answer, "", err
			}
			answer.Events[1], err = protocol.Encode(end)
			return answer, "", err
		}
		return answer, "", nil
	case store.RunActive:
		if run.RunStarted == 0 || view.Latest == nil {
			return answer, "", nil
		}
		told, err := stored.Tell(view)
		if err != nil {
			return answer, "", err
		}
		answer.Whole = true
		answer.Events, err = restate(view, told, label)
		return answer, "", err
	}
	told, err := stored.Tell(view)
	if err != nil {
		return answer, "", err
	}
	terminal, err := relabelled(run.Terminal, label)
	if err != nil {
		return answer, "", err
	}
	open, err := stored.Suspension(view.Suspension)
	if err != nil {
		return answer, "", err
	}
	asks := false
	if finished, ok := terminal.(*protocol.RunFinished); ok && finished.Outcome != nil && finished.Outcome.Type == protocol.OutcomeInterrupt {
		switch {
		case open != nil && open.Execution == run.Execution:
			asks = true
			if terminal, err = interruptOutcome(open, view, label); err != nil {
				return answer, "", err
			}
		case run.LatestOfExe != "" && run.LatestOfExe != run.ID:
			return answer, run.LatestOfExe, nil
		default: // steered away from: nothing of it is open, and nothing continues it
			terminal = lifecycle.Cancelled(view.Thread, label)
		}
	}
	answer.Whole = view.Latest != nil && view.Latest.ID == run.ID && (asks || open == nil)
	answer.Events, err = restatement(view, told, label, record, terminal)
	return answer, "", err
}

// Repeated is the answer to a repeat (binding, Runs).
type Repeated struct {
	Status store.RunStatus
	// Of is the label of the run that answers: what live events call it. It is
	// another than Submit said when a later run continued that one.
	Of string
	// At is the log's end as of which all this is: what follows begins behind it.
	At store.Position
	// Events are uncounted: nothing for a queued run and for one that has logged
	// nothing, an active run restated up to what is open in it, and the whole run
	// with its terminal event for one that ended.
	Events [][]byte
	// Whole: Events restate the thread as Attach would, so whoever follows from
	// At on needs nothing else. Otherwise another run is the thread's latest, and
	// may be under way.
	Whole bool
	// Begins is the position of the run's RUN_STARTED, where the log tells the answer as
	// well: the run is the one that was asked for, and no later one has begun. Else 0.
	Begins int64
	// Retained is the position of the first event that the log still has.
	Retained int64
}
