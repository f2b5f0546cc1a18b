package judge

import (
	"encoding/json"

	"github.com/aguiws/aguiws/adapter/internal/lifecycle"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
)

// Expire is the verdict that cancels all that is open because some of it has expired.
func (j *Judgement) Expire(open *store.Suspension) (Verdict, error) {
	v := Verdict{Continues: open, Final: true}
	for _, it := range open.Items {
		entry := protocol.ResumeEntry{
			InterruptID: it.ID, Status: protocol.ResumeCancelled,
			Metadata: protocol.Metadata{lifecycle.MetadataKey: json.RawMessage(`{"expired":true}`)},
		}
		key, err := resumeKey(j.thread, entry)
		if err != nil {
			return v, err
		}
		v.Decisions, v.Keys = append(v.Decisions, entry), append(v.Keys, key)
	}
	return v, nil
}
