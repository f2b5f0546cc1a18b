package script

import (
	"context"
	"strings"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/protocol"
)

// Options configure the agent.
type Options struct {
	// Effects is the file to which each effect appends a line. Without it an
	// effect leaves no trace.
	Effects string
}

// Identity says who the agent is. Pages know by its type what to offer.
var Identity = protocol.IdentityCapabilities{
	Name: "script", Type: "aguiws:script", Description: "Does what commands such as /say and /tool tell it to",
}

// Multimodal says which media the agent takes: all of them.
var Multimodal = protocol.MultimodalCapabilities{
	Input: &protocol.MultimodalInputCapabilities{Image: &yes, Audio: &yes, Video: &yes, PDF: &yes, File: &yes},
}

var yes = true

// New returns the agent. It may be used by several runners at once.
func New(options Options) adapter.Agent { return &agent{options} }

type agent struct{ options Options }

// Restartable is true: nothing happens outside steps.
func (a *agent) Restartable() bool { return true }

// command carries out what follows a name like "/say".
type command func(a *agent, ctx context.Context, run *adapter.Run, argument string) error

var commands = map[string]command{
	"/say":      (*agent).say,
	"/slow":     (*agent).slow,
	"/tool":     (*agent).tool,
	"/delete":   (*agent).delete,
	"/parallel": (*agent).parallel,
	"/form":     (*agent).form,
	"/date":     (*agent).date,
	"/confirm":  (*agent).confirm,
	"/twice":    (*agent).twice,
	"/expire":   (*agent).expire,
	"/fail":     (*agent).fail,
	"/panic":    (*agent).panic,
	"/state":    (*agent).state,
	"/effect":   (*agent).effect,
	"/think":    (*agent).think,
	"/delegate": (*agent).delegate,
	"/activity": (*agent).activity,
	"/frontend": (*agent).frontend,
	"/login":    (*agent).login,
	"/report":   (*agent).report,
	"/steps":    (*agent).steps,
	"/sleep":    (*agent).sleep,
	"/event":    (*agent).event,
	"/call":     (*agent).call,
	"/help":     func(_ *agent, _ context.Context, run *adapter.Run, _ string) error { return stream(run, allCommands) },
}

const help = "I am the script agent, and I ask before I act: try “Send an email to ada@example.com”. " +
	"Everything else that I understand begins with a slash, and /help lists it."

const allCommands = "I understand /say TEXT, /slow N MS, /tool NAME JSON, " +
	"/delete NAME, /parallel N, /form, /date, /confirm TEXT, /twice, /expire SECONDS, /fail TEXT, /panic, /state JSON, /effect, " +
	"/think TEXT, /delegate TEXT, /activity, /frontend NAME JSON, /login PROVIDER SCOPES, /report ROWS, /steps N MS, /sleep SECONDS, /event NAME or /call TEXT. Or attach a picture or a file."

// Run obeys the last user message.
func (a *agent) Run(ctx context.Context, run *adapter.Run) error {
	if said, ok := answered(run.Input().Messages); ok {
		return stream(run, said)
	}
	said := lastOfUser(run.Input().Messages)
	name, argument, _ := strings.Cut(strings.TrimSpace(said.String()), " ")
	if do := commands[name]; do != nil {
		return do(a, ctx, run, strings.TrimSpace(argument))
	}
	if came := attached(said); came != "" {
		return stream(run, came)
	}
	for _, s := range sentences {
		if found := s.pattern.FindStringSubmatch(strings.TrimSpace(said.String())); found != nil {
			return s.do(a, ctx, run, found)
		}
	}
	return stream(run, help)
}

// lastOfUser is what the user said last; nil: nothing.
func lastOfUser(messages protocol.Messages) *protocol.Content {
	for i := len(messages) - 1; i >= 0; i-- {
		if messages[i].Role == protocol.RoleUser {
			return messages[i].Content
		}
	}
	return nil
}

// stream writes a message in word deltas.
func stream(run *adapter.Run, text string) error {
	t, err := run.Text()
	if err != nil {
		return err
	}
	for _, word := range strings.SplitAfter(text, " ") {
		if _, err := t.WriteString(word); err != nil {
			return err
		}
	}
	return t.Close()
}
