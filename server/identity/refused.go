package identity

import "fmt"

// Reason names why a credential is not taken, in one word of a fixed list.
type Reason string

// The reasons, in the order in which a credential is looked at.
const (
	ReasonMissing    Reason = "missing"     // there is no credential
	ReasonMalformed  Reason = "malformed"   // it is not what the authenticator reads
	ReasonAlgorithm  Reason = "algorithm"   // it is not signed by an algorithm that is allowed
	ReasonType       Reason = "type"        // it is for something else than asking
	ReasonUnknownKey Reason = "unknown_key" // the issuer has no such key
	ReasonSignature  Reason = "signature"   // no key of the issuer has signed it
	ReasonIssuer     Reason = "issuer"      // another issuer
	ReasonAudience   Reason = "audience"    // it is for another service
	ReasonExpired    Reason = "expired"     // it was good, or does not say until when it is
	ReasonNotYet     Reason = "not_yet"     // it will be good
	ReasonClaim      Reason = "claim"       // a claim that says who it is has no text, or the scopes no list
	ReasonNonce      Reason = "nonce"       // it is not what this sign-in asked for
	ReasonSession    Reason = "session"     // it is no session that this server's key has sealed
	ReasonUnlisted   Reason = "unlisted"    // it is not on the list of tokens
	ReasonOther      Reason = "other"       // an authenticator of the program refused it, and does not say why
)

// Reasons are all of them.
var Reasons = []Reason{ReasonMissing, ReasonMalformed, ReasonAlgorithm, ReasonType, ReasonUnknownKey, ReasonSignature,
	ReasonIssuer, ReasonAudience, ReasonExpired, ReasonNotYet, ReasonClaim, ReasonNonce, ReasonSession, ReasonUnlisted, ReasonOther}

// RefusedError says why a credential is not taken. It wraps ErrUnauthenticated. The
// server logs it and counts it by reason, and does not tell the client. An
// authenticator of a program may return it too.
type RefusedError struct {
	Reason Reason
	// Detail says it in words for the operator. It never holds the credential, and of
	// what the credential says only what its issuer has signed.
	Detail string
}

func (e *RefusedError) Error() string {
	return fmt.Sprintf("%v: %s: %s", ErrUnauthenticated, e.Reason, e.Detail)
}

// Unwrap makes it ErrUnauthenticated.
func (e *RefusedError) Unwrap() error { return ErrUnauthenticated }

func refused(reason Reason, format string, args ...any) error {
	return &RefusedError{reason, fmt.Sprintf(format, args...)}
}
