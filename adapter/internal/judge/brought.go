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
	record.Said, _ = j.said(record.Messages)
	if len(record.Messages) < len(j.sent) {
		record.Sent = &store.SentMessages{Count: len(j.sent), Digest: digestOfIDs(j.sent)}
	}
}

// said is a digest of what the named user messages say in the input, by which it can be told
// from another one under the same ids. False: the input does not have all of them.
func (j *Judgement) said(ids []string) (digest string, all bool) {
	named := map[string]*protocol.Message{}
	for _, id := range ids {
		named[id] = nil
	}
	for i := range j.sent {
		if m := &j.sent[i]; len(named) > 0 {
			if _, wanted := named[m.ID]; wanted {
				named[m.ID] = m
			}
		}
	}
	sum := sha256.New()
	write := func(text string) { io.WriteString(sum, strconv.Itoa(len(text))+":"+text) }
	some := false
	for _, id := range ids {
		m := named[id]
		switch {
		case m == nil:
			return "", false
		case m.Role != protocol.RoleUser:
			continue
		}
		some = true
		write(m.ID)
		write(m.Content.String())
		parts, _ := m.Content.Parts()
		for _, p := range parts {
			if p.Source != nil {
				write(p.Source.Value)
			}
		}
	}
	if !some {
		return "", true
	}
	return hex.EncodeToString(sum.Sum(nil)[:16]), true
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
