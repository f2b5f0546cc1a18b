package judge

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"strconv"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
)

// Brought tells the record of the run that the input begins which messages the input
// was sent with: the ids of those that the thread does not hold, and, where that leaves
// some out, a digest of all. Clients send a thread's whole history with each input, and
// to name it in each record would make the records of a long thread larger than it is.
func (j *Judgement) Brought(record *store.RunRecord) {
	for _, m := range j.Input.Messages {
		if !j.Fold.Has(m.ID) && !j.neverHeld(m) {
			record.Messages = append(record.Messages, m.ID)
		}
	}
	if len(record.Messages) < len(j.sent) {
		record.Sent = &store.SentMessages{Count: len(j.sent), Digest: digestOfIDs(j.sent)}
	}
}

// broughtBefore are the ids of the messages that the record's input was sent with, as far
// as they can be told: those that it names, and all of them if the input begins with
// the same.
func (j *Judgement) broughtBefore(record *store.RunRecord) map[string]bool {
	brought := map[string]bool{}
	for _, id := range record.Messages {
		brought[id] = true
	}
	if s := record.Sent; s != nil && 0 < s.Count && s.Count <= len(j.sent) && digestOfIDs(j.sent[:s.Count]) == s.Digest {
		for _, m := range j.sent[:s.Count] {
			brought[m.ID] = true
		}
	}
	return brought
}

// digestOfIDs tells lists of ids apart.
func digestOfIDs(messages protocol.Messages) string {
	sum := sha256.New()
	for _, m := range messages {
		io.WriteString(sum, strconv.Itoa(len(m.ID))+":"+m.ID)
	}
	return hex.EncodeToString(sum.Sum(nil)[:16])
}
