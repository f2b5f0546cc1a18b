package frames

import (
	"fmt"
	"log/slog"

	"github.com/aguiws/aguiws/protocol"
	"github.com/aguiws/aguiws/protocol/downgrade"
)

// Lowered is an event of a run as a client's version of AG-UI can read it, or
// nil when it cannot. Losses are logged.
func Lowered(log *slog.Logger, profile downgrade.Profile, thread, label string, event []byte) ([]byte, error) {
	if profile.Keeps(event) {
		return event, nil
	}
	e, err := protocol.Decode(event)
	if err != nil {
		return nil, fmt.Errorf("server: logged event: %w", err)
	}
	sent, losses := profile.Apply(e)
	if len(losses) > 0 {
		log.Warn("an event lost something for an older client", "thread", thread, "label", label,
			"type", string(e.Type()), "losses", losses)
	}
	switch {
	case sent == nil:
		return nil, nil
	case sent == e:
		return event, nil
	}
	if event, err = protocol.Encode(sent); err != nil {
		return nil, fmt.Errorf("server: event for an older client: %w", err)
	}
	return event, nil
}
