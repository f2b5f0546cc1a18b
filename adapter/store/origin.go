package store

// Origin says how an input or an answer has come: the decision record tells it.
type Origin struct {
	Through    Through `json:"through,omitempty"`
	Credential string  `json:"credential,omitempty"` // the subject of what it was authenticated by
	// Name is what others who follow the thread are told of the user; "": nothing.
	Name string `json:"name,omitempty"`
}

// Through is the way on which a decision has come.
type Through string

const (
	ThroughSocket     Through = "socket"
	ThroughPOST       Through = "post"
	ThroughCopilotKit Through = "copilotkit"
	ThroughInbox      Through = "inbox"
	ThroughLink       Through = "link"
	ThroughLogin      Through = "login"    // at a provider, which has sent the browser back
	ThroughExpiry     Through = "expiry"   // nobody answered in time
	ThroughEvent      Through = "event"    // from whoever has the token of an event that is waited for
	ThroughOperator   Through = "operator" // an action on the thread
	ThroughCall       Through = "call"     // an agent has called another one, whose end is an answer
	ThroughSteering   Through = "steering" // another message, which turned away from what was asked
)
