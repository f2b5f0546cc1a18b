package login

import "errors"

// Options.Observe is told of these, beside the codes of problems. A flow that has begun
// ends in EventSignedIn or a code, or nobody comes back.
const (
	EventBegun            = "begun"
	EventSignedIn         = "signed_in"
	EventRenewed          = "renewed"
	EventRenewalFailed    = "renewal_failed"
	EventTakenBack        = "taken_back" // the provider renews no more
	EventDeleted          = "deleted"    // by its user
	EventRevoked          = "revoked"    // the provider was told of that
	EventRevocationFailed = "revocation_failed"
	EventFailed           = "failed" // of the server or its store
)

// returned tells of how a flow has ended.
func (s *Service) returned(provider string, err error) {
	event := EventSignedIn
	if err != nil {
		event = EventFailed
		var p *Problem
		if errors.As(err, &p) {
			event = p.Code
		}
	}
	s.opts.Observe(provider, event)
}
