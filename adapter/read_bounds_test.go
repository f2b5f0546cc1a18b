package adapter_test

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/admission"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
)

// reads counts what is read of threads.
type reads struct {
	store.Store
	n, inputs atomic.Int64
}

func (r *reads) Read(ctx context.Context, key store.ThreadKey, q store.ReadQuery) (*store.ThreadView, error) {
	r.n.Add(1)
	v, err := r.Store.Read(ctx, key, q)
	if err == nil {
		for _, waiting := range v.Queue {
			r.inputs.Add(int64(len(waiting.Input)))
		}
	}
	return v, err
}

// An input that repeats answers of long ago is no way to have a thread read over
// and over.
func TestRepeatedAnswersAreReadToABound(t *testing.T) {
	const asked = 12
	agent := adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
		for n := range asked {
			if _, err := run.Ask(ctx, confirmation(fmt.Sprint("Really? ", n))); err != nil {
				return err
			}
		}
		return nil
	})
	var counted *reads
	l := newLabOn(t, func(s store.Store) store.Store { counted = &reads{Store: s}; return counted }, agent)
	events := l.say("one")
	var entries []protocol.ResumeEntry
	for range asked {
		entry := resolved(interrupts(t, events)[0].ID, `{"approved":true}`)
		entries = append(entries, entry)
		events = l.answer(entry)
	}
	succeeded(t, events)
	resend := func(entries []protocol.ResumeEntry) (a admission.Admitted, reads int64) {
		before := counted.n.Load()
		a = l.submit(&protocol.RunAgentInput{Resume: entries})
		return a, counted.n.Load() - before
	}
	if a, reads := resend(entries[:3]); a.Disposition != admission.Repeat || reads > 4 {
		t.Errorf("three answers again: %+v after %d reads", a, reads)
	}
	a, reads := resend(entries)
	if a.Refusal == nil || a.Refusal.Code != adapter.CodeInvalidInput || !strings.Contains(a.Refusal.Message, "open interrupts") || reads > 9 {
		t.Errorf("%d answers again: %+v after %d reads", asked, a, reads)
	}
}
