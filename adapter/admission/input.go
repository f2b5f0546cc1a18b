// Package admission has the shapes of what is sent into threads, and of what it is answered.
package admission

import (
	"time"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
)

// Input is a RunAgentInput with what the wire does not say.
type Input struct {
	Namespace string
	Tenant    string // whose inbox the thread's interrupts are in
	Agent     string // name; "" is the default agent, which may be named as well
	// User is whose input it is, a name that no other user has, of whatever tenant.
	// "": not known. Then nothing counts for them, and approving is refused with
	// runner.Options.SeparateDuties.
	User     string
	From     store.Origin // how it has come
	Run      *protocol.RunAgentInput
	Dispatch DispatchOptions
	// Headers are what of the request that brought it goes along to the agent: see
	// Run.Headers. They are kept with the run in the store until it has ended, and a
	// credential among them as well. More than 16 KiB are refused. The case of their names
	// does not count.
	Headers map[string]string
	// Commands: without resume entries, forwardedProps.command.resume answers what the
	// thread asks, as CopilotKit's pages gave answers before 1.61.2.
	Commands bool
	// Sender says that the client follows only the run of this input. Such a client does
	// not keep CancelLeft from stopping the runs of others.
	Sender bool
	// Left is asked about the active run, by its server-made id, that the input would
	// have to wait for or is refused for: whether its client has left it. If so, and
	// nobody else watches the thread, that run is cancelled and the input judged anew.
	// It must not block. nil: no client has.
	Left func(runID string) bool
	// When says when its messages are to be heard, if another run is under way or waits.
	When When
}

// DispatchOptions say how an input waits when it has to.
type DispatchOptions struct {
	Priority *uint8 // 0 is claimed first, 255 last, then in the order of arrival; nil: 128
	Dedupe   string // refused (CodeDuplicate) while an input of the thread with this key waits or runs; "": never
	// Available is when the run may begin at the earliest, by the store's clock.
	// The input is queued until then. Zero: at once.
	Available time.Time
}

// Disposition is what became of an input (docs/binding/core.md, ws.run).
type Disposition string

const (
	Started Disposition = "started"
	Queued  Disposition = "queued"
	Repeat  Disposition = "repeat"
	Refused Disposition = "refused"
)

// Admitted answers Submit.
type Admitted struct {
	Disposition Disposition
	RunID       string         // server-made; Repeat: of the run that answers the input
	Of          string         // Repeat: that run's label, the client's runId
	User        string         // Repeat: whose input began that run; "": not known
	Waits       bool           // Repeat: that run waits in the queue
	Position    store.Position // Started: the position before its RUN_STARTED
	// Started and Queued: when the run begins, its sender does not hold all that the thread
	// does, after a connection that was cut or because others ran meanwhile.
	Behind  bool
	Cleared string             // the run that was cancelled because of Input.Left; "": none was
	Refusal *protocol.RunError // Refused
	// Elsewhere is the thread below that has raised what an input answers that is Refused for
	// that; "": none is known.
	Elsewhere string
}
