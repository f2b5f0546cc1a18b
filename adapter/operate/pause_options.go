package operate

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/aguiws/aguiws/adapter/internal/journal"
	"github.com/aguiws/aguiws/adapter/store"
)

// PauseReason says in a word why a run is paused.
type PauseReason string

// PauseReasons are all that there are; "" is none of them, and says nothing.
var PauseReasons = []PauseReason{"review", "safety", "budget", "maintenance", "other"}

// maxPauseText bounds what is said beside the reason, in bytes.
const maxPauseText = 500

// maxPauseTime bounds PauseOptions.Timeout.
const maxPauseTime = 366 * 24 * time.Hour

// OnPauseTimeout says what becomes of a paused run when its time is over.
type OnPauseTimeout string

const (
	PauseGoesOn  OnPauseTimeout = "go_on"              // it goes on, as if somebody had said so
	PauseCancels OnPauseTimeout = journal.PauseCancels // it ends as cancelled
)

// PauseOptions say how a run is paused.
type PauseOptions struct {
	Reason PauseReason
	Text   string // people are shown it; at most 500 bytes
	// Timeout is for how long the run stays paused, and OnTimeout what happens then, by
	// default PauseGoesOn. 0: what runner.Options.MaxPark and OnExpiry say.
	Timeout   time.Duration
	OnTimeout OnPauseTimeout
}

// ErrPauseOptions wraps what is wrong with PauseOptions.
var ErrPauseOptions = errors.New("adapter: the options of a pause are not valid")

// check refuses what has no meaning.
func (o PauseOptions) check() error {
	bad := func(format string, args ...any) error {
		return fmt.Errorf("%w: "+format, append([]any{ErrPauseOptions}, args...)...)
	}
	switch {
	case o.Reason != "" && !slices.Contains(PauseReasons, o.Reason):
		return bad("reason %q: must be one of %s, or left out", o.Reason, pauseReasonList())
	case len(o.Text) > maxPauseText || !utf8.ValidString(o.Text):
		return bad("the text has %d bytes: must be UTF-8 of at most %d", len(o.Text), maxPauseText)
	case o.Timeout < 0 || o.Timeout > maxPauseTime:
		return bad("timeout must be between 0 and %v", maxPauseTime)
	case o.OnTimeout != "" && o.OnTimeout != PauseGoesOn && o.OnTimeout != PauseCancels:
		return bad("onTimeout %q: must be %s or %s", o.OnTimeout, PauseGoesOn, PauseCancels)
	case o.OnTimeout != "" && o.Timeout == 0:
		return bad("onTimeout needs a timeout: give one, or leave out onTimeout")
	}
	return nil
}

func pauseReasonList() string {
	words := make([]string, len(PauseReasons))
	for i, r := range PauseReasons {
		words[i] = string(r)
	}
	return strings.Join(words, ", ")
}

func (o PauseOptions) wish() (store.Wish, error) {
	note, err := json.Marshal(journal.PauseNote{Reason: string(o.Reason), Text: o.Text, TimeoutMs: o.Timeout.Milliseconds(), OnTimeout: string(o.OnTimeout)})
	return store.Wish{Note: note}, err
}
