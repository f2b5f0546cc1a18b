package identity

import (
	"context"
	"crypto/subtle"
	"strings"
	"unicode"

	"github.com/aguiws/aguiws/server/internal/strictjson"
)

// maxNameRunes bounds what people call a user.
const maxNameRunes = 80

// SignedIn tells whom an ID token of OpenID Connect stands for, by the same claims as a
// bearer. The audience is the client's id, and nonce what the client asked the issuer with.
func (j *JWT) SignedIn(ctx context.Context, idToken, nonce string) (Identity, error) {
	standard, all, err := j.signed(ctx, idToken)
	if err != nil {
		return Identity{}, err
	}
	id, err := j.identify(standard, all)
	if err != nil {
		return Identity{}, err
	}
	said, _ := strictjson.Text(all["nonce"])
	if nonce == "" || subtle.ConstantTimeCompare([]byte(said), []byte(nonce)) != 1 {
		return Identity{}, refused(ReasonNonce, "the ID token is not the one that was asked for: its nonce is another")
	}
	// Of several audiences azp is the one that asked (OpenID Connect Core, 3.1.3.7).
	if azp, given := all["azp"]; given || len(standard.Audience) > 1 {
		if party, _ := strictjson.Text(azp); party != j.opts.Audience {
			return Identity{}, refused(ReasonAudience, "the ID token was issued to another client: its azp is not %q", j.opts.Audience)
		}
	}
	if standard.Subject == "" {
		return Identity{}, refused(ReasonClaim, "the ID token has no sub")
	}
	for _, name := range []string{"name", "preferred_username", "email"} {
		if text, ok := strictjson.Text(all[name]); ok && id.Name == "" {
			id.Name = shownName(text)
		}
	}
	return id, nil
}

// shownName is a name without what could not be seen, or would turn what stands beside it.
func shownName(text string) string {
	text = strings.Map(func(r rune) rune {
		if unicode.IsGraphic(r) && r != unicode.ReplacementChar {
			return r
		}
		return -1
	}, text)
	if runes := []rune(text); len(runes) > maxNameRunes {
		text = string(runes[:maxNameRunes])
	}
	return strings.TrimSpace(text)
}
