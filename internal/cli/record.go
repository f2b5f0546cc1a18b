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
)

// recording is what record alone can be told.
type recording struct{ message, input, out string }

func (c *recording) table() []setting {
	return []setting{
		{"message", "Recording", textValue{&c.message, "text"}, "what the upstream is told, by check too"},
		{"input", "Recording", textValue{&c.input, "file"}, "the whole input (RunAgentInput) in its place, sent as it is: one that answers an interrupt, say"},
		{"out", "Recording", textValue{&c.out, "folder"}, "where the recording goes; it must not be there yet"},
	}
}

// recordedAnswer is the head of an answer in a recording. Its body is response.sse.
type recordedAnswer struct {
	Status      int    `json:"status"`
	ContentType string `json:"contentType"`
	FirstMs     int64  `json:"firstByteMs"`
	TookMs      int64  `json:"tookMs"`
	Broken      string `json:"broken,omitempty"` // why the body is not whole
}

// record sends one input to an upstream, as it is, and keeps it and the answer's bytes.
func record(ctx context.Context, s *settings, w io.Writer) error {
	list, err := s.upstreamList()
	if err != nil {
		return err
	}
	if len(list) == 0 {
		return errors.New("record: of which agent? --upstream URL")
	}
	_, chosen := s.agentNames(list)
	var of *upstreamEntry
	for i := range list {
		if list[i].Name == chosen {
			of = &list[i]
		}
	}
	if of == nil {
		return fmt.Errorf("record: %s %q: there is no upstream of that name", s.named("agent"), chosen)
	}
	input := greeting(s.recording.message)
	if s.recording.input != "" {
		if input, err = os.ReadFile(s.recording.input); err != nil {
			return fmt.Errorf("record: --input: %w", err)
		}
		if !json.Valid(input) {
			return fmt.Errorf("record: --input: %s is no JSON", s.recording.input)
		}
	}
	// Before anything is sent: a recording that cannot be kept is lost.
	if err := os.Mkdir(s.recording.out, 0o777); err != nil {
		return fmt.Errorf("record: --out: %w", err)
	}
	x, err := of.ask(ctx, input)
	if err != nil {
		os.Remove(s.recording.out)
		return fmt.Errorf("record: %s cannot be reached: %w", of.shownURL(), err)
	}
	head := recordedAnswer{Status: x.status, ContentType: x.kind, FirstMs: x.first.Milliseconds(), TookMs: x.took.Milliseconds()}
	if x.broken != nil {
		head.Broken = x.broken.Error()
	}
	answer, err := json.MarshalIndent(head, "", "  ")
	if err != nil {
		return fmt.Errorf("record: %w", err)
	}
	for name, text := range map[string][]byte{"request.json": x.request, "response.json": append(answer, '\n'), "response.sse": x.body} {
		if err := os.WriteFile(filepath.Join(s.recording.out, name), text, 0o666); err != nil {
			return fmt.Errorf("record: --out: %w", err)
		}
	}
	fmt.Fprintf(w, "%s: %s answered %d %s: %d events in %v\n", s.recording.out, of.shownURL(), x.status, x.kind, len(x.events()), x.took.Round(time.Millisecond))
	fmt.Fprintln(w, "It holds what was said and answered as it is, and no headers of the request: look at it before you hand it on.")
	if x.broken != nil {
		return fmt.Errorf("record: the answer is not whole: %w", x.broken)
	}
	return nil
}
