package script

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/aguiws/aguiws/adapter"
)

// sleep waits for a time, and then carries out the effect.
func (a *agent) sleep(ctx context.Context, run *adapter.Run, argument string) error {
	seconds, err := strconv.Atoi(argument)
	if err != nil || seconds < 0 || seconds > 365*24*3600 {
		return stream(run, "Usage: /sleep SECONDS.")
	}
	switch err := run.Sleep(ctx, run.Now().Add(time.Duration(seconds)*time.Second)); {
	case errors.Is(err, adapter.ErrWaitCancelled):
		return stream(run, "The wait was cancelled.")
	case err != nil:
		return err
	}
	return a.effect(ctx, run, "")
}

// eventTime is for how long /event waits.
const eventTime = 24 * time.Hour

// event tells where an event is to be sent, waits for it, and then carries out the effect.
func (a *agent) event(ctx context.Context, run *adapter.Run, name string) error {
	e, err := run.Event(ctx, name, nil)
	if err != nil {
		return stream(run, "Usage: /event NAME, with letters, digits, dots, dashes and underscores.")
	}
	if err := stream(run, "POST JSON to "+e.URL); err != nil {
		return err
	}
	payload, err := e.Wait(ctx, run.Now().Add(eventTime))
	switch {
	case errors.Is(err, adapter.ErrEventExpired):
		return stream(run, "The event "+name+" did not come in time.")
	case errors.Is(err, adapter.ErrWaitCancelled):
		return stream(run, "The wait was cancelled.")
	case err != nil:
		return err
	}
	if err := stream(run, "The event "+name+" came: "+string(payload)); err != nil {
		return err
	}
	return a.effect(ctx, run, "")
}

// call has the server's default agent do what the text says, on a thread of its own, and
// repeats what it said.
func (a *agent) call(ctx context.Context, run *adapter.Run, text string) error {
	if text == "" {
		return stream(run, "Usage: /call TEXT.")
	}
	r, err := run.Call(ctx, "", adapter.CallInput{Text: text})
	var failed *adapter.CallError
	switch {
	case errors.As(err, &failed):
		return stream(run, "The call was "+string(failed.Status)+".")
	case err != nil:
		return err
	}
	return stream(run, "It said: "+r.Text)
}
