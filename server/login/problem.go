package login

import "net/http"

// Problem is why a login came to nothing, as the person is told, and what they may do.
type Problem struct {
	Code   string
	Status int
	What   string
	Advice string
}

func (p *Problem) Error() string { return p.Code + ": " + p.What }

const again = "Go back to the chat and sign in again from there, or decline."

// The failures, each once.
var (
	problemInvalid      = &Problem{"login_invalid", http.StatusBadRequest, "This address is incomplete.", again}
	problemUnknown      = &Problem{"login_unknown", http.StatusNotFound, "This sign-in is not known here, or was begun long ago.", again}
	problemReplayed     = &Problem{"login_replayed", http.StatusConflict, "This sign-in was used already.", "Go back to the chat. If it still asks, sign in again from there."}
	problemExpired      = &Problem{"login_expired", http.StatusGone, "Signing in took longer than ten minutes.", again}
	problemOtherBrowser = &Problem{"login_other_browser", http.StatusForbidden, "This sign-in was begun by somebody else, or in another browser. Nothing was connected.", "If it was you, open the chat in this browser and sign in from there. If somebody sent you this link, close the page."}
	problemNotYours     = &Problem{"login_not_yours", http.StatusForbidden, "Another user is asked to sign in here: the account has to be theirs.", "Leave it to them. It can be declined in the chat."}
	problemNobody       = &Problem{"login_no_user", http.StatusForbidden, "This server does not know who you are: an account could not be kept for you alone.", "Decline in the chat, and tell who runs this server that users have no names."}
	problemDenied       = &Problem{"login_denied", http.StatusForbidden, "You have declined, and the agent was told so.", "You can close this page. If you did not mean to, ask for it in the chat again."}
	problemIssuer       = &Problem{"login_issuer", http.StatusBadRequest, "The answer is not from the service that was asked. Nothing was connected.", again}
	problemFailed       = &Problem{"login_failed", http.StatusBadGateway, "The service did not complete the sign-in.", again + " If it fails again, tell who runs this server: its log says what the service answered."}
	problemDown         = &Problem{"login_unavailable", http.StatusServiceUnavailable, "The service cannot be reached now.", "Wait a moment. " + again}
	problemBusy         = &Problem{"login_not_taken", http.StatusServiceUnavailable, "Your account is connected, but the agent could not go on yet.", "Go back to the chat and press the button again: you will not have to sign in twice."}
	problemClosed       = &Problem{"login_closed", http.StatusNotFound, "Nothing asks for this sign-in any more.", "Go back to the chat. It was answered, declined or cancelled meanwhile."}
	problemStale        = &Problem{"login_stale", http.StatusGone, "The time to sign in is over.", "Decline in the chat, or send another message."}
	problemNoProvider   = &Problem{"login_no_provider", http.StatusServiceUnavailable, "This server does not know the service any more.", "Decline in the chat, and tell who runs this server."}

	problems = []*Problem{problemInvalid, problemUnknown, problemReplayed, problemExpired, problemOtherBrowser, problemNotYours, problemNobody, problemDenied, problemIssuer,
		problemFailed, problemDown, problemBusy, problemClosed, problemStale, problemNoProvider}
)

// Problems are all that there are.
func Problems() []*Problem { return problems }

func problemOf(code string) *Problem {
	for _, p := range problems {
		if p.Code == code {
			return p
		}
	}
	return nil
}
