package cli

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// hidden stands where a configured value was.
const hidden = "…"

// shortestSecret is the shortest value that is hidden: of a shorter one nothing is kept by
// hiding it.
const shortestSecret = 4

// secrets are what the entry sends and nobody else is to read, the longest first.
func (e *upstreamEntry) secrets() (list []string) {
	add := func(values ...string) {
		for _, v := range values {
			// An agent may repeat the key alone of "Bearer KEY".
			for _, each := range append(strings.Fields(v), v) {
				if len(each) >= shortestSecret && !strings.EqualFold(each, "bearer") && !strings.EqualFold(each, "basic") && !slices.Contains(list, each) {
					list = append(list, each)
				}
			}
		}
	}
	if header, err := e.header(); err == nil {
		for _, values := range header {
			add(values...)
		}
	}
	if u, err := url.Parse(e.URL); err == nil {
		add(u.RawQuery)
		for _, values := range u.Query() {
			add(values...)
		}
	}
	slices.SortFunc(list, func(a, b string) int { return len(b) - len(a) })
	return list
}

// told is what an upstream said, for a line of a report: without what is configured as its
// secrets, and at most so many bytes long.
func (e *upstreamEntry) told(text string, most int) string {
	for _, secret := range e.secrets() {
		text = strings.ReplaceAll(text, secret, hidden)
		text = strings.ReplaceAll(text, url.QueryEscape(secret), hidden)
	}
	text = strings.Join(strings.Fields(strings.ToValidUTF8(text, "")), " ")
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "")
	}
	return text
}

// readable is a text without what terminals obey.
func readable(text string) string {
	var b strings.Builder
	for _, r := range text {
		if unicode.IsPrint(r) {
			b.WriteRune(r)
			continue
		}
		q := strconv.QuoteRune(r)
		b.WriteString(q[1 : len(q)-1])
	}
	return b.String()
}
