package signin

import "net/http"

// Problem is why somebody is not signed in, in words for them.
type Problem struct {
	Status             int
	Code, What, Advice string
}

func (p *Problem) Error() string { return "signin: " + p.Code }

var (
	problemInvalid      = &Problem{Status: http.StatusBadRequest, Code: "signin_invalid", What: "This address is not complete.", Advice: "Sign in from the page."}
	problemOtherBrowser = &Problem{Status: http.StatusForbidden, Code: "signin_unknown", What: "You did not begin to sign in with this browser, or you began again in another tab, or it took longer than ten minutes.", Advice: "Sign in again."}
	problemIssuer       = &Problem{Status: http.StatusBadRequest, Code: "signin_issuer", What: "The answer is not from the service that was asked.", Advice: "Sign in again. If this happens again, tell your administrator."}
	problemDenied       = &Problem{Status: http.StatusForbidden, Code: "signin_denied", What: "The service at which you sign in did not let you in.", Advice: "Sign in again, or ask your administrator for access."}
	problemFailed       = &Problem{Status: http.StatusBadGateway, Code: "signin_failed", What: "The service at which you sign in refused.", Advice: "Sign in again. If this happens again, tell your administrator: the server's log has the reason."}
	problemDown         = &Problem{Status: http.StatusServiceUnavailable, Code: "signin_unavailable", What: "The service at which you sign in does not answer now.", Advice: "Wait a moment, and sign in again."}
	problemIdentity     = &Problem{Status: http.StatusForbidden, Code: "signin_identity", What: "The server does not take what the service says of you.", Advice: "Sign in again. If this happens again, tell your administrator: the server's log has the reason."}
	problemNoAccess     = &Problem{Status: http.StatusForbidden, Code: "signin_no_access", What: "You have an account at the service, and nobody has given you access to this server.", Advice: "Ask your administrator for access. To sign in as somebody else, sign out at the service first."}
	problemTooLong      = &Problem{Status: http.StatusForbidden, Code: "signin_identity", What: "What the service says of you is too long to be kept.", Advice: "Tell your administrator."}
)
