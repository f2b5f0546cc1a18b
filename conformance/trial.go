package conformance

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
)

// trial is one go at a case.
type trial struct {
	target  *Target
	profile *Profile
	c       *Case
	trace   *trace
	vars    vars
	clients map[string]*client

	effectsFrom int64 // the size of the effects file when the trial began
}

// failed is what a step says when the server did otherwise than it should.
type failed struct{ message string }

func (f failed) Error() string { return f.message }

func failf(format string, args ...any) error { return failed{fmt.Sprintf(format, args...)} }

func newTrial(target *Target, c *Case) *trial {
	t := &trial{
		target: target, profile: target.Profile, c: c, trace: &trace{start: time.Now()},
		clients: map[string]*client{}, vars: vars{},
	}
	if t.profile == nil {
		t.profile = &Profile{}
	}
	id := strings.ReplaceAll(uuid.NewString(), "-", "")
	t.vars["thread"], t.vars["other"], t.vars["tool"] = "t-"+id, "u-"+id, "tool_"+id[:12]
	for name, command := range inputTexts {
		t.vars[name] = t.profile.say(command[0], command[1])
	}
	t.vars["id"] = "r-" + id
	if at, err := url.Parse(target.URL); err == nil {
		t.vars["server"] = strings.Replace(at.Scheme, "ws", "http", 1) + "://" + at.Host
	}
	t.effectsFrom = sizeOf(target.Effects)
	return t
}

// inputTexts are commands as names, for inputs that are written out.
var inputTexts = map[string][2]string{
	"saying": {"say", "hello"}, "confirming": {"confirm", "Shall I?"},
	"delegating": {"delegate", "all of this"}, "picking": {"frontend", "pick {}"},
	"slowly": {"slow", "50 10"},
}

// run carries out the steps, and then sees to it that every run that was asked for
// has ended.
func (t *trial) run(ctx context.Context) ([]Frame, []Violation) {
	defer t.close()
	if where, err := t.steps(ctx); err != nil {
		var f failed
		message := err.Error()
		if !errors.As(err, &f) && ctx.Err() == nil {
			message = "the case could not go on: " + message
		}
		t.trace.add("", "#", where+" — "+message)
		t.trace.mu.Lock()
		t.trace.violations = append(t.trace.violations, Violation{Rule: t.c.Rule, Message: message, Where: where})
		t.trace.mu.Unlock()
	}
	t.close()
	return t.trace.result()
}

func (t *trial) steps(ctx context.Context) (where string, err error) {
	for _, s := range t.c.steps {
		within, cancel := context.WithTimeoutCause(ctx, t.patience(s), errPatience)
		err := t.step(within, s)
		cancel()
		if err != nil {
			return fmt.Sprintf("line %d: %s", s.line, s.source), err
		}
	}
	ctx, cancel := context.WithTimeoutCause(ctx, t.target.timeout(), errPatience)
	defer cancel()
	for _, name := range t.names() {
		c := t.clients[name]
		for run, x := range c.asked {
			if x.c.conn == nil {
				continue
			}
			if _, err := x.drain(ctx); err != nil {
				return "at the end", failf("the run %s of client %s has no end: %v", run, name, err)
			}
		}
		if c.conn != nil {
			if err := c.conn.quiet(ctx); err != nil {
				return "at the end", failf("client %s: %v", name, err)
			}
		}
	}
	return "", nil
}

var errPatience = errors.New("it did not come in time")

// patience is longer for steps that are many.
func (t *trial) patience(s step) time.Duration {
	patience := time.Duration(t.c.Slow) * t.target.timeout()
	switch s.op {
	case "sweep", "hop", "swarm", "restart", "drain":
		patience *= 6
	}
	return patience
}

func (t *trial) names() []string {
	var names []string
	for name := range t.clients {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func (t *trial) close() {
	for _, c := range t.clients {
		if c.conn != nil {
			c.conn.close()
			c.conn = nil
		}
	}
}

// client finds a page, and opens one that there was not.
func (t *trial) client(name string) *client {
	c := t.clients[name]
	if c == nil {
		c = newClient(name, t.target.Over, t.trace)
		t.clients[name] = c
	}
	return c
}

// connect opens the client's connection if it has none. Connections live as long
// as the trial, whatever becomes of the step.
func (t *trial) connect(c *client, how dialing) error {
	if c.conn != nil {
		return nil
	}
	ctx := context.Background()
	switch t.target.Over {
	case Binding:
		b, err := openBinding(ctx, c, t.target, how)
		if err != nil {
			return err
		}
		c.conn, c.frames = b, b.frames
	case Plain:
		p, err := openPlain(ctx, c, t.target)
		if err != nil {
			return err
		}
		c.conn, c.frames = p, p.frames
	default:
		c.conn = openHTTP(ctx, c, t.target)
	}
	return nil
}

func (t *trial) step(ctx context.Context, s step) error {
	for name, c := range t.clients {
		if at := c.standing(); at != nil {
			t.vars[name+"_epoch"], t.vars[name+"_seq"] = at.Epoch, json.Number(fmt.Sprint(at.Seq))
		}
	}
	if s.client == "" {
		return t.whole(ctx, s)
	}
	c := t.client(s.client)
	switch s.op {
	case ">":
		return t.send(ctx, c, s.rest)
	case "<":
		return t.expect(ctx, c, s.rest)
	case "<<":
		return t.expectFrame(ctx, c, s.rest)
	case "!":
		return t.never(ctx, c, s.rest)
	default:
		return t.hold(ctx, c, s.rest)
	}
}
