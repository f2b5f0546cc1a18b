package admit

import (
	"encoding/json"

	"github.com/aguiws/aguiws/protocol"
)

// archive is what is kept of messages that are taken out of the thread: their ids, by
// which they are known when a client brings them again. The rest would be kept for
// nobody, and grow the thread with every message that is taken back.
func archive(messages protocol.Messages) map[string]json.RawMessage {
	kept := map[string]json.RawMessage{}
	for _, m := range messages {
		kept[m.ID] = json.RawMessage(`1`)
	}
	return kept
}
