package conformance

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// expect is what must come next in the client's exchange: a type and a pattern,
// "..." and what follows anything else, END or REJECTED. Over HTTP a rejection is a
// status; a socket has none, and may open the stream with RUN_ERROR instead.
func (t *trial) expect(ctx context.Context, c *client, line string) error {
	x := c.current
	if name, rest, ok := strings.Cut(line, " "); strings.HasPrefix(name, "@") {
		if x = c.asked[name[1:]]; x == nil || !ok {
			return fmt.Errorf("client %s asked for no run %q", c.name, name)
		}
		line = rest
	}
	if x == nil {
		return fmt.Errorf("client %s has asked for nothing", c.name)
	}
	skip := false
	if rest, ok := strings.CutPrefix(line, more+" "); ok {
		skip, line = true, rest
	}
	kind, pattern, err := t.pattern(line)
	if err != nil {
		return err
	}
	passed := 0
	var near error
	for {
		got, there, err := x.items.take(ctx)
		switch {
		case err != nil && near != nil:
			return failf("expected %s, and no event is one: %v (the nearest: %v)", line, err, near)
		case err != nil:
			return failf("expected %s: %v, after %d events", line, err, passed)
		case !there && kind == "END":
			return nil
		case !there && near != nil:
			return failf("expected %s, and the stream ended (the nearest: %v)", line, near)
		case !there:
			return failf("expected %s, and the stream ended", line)
		}
		if kind == rejected && got.kind == "RUN_ERROR" && passed == 0 && c.over != SSE && c.over != CopilotKit {
			got.kind = rejected
		}
		bad := t.same(kind, pattern, got)
		if bad == nil {
			return nil
		}
		if !skip {
			return failf("expected %s, found %s: %v", line, got.kind, bad)
		}
		if got.kind == kind {
			near = bad
		}
		passed++
	}
}

// pattern reads "TYPE {pattern}".
func (t *trial) pattern(line string) (kind string, pattern any, err error) {
	kind, text, _ := strings.Cut(strings.TrimSpace(line), " ")
	if text = strings.TrimSpace(text); text == "" {
		return kind, nil, nil
	}
	if pattern, err = decode([]byte(text)); err != nil {
		return "", nil, fmt.Errorf("%w in %s", err, text)
	}
	return kind, pattern, nil
}

// same says how an item differs; names are bound only if it does not.
func (t *trial) same(kind string, pattern any, got item) error {
	if kind != got.kind && kind != "*" {
		return fmt.Errorf("it is %s", strings.TrimSpace(got.kind+" "+brief(got.value)))
	}
	if pattern == nil {
		return nil
	}
	trying := t.vars.clone()
	if err := trying.match(pattern, got.value, ""); err != nil {
		return err
	}
	t.vars = trying
	return nil
}

// expectFrame is what must come next on the client's socket, events and control
// frames alike, CLOSE and HTTP included.
func (t *trial) expectFrame(ctx context.Context, c *client, line string) error {
	if c.frames == nil {
		return fmt.Errorf("client %s has no socket", c.name)
	}
	skip := false
	if rest, ok := strings.CutPrefix(line, more+" "); ok {
		skip, line = true, rest
	}
	kind, pattern, err := t.pattern(line)
	if err != nil {
		return err
	}
	var near error
	for {
		got, there, err := c.frames.take(ctx)
		switch {
		case (err != nil || !there) && near != nil:
			return failf("expected the frame %s, and none is one (the nearest: %v)", line, near)
		case err != nil:
			return failf("expected the frame %s: %v", line, err)
		case !there:
			return failf("expected the frame %s, and the socket is closed", line)
		}
		bad := t.same(kind, pattern, item{kind: got.kind, value: got.value})
		if bad == nil {
			return nil
		}
		if !skip {
			return failf("expected the frame %s: %v", line, bad)
		}
		if got.kind == kind {
			near = bad
		}
	}
}

// never reads the exchange to its end: no event of it may match.
func (t *trial) never(ctx context.Context, c *client, line string) error {
	kind, pattern, err := t.pattern(line)
	if err != nil {
		return err
	}
	if c.current == nil {
		return fmt.Errorf("client %s has asked for nothing", c.name)
	}
	items, err := c.current.drain(ctx)
	if err != nil {
		return failf("%v", err)
	}
	for _, got := range items {
		if t.same(kind, pattern, got) == nil {
			return failf("there is %s %s", got.kind, brief(got.value))
		}
	}
	return nil
}

// hold compares what the client holds at the exchange's end.
func (t *trial) hold(ctx context.Context, c *client, line string) error {
	if c.current != nil {
		if _, err := c.current.drain(ctx); err != nil {
			return failf("%v", err)
		}
	}
	what, text, _ := strings.Cut(line, " ")
	pattern, err := decode([]byte(text))
	if err != nil {
		return fmt.Errorf("%w in %s", err, text)
	}
	value, err := c.holds(what)
	if err != nil {
		return err
	}
	trying := t.vars.clone()
	if err := trying.match(pattern, value, ""); err != nil {
		return failf("client %s holds other %s: %v\n%s", c.name, what, err, brief(value))
	}
	t.vars = trying
	return nil
}

// chat is all that a person would see, for comparing pages.
func (c *client) chat() (string, error) {
	all := map[string]any{}
	var problems []error
	for _, what := range []string{"messages", "state", "interrupts"} {
		value, err := c.holds(what)
		all[what] = value
		problems = append(problems, err)
	}
	text, err := json.MarshalIndent(all, "", " ")
	return string(text), errors.Join(append(problems, err)...)
}
