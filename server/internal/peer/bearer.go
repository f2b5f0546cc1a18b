package peer

import (
	"encoding/base64"
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/aguiws/aguiws/server/internal/refusal"
)

const bearerPrefix = "agui.bearer."

// BearerOf finds the credential that decides: the Authorization header, else
// the bearer subprotocol. A credential that is there and cannot be read is present and
// empty: it is refused, not skipped. The query is never looked at.
func BearerOf(r *http.Request, offers []string) (token string, present bool, refused *refusal.Refusal) {
	if scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " "); strings.EqualFold(scheme, "Bearer") {
		return strings.TrimSpace(token), true, nil
	}
	for _, offer := range offers {
		encoded, ok := strings.CutPrefix(offer, bearerPrefix)
		if !ok {
			continue
		}
		if present {
			return "", true, refuseBearers
		}
		present = true
		if b, err := base64.RawURLEncoding.DecodeString(encoded); err == nil && utf8.Valid(b) {
			token = string(b)
		}
	}
	return token, present, nil
}
