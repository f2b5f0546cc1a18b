package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/aguiws/aguiws/protocol"
)

// record sends one input to an upstream, as it is, and keeps it and the answer's bytes.
func record(ctx context.Context, s *settings, w io.Writer) error {
	list, err := s.upstreamList()
	if err != nil {
		return err
	}
	if len(list) == 0 {
		return errors.New("record: the agent is missing: name it by --upstream URL")
	}
	of, err := s.chosenUpstream(list)
	if err != nil {
		return fmt.Errorf("record: %w", err)
	}
	input := greeting(s.recording.message, protocol.Version11)
	if s.recording.input != "" {
		if input, err = os.ReadFile(s.recording.input); err != nil {
			return fmt.Errorf("record: --input: %w", err)
		}
		if !json.Valid(input) {
			return fmt.Errorf("record: --input: %s is no JSON", s.recording.input)
		}
	}
	files := []struct {
		name string
		text []byte
	}{{s.recording.out + ".request.json", input}, {s.recording.out + ".sse", nil}}
	for _, f := range files { // before anything is sent: it is sent once
		if _, err := os.Stat(f.name); !errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("record: --out: %s is there already", f.name)
		}
		if _, err := os.Stat(filepath.Dir(f.name)); err != nil {
			return fmt.Errorf("record: --out: %w", err)
		}
	}
	x, err := of.ask(ctx, input)
	if err != nil {
		return fmt.Errorf("record: %s cannot be reached: %w", of.shownURL(), err)
	}
	files[1].text = x.body
	for _, f := range files {
		if err := os.WriteFile(f.name, f.text, 0o666); err != nil {
			return fmt.Errorf("record: --out: %w", err)
		}
	}
	fmt.Fprintf(w, "%s answered %d %s: %d events in %v\n", of.shownURL(), x.status, readable(x.kind), len(x.events()), x.took.Round(time.Millisecond))
	fmt.Fprintf(w, "%s has what was sent, %s what came, byte for byte, and neither has headers: look at them before you hand them on.\n", files[0].name, files[1].name)
	switch {
	case x.broken != nil:
		return fmt.Errorf("record: the answer is not whole: %w", x.broken)
	case !x.streams():
		return errors.New("record: the answer is no stream of events: is that the path of an agent")
	}
	return nil
}
