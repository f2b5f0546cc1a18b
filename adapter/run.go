package adapter

import (
	"encoding/json"
	"time"

	"github.com/aguiws/aguiws/protocol"
)

// Run is an execution as its agent sees it. It lives while the agent's
// function is called; the zero value is of no use. Its methods may be called
// concurrently, but what a replay must find again (ids, steps, asks) is
// numbered in the order of the calls, so only one goroutine should make them;
// Parallel gives each branch a Run of its own.
//
// Its methods, and the functions that take a Run, are for one of these:
//
//   - Ask a human: CallTools, Confirm, Ask, Login; before it, Askable and Fits judge a question
//     and an answer.
//   - Do: Step and StepWith do something once, Parallel several things at once, and Call lets
//     another agent do it.
//   - Say: Say and Text; Think, Activity, SetState, PatchState, StartStep, Delegate, ToolResult,
//     ToolResultPayload, Usage, Finish; Emit for any other event, and Relay for one of an
//     upstream. PutPayload keeps what is too large to say.
//   - Wait: Sleep for a time, Event for what another system posts, Injected for messages that
//     came meanwhile.
//   - Read what it answers: Input, LatestInput, Messages, Message, ToolCall, Answered, Role,
//     State, Headers, Whole, OpenPayload, Left; who asks: User, Tenant, Namespace, ThreadID,
//     ClientRunID; and NewID and Now, which are the same in every replay.
type Run struct{ x Execution }

// NewRun is a Run of an execution. Runners make those that agents are called with.
func NewRun(x Execution) *Run { return &Run{x} }

// ClientRunID is the client's runId for the run that began the execution, the same in
// every replay. The run that an answer began has another.
func (r *Run) ClientRunID() string { return r.x.Frozen().Label }

// ThreadID is the thread's id.
func (r *Run) ThreadID() string { return r.x.Thread().Thread }

// Namespace is where the thread's id means something: threads of two namespaces may have
// the same id.
func (r *Run) Namespace() string { return r.x.Thread().Namespace }

// User is who sent the input that the execution answers (Input.User of package
// adapter/admission): a name that no other user has, of whatever tenant. A server of package
// server gives it as TENANT/USER, both escaped, such as shop/ann: identity.OfName of package
// server/identity has the two. "": it is not known. It is the same in every replay,
// on whichever node. Who answers, or has a message heard, does not change it. An agent that
// another one calls has its caller's user and tenant.
func (r *Run) User() string { return r.x.Frozen().User }

// Tenant is the tenant of the User (admission.Input.Tenant), and as constant. "": there is
// none, or a server that did not keep it began the execution.
func (r *Run) Tenant() string { return r.x.Frozen().Tenant }

// Input is the input that began the execution, with the thread's whole
// conversation as its messages and the thread's state as its state. It is
// shared between calls, its messages with other runs of the thread as well: neither
// it nor what it holds must be changed. An agent clones what it edits for its model.
func (r *Run) Input() *protocol.RunAgentInput { return r.x.Frozen().Input }

// Now is when the execution began, by the store's clock.
func (r *Run) Now() time.Time { return r.x.Frozen().Now }

// NewID makes an id that is unique in all threads and the same in every
// replay.
func (r *Run) NewID() string { return r.x.NewID() }

// State is the thread's state after what the run has emitted so far. During a
// replay it may already hold what is emitted later.
func (r *Run) State() json.RawMessage { return r.x.State() }

// Messages are the thread's messages as of now: with what the run has emitted so far, an
// open message as far as it has come, and what came with answers. A replay may already see
// what is emitted later, as State says. Neither the slice nor what it holds must be
// changed: both are shared. Events that a branch of Parallel holds back are not in them.
func (r *Run) Messages() protocol.Messages { return r.x.Messages() }
