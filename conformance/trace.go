package conformance

import (
	"fmt"
	"sync"
	"time"
)

// Frame is one thing that went over the wire in a case, or that the harness has to
// say about it.
type Frame struct {
	Millis int64  `json:"ms"`     // since the case began
	Client string `json:"client"` // "" for the harness
	Dir    string `json:"dir"`    // ">" sent, "<" received, "#" said by the harness
	Text   string `json:"text"`
}

// maxFrames bounds a trace: a server that floods a client must not fill the
// harness's memory as well.
const maxFrames = 5000

// trace is the exchange of a case. Its methods may be called concurrently.
type trace struct {
	start time.Time

	mu         sync.Mutex
	frames     []Frame
	left       int // frames not kept
	violations []Violation
}

// Violation is a rule that a server broke in a case, whatever the case is about.
type Violation struct {
	Rule    string `json:"rule"`
	Message string `json:"message"`
	// Where is the line of the case, "" when it was not a step that found it.
	Where string `json:"where,omitempty"`
}

func (t *trace) add(client, dir, text string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.frames) >= maxFrames {
		t.left++
		return
	}
	t.frames = append(t.frames, Frame{time.Since(t.start).Milliseconds(), client, dir, text})
}

// wrong notes a violation where it came about.
func (t *trace) wrong(client, rule, format string, args ...any) {
	message := fmt.Sprintf(format, args...)
	t.add(client, "#", rule+": "+message)
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.violations) < 50 {
		t.violations = append(t.violations, Violation{Rule: rule, Message: message})
	}
}

func (t *trace) result() ([]Frame, []Violation) {
	t.mu.Lock()
	defer t.mu.Unlock()
	frames := t.frames
	if t.left > 0 {
		frames = append(frames, Frame{time.Since(t.start).Milliseconds(), "", "#", fmt.Sprintf("%d more frames are not shown", t.left)})
	}
	return frames, t.violations
}
