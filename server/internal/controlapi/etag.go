package controlapi

import (
	"crypto/sha256"
	"encoding/base64"
	"net/http"
)

// writeTagged writes JSON that a client may ask for again at little cost.
func writeTagged(w http.ResponseWriter, r *http.Request, status int, body []byte) {
	h := w.Header()
	h.Set("Cache-Control", "private, no-cache") // a proxy may not know that a cookie says who asks
	if r.Method == http.MethodGet {
		sum := sha256.Sum256(body)
		tag := `"` + base64.RawURLEncoding.EncodeToString(sum[:12]) + `"`
		h.Set("ETag", tag)
		if r.Header.Get("If-None-Match") == tag {
			w.WriteHeader(http.StatusNotModified)
			return
		}
	}
	h.Set("Content-Type", "application/json")
	w.WriteHeader(status)
	w.Write(body)
}
