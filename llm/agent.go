package llm

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/llm/chat"
)

// The defaults of Options.
const (
	DefaultURL      = "https://api.openai.com/v1"
	DefaultMaxTurns = 16
	DefaultSilence  = 5 * time.Minute
	DefaultRetries  = 2
)

// Options say which model is asked, and for what. Model alone is needed.
type Options struct {
	// URL is where chat/completions lies, as http://127.0.0.1:11434/v1 for Ollama. ""
	// is DefaultURL. Redirects are not followed.
	URL   string
	Model string
	// Key is sent as a bearer's token; "" sends none. No environment is read.
	Key string
	// Instructions are what the model is told before the conversation, the context of
	// the input behind them.
	Instructions string
	// TellState lets the model read the thread's state, behind the instructions.
	TellState bool
	// Tools are what the model may call: Define and Form make them. One hides a
	// frontend's tool of its name.
	Tools []Tool
	// MaxMessages is how many of the conversation's last messages the model is given,
	// at most, from a user's on; the latest of those always is. 0: all.
	MaxMessages int
	// ImageURLs passes on the addresses of images that users' messages name, which the
	// endpoint fetches out of its own network. Images that come with a message are always
	// passed on.
	ImageURLs bool
	// FileIDs passes on the ids of files that users' messages name: any file that the
	// endpoint keeps for the owner of Key, whoever uploaded it.
	FileIDs bool
	// MaxTurns is how often the model may be asked before it answers without calling a
	// tool. 0: DefaultMaxTurns.
	MaxTurns int
	// Silence is for how long the endpoint may say nothing, before its answer and in
	// it. 0: DefaultSilence; negative: for ever.
	Silence time.Duration
	// Retries is how often a request is sent again that found nobody, or was answered
	// by 408, 409, 429 or 5xx. 0: DefaultRetries; negative: never. Once an answer has
	// begun nothing is sent again.
	Retries int
	// Adjust changes what is sent, for example its temperature by Request.More. nil
	// changes nothing. It is called concurrently.
	Adjust func(*chat.Request)
	// Client carries the requests; nil is one of the package's own, which all agents
	// share.
	Client *http.Client
}

// Agent answers by a model. Several runners may use it at once.
type Agent struct {
	options  Options
	tools    map[string]Tool
	endpoint *chat.Endpoint
}

var _ adapter.Agent = (*Agent)(nil)

// New returns the agent. It asks the endpoint nothing.
func New(options Options) (*Agent, error) {
	if options.URL == "" {
		options.URL = DefaultURL
	}
	if options.MaxTurns == 0 {
		options.MaxTurns = DefaultMaxTurns
	}
	if options.Silence == 0 {
		options.Silence = DefaultSilence
	}
	if options.Retries == 0 {
		options.Retries = DefaultRetries
	}
	if options.Client == nil {
		options.Client = sharedClient
	}
	if options.Model == "" {
		return nil, errors.New("llm: Options.Model must name a model of the endpoint's")
	}
	if u, err := url.Parse(options.URL); err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, fmt.Errorf("llm: Options.URL %q: expected the address of an API such as %s", redactedURL(options.URL), DefaultURL)
	} else if u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return nil, fmt.Errorf("llm: Options.URL %q: may hold neither credentials nor a query: Options.Key is sent as a bearer's token", redactedURL(options.URL))
	}
	a := &Agent{options: options, tools: make(map[string]Tool, len(options.Tools))}
	for _, t := range options.Tools {
		if bad, ok := t.(undefined); ok {
			return nil, fmt.Errorf("llm: %w", bad.error)
		}
		name := t.Schema().Name
		if !fitName(name) {
			return nil, fmt.Errorf("llm: tool %q: a name has letters, digits, _ and -, 64 at most", name)
		}
		if a.tools[name] != nil {
			return nil, fmt.Errorf("llm: two tools have the name %s", name)
		}
		a.tools[name] = t
	}
	a.endpoint = &chat.Endpoint{URL: options.URL, Key: options.Key, Client: noRedirects(options.Client), Retries: max(options.Retries, 0), MaxDelay: maxRetryDelay}
	return a, nil
}

// Restartable is true: nothing happens outside steps.
func (a *Agent) Restartable() bool { return true }

// Run answers the conversation.
func (a *Agent) Run(ctx context.Context, run *adapter.Run) error {
	ctx = withRun(ctx, run)
	var known aside
	var used usage
	for turns := 1; turns <= a.options.MaxTurns; turns++ {
		// Messages that have joined are among the run's, of which the request is made.
		if _, err := run.Injected(ctx); err != nil {
			return err
		}
		t, err := adapter.StepWith(ctx, run, "model", adapter.StepOptions{Idempotent: true}, func(ctx context.Context) (turn, error) {
			t, err := a.ask(ctx, run, a.request(run, known))
			return a.noted(t, run), err
		})
		if err != nil {
			return err
		}
		if err := used.tell(run, t); err != nil {
			return err
		}
		if failed := t.failed(a.options.Model); failed != nil {
			return errors.Join(failed, abandon(run, t.Calls))
		}
		if len(t.Calls) == 0 {
			if turns == a.options.MaxTurns {
				return nil // who says more now is answered by a run of its own
			}
			if joined, err := run.Injected(ctx); err != nil || len(joined) == 0 {
				return err
			}
			continue
		}
		left, err := a.carryOut(ctx, run, t.Calls, &known)
		if err != nil || left { // the frontend's results come with its next input
			return err
		}
	}
	return &adapter.UserError{Message: fmt.Sprintf("The model has called tools %d times and not answered. Ask for less at once.", a.options.MaxTurns)}
}

// abandon answers calls that are not carried out, so that nobody waits for them.
func abandon(run *adapter.Run, calls []call) error {
	for _, c := range calls {
		if err := run.ToolResult(c.ID, notExecuted("the model's answer did not come to its end")); err != nil {
			return err
		}
	}
	return nil
}

// noted is a turn with what a replay could find changed: which run has paid for it, and
// which calls are the frontend's.
func (a *Agent) noted(t turn, run *adapter.Run) turn {
	t.Run = run.LatestInput().RunID
	for i, c := range t.Calls {
		t.Calls[i].Frontend = a.tools[c.Name] == nil && offered(run, c.Name)
	}
	return t
}

// aside is what the model is told of calls that the thread's messages do not say.
type aside struct {
	edited  map[string]string // arguments that a human gave, by the call's id
	without map[string]string // why there is no result
}

func (k *aside) edit(call, args string)   { put(&k.edited, call, args) }
func (k *aside) explain(call, why string) { put(&k.without, call, why) }

func put(into *map[string]string, key, value string) {
	if *into == nil {
		*into = map[string]string{}
	}
	(*into)[key] = value
}
