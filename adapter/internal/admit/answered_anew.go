package admit

import (
	"slices"

	"github.com/aguiws/aguiws/adapter/internal/judge"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
	"github.com/aguiws/aguiws/protocol/fold"
)

// answered is the latest user message of a conversation, if the input that was judged did
// not bring it.
func answered(j *judge.Judgement, held *fold.Fold, given protocol.Messages) *store.Answered {
	for _, m := range slices.Backward(given) {
		if m.Role != protocol.RoleUser {
			continue
		}
		if !j.Fold.Has(m.ID) {
			return nil
		}
		label, _ := held.Producer(m.ID)
		return &store.Answered{Message: m.ID, Label: label}
	}
	return nil
}
