package judge

import (
	"encoding/json"
	"slices"

	"github.com/aguiws/aguiws/adapter/internal/lifecycle"
	"github.com/aguiws/aguiws/adapter/internal/stored"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
)

// Expire is the verdict that ends all that is open because some of it has expired: what
// has an answer for that gets it, and the rest is cancelled.
func (j *Judgement) Expire(open *store.Suspension) (Verdict, error) {
	v := Verdict{Continues: open, Final: true}
	for _, it := range open.Items {
		entry := protocol.ResumeEntry{
			InterruptID: it.ID, Status: protocol.ResumeCancelled,
			Metadata: protocol.Metadata{lifecycle.MetadataKey: json.RawMessage(`{"expired":true}`)},
		}
		if it.Default != nil {
			entry.Status, entry.Payload = protocol.ResumeResolved, protocol.Any(it.Default)
		}
		key, err := resumeKey(j.thread, entry)
		if err != nil {
			return v, err
		}
		v.Decisions, v.Keys = append(v.Decisions, entry), append(v.Keys, key)
	}
	return v, nil
}

// Withdraw is the verdict that cancels all that is open and ends what asked.
func (j *Judgement) Withdraw(open *store.Suspension) (Verdict, error) {
	v := Verdict{Continues: open, Final: true, Stops: true}
	for _, it := range open.Items {
		entry := protocol.ResumeEntry{InterruptID: it.ID, Status: protocol.ResumeCancelled}
		key, err := resumeKey(j.thread, entry)
		if err != nil {
			return v, err
		}
		v.Decisions, v.Keys = append(v.Decisions, entry), append(v.Keys, key)
	}
	return v, nil
}

// AllStale reports whether interrupts are open and all of them have expired and are kept,
// as all are in the grace behind their expiry. The sweep makes of others what their policy
// says, however late it comes.
func (j *Judgement) AllStale() bool {
	open, err := stored.Suspension(j.View.Suspension)
	if err != nil || open == nil {
		return false // who judges finds it out
	}
	return !slices.ContainsFunc(open.Items, func(it store.SuspendedInterrupt) bool {
		return it.OnExpiry != "keep" && it.Due <= j.View.Now.UnixMilli() || it.ExpiresAt == 0 || it.ExpiresAt >= j.View.Now.UnixMilli()
	})
}
