package journal

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/internal/lifecycle"
	"github.com/aguiws/aguiws/adapter/internal/stored"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
)

// PauseNote is what goes along with the wish, to who carries it out.
type PauseNote struct {
	Reason    string `json:"reason,omitempty"`
	Text      string `json:"text,omitempty"`
	TimeoutMs int64  `json:"timeoutMs,omitempty"`
	OnTimeout string `json:"onTimeout,omitempty"`
}

// PauseCancels is the OnTimeout of a pause that ends the run.
const PauseCancels = "cancel"

// PauseInterrupt is what people are shown of a paused run.
func PauseInterrupt(w *store.Wish, now time.Time) protocol.Interrupt {
	shown := protocol.Interrupt{Reason: adapter.ReasonPaused, Message: "The run was paused by an operator. Go on?"}
	var note PauseNote
	if w.Note == nil || stored.Decode(w.Note, &note, "why a run is paused") != nil {
		return shown // it is paused all the same
	}
	why := note.Reason
	if note.Text != "" {
		why = strings.TrimPrefix(why+": "+note.Text, ": ")
	}
	if why != "" {
		shown.Message = "The run was paused (" + why + "). Go on?"
		shown = lifecycle.WithOwn(shown, "pause", map[string]any{"reason": note.Reason, "text": note.Text})
	}
	if note.TimeoutMs > 0 {
		shown.ExpiresAt = now.Add(time.Duration(note.TimeoutMs) * time.Millisecond).UTC().Format(time.RFC3339Nano)
		if note.OnTimeout == PauseCancels {
			shown = adapter.OnExpiry(shown, adapter.Expiry{Policy: adapter.ExpiryCancel})
		} else {
			shown = adapter.OnExpiry(shown, adapter.Expiry{Answer: json.RawMessage("true")})
		}
	}
	return shown
}
