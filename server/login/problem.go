package login

import "net/http"

// Problem is why a login came to nothing, as the person is told, and what they may do.
type Problem struct {
	Code   string
	Status int
	What   string
	Advice string
	// Stored: the account is connected all the same.
	Stored bool
}

func (p *Problem) Error() string { return p.Code + ": " + p.What }

const again = "Go back to the chat and sign in again from there, or decline."

// The failures, each once.
var (
	problemInvalid      = &Problem{Code: "login_invalid", Status: http.StatusBadRequest, What: "This address is incomplete.", Advice: again}
	problemUnknown      = &Problem{Code: "login_unknown", Status: http.StatusNotFound, What: "This sign-in is not known here, or was begun long ago.", Advice: again}
	problemReplayed     = &Problem{Code: "login_replayed", Status: http.StatusConflict, What: "This sign-in was used already.", Advice: "Go back to the chat. If it still asks, sign in again from there."}
	problemExpired      = &Problem{Code: "login_expired", Status: http.StatusGone, What: "Signing in took longer than ten minutes.", Advice: again}
	problemOtherBrowser = &Problem{Code: "login_other_browser", Status: http.StatusForbidden, What: "This sign-in was begun by somebody else, or in another browser. Nothing was connected.", Advice: "If it was you, open the chat in this browser and sign in from there. If somebody sent you this link, close the page."}
	problemNotYours     = &Problem{Code: "login_not_yours", Status: http.StatusForbidden, What: "Another user is asked to sign in here: the account has to be theirs.", Advice: "Leave it to them. It can be declined in the chat."}
	problemNobody       = &Problem{Code: "login_no_user", Status: http.StatusForbidden, What: "This server does not know who you are: an account could not be kept for you alone.", Advice: "Decline in the chat, and tell who runs this server that users have no names."}
	problemDenied       = &Problem{Code: "login_denied", Status: http.StatusForbidden, What: "You have declined, and the agent was told so.", Advice: "You can close this page. If you did not mean to, ask for it in the chat again."}
	problemIssuer       = &Problem{Code: "login_issuer", Status: http.StatusBadRequest, What: "The answer is not from the service that was asked. Nothing was connected.", Advice: again}
	problemFailed       = &Problem{Code: "login_failed", Status: http.StatusBadGateway, What: "The service did not complete the sign-in.", Advice: again + " If it fails again, tell who runs this server: its log says what the service answered."}
	problemDown         = &Problem{Code: "login_unavailable", Status: http.StatusServiceUnavailable, What: "The service cannot be reached now.", Advice: "Wait a moment. " + again}
	problemBusy         = &Problem{Code: "login_not_taken", Status: http.StatusServiceUnavailable, What: "Your account is connected, but the agent could not go on yet.", Advice: "Go back to the chat and press the button again: you will not have to sign in twice.", Stored: true}
	problemClosed       = &Problem{Code: "login_closed", Status: http.StatusNotFound, What: "Nothing asks for this sign-in any more.", Advice: "Go back to the chat. It was answered, declined or cancelled meanwhile."}
	problemStale        = &Problem{Code: "login_stale", Status: http.StatusGone, What: "The time to sign in is over.", Advice: "Decline in the chat, or send another message."}
	problemLate         = &Problem{Code: "login_late", Status: http.StatusConflict, What: "Your account is connected, but what asked for it was answered, declined or cancelled meanwhile, or its time was over.", Advice: "You can close this page. If you do not want the account to be used, delete it where your accounts are listed.", Stored: true}
	problemCredential   = &Problem{Code: "login_credential", Status: http.StatusForbidden, What: "What you had signed in to the chat with has expired or was revoked meanwhile. Nothing was connected.", Advice: "Sign in to the chat again, and then here from there."}
	problemNoProvider   = &Problem{Code: "login_no_provider", Status: http.StatusServiceUnavailable, What: "This server does not know the service any more.", Advice: "Decline in the chat, and tell who runs this server."}

	problems = []*Problem{problemInvalid, problemUnknown, problemReplayed, problemExpired, problemOtherBrowser, problemNotYours, problemNobody, problemDenied, problemIssuer,
		problemFailed, problemDown, problemBusy, problemClosed, problemStale, problemLate, problemCredential, problemNoProvider}
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
