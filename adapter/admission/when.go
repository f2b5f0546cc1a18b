package admission

// When says when the messages of an input are heard that comes while another run of its
// thread is under way, or has asked.
type When string

const (
	// WhenQueue: by a run of its own, as runner.Options.Busy and the open interrupts allow.
	WhenQueue When = ""
	// WhenStep: by that run, at its next Run.Injected. It answers nothing that is open, and
	// is not refused for it. Until it is taken it waits in the queue as others do, where it
	// may be cancelled, and what has not been taken when the run is over begins a run of its
	// own. It brings text of users and nothing else: tools, context and state of the input
	// are there only if it begins one.
	WhenStep When = "step"
)

// WhenNamed is a When as clients name it: "step", or "queue", which is also what is
// left out. Others are refused with the input.
func WhenNamed(name string) When {
	if name == "queue" {
		return WhenQueue
	}
	return When(name)
}
