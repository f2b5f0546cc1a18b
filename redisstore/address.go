package redisstore

import "strings"

// Address is where a store's URL points to, without credentials and options, for
// logs. If the two cannot be told apart, it is the scheme alone.
func Address(raw string) string {
	scheme, rest, ok := strings.Cut(raw, "://")
	if !ok {
		return ""
	}
	rest, query, _ := strings.Cut(rest, "?")
	if strings.Contains(query, "@") {
		rest = ""
	}
	return scheme + "://" + rest[strings.LastIndexByte(rest, '@')+1:]
}
