package admit

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxArgumentsBytes is how long arguments are read for what a call does.
const maxArgumentsBytes = 20_000

var (
	// towards is the arguments that say towards whom a call acts, and how a sentence says so.
	towards = map[string]string{
		"to": "to", "recipient": "to", "recipients": "to", "email": "to", "for": "for", "into": "into",
		"in": "in", "from": "from", "with": "with", "at": "at", "on": "on",
	}
	// telling is those and the ones whose values speak for themselves. The first that is there is told.
	telling = []string{
		"to", "recipient", "recipients", "email", "for", "into", "in", "from", "with", "at", "on",
		"title", "name", "subject", "query", "q", "url", "path", "file", "filename", "command", "cmd", "sql", "text", "message", "question", "id",
	}
	capitals = regexp.MustCompile(`(?i)^(eur|usd|gbp|chf|jpy|cny|inr|aud|sek|nok|dkk|pln|czk|huf|brl|mxn|zar|krw|sgd|hkd|nzd|id|url|uri|iban|bic|vat|sku|pdf|ip|api|sql)$`)

	separators = regexp.MustCompile(`[\s_\-./:]+`)
	acronym    = regexp.MustCompile(`(\p{Lu})(\p{Lu}\p{Ll})`)
	hump       = regexp.MustCompile(`(\p{Ll})(\p{Lu}+)`)
	laterWord  = regexp.MustCompile(` \p{Lu}\p{Ll}`)
	wholeWord  = regexp.MustCompile(`[\p{L}\p{N}]+`)
)

// headlineOf is what a call does, in a line. The page's cards say the same: testdata/headlines.json
// holds both to it.
func headlineOf(name, arguments string) string {
	verb := worded(name)
	members := membersOf(arguments)
	if len(members) == 0 {
		return verb
	}
	told := members[0]
	for _, key := range telling {
		if i := slices.IndexFunc(members, func(m member) bool { return strings.EqualFold(m.name, key) }); i >= 0 {
			told = members[i]
			break
		}
	}
	key := strings.ToLower(told.name)
	if way := towards[key]; way != "" {
		return verb + " " + way + " " + told.value
	}
	if slices.Contains(telling, key) {
		return verb + ": " + told.value
	}
	return verb + ", " + lower(worded(told.name)) + " " + told.value
}

type member struct{ name, value string }

// membersOf is the members of an object that fit into a line, in their order.
func membersOf(object string) []member {
	if len(object) > maxArgumentsBytes || !json.Valid([]byte(object)) {
		return nil
	}
	d := json.NewDecoder(strings.NewReader(object))
	d.UseNumber()
	if begin, err := d.Token(); err != nil || begin != json.Delim('{') {
		return nil
	}
	var members []member
	for d.More() {
		name, err := d.Token()
		var value any
		if err != nil || d.Decode(&value) != nil {
			return members
		}
		if said := saidOf(value); said != "" {
			members = append(members, member{fmt.Sprint(name), said})
		}
	}
	return members
}

func saidOf(value any) string {
	switch v := value.(type) {
	case string:
		return CutTitle(v)
	case json.Number:
		return v.String()
	case []any:
		if len(v) == 0 {
			return ""
		}
		if first, ok := v[0].(string); ok {
			return andMore(CutTitle(first), len(v)-1)
		}
	}
	return ""
}

func andMore(first string, more int) string {
	if first == "" || more == 0 {
		return first
	}
	return fmt.Sprintf("%s and %d more", first, more)
}

// worded is a name as words: send_email, sendEmail and send-email are "Send email".
func worded(name string) string {
	if !strings.ContainsFunc(name, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }) {
		return name
	}
	words := strings.TrimSpace(separators.ReplaceAllString(name, " "))
	words = hump.ReplaceAllString(acronym.ReplaceAllString(words, "$1 $2"), "$1 $2")
	words = laterWord.ReplaceAllStringFunc(words, strings.ToLower)
	first, size := utf8.DecodeRuneInString(words)
	words = string(unicode.ToUpper(first)) + words[size:]
	return wholeWord.ReplaceAllStringFunc(words, func(word string) string {
		if capitals.MatchString(word) {
			return strings.ToUpper(word)
		}
		return word
	})
}

// lower begins with a small letter, but for capitals.
func lower(words string) string {
	first, size := utf8.DecodeRuneInString(words)
	if size == 0 {
		return ""
	}
	if next, _ := utf8.DecodeRuneInString(words[size:]); unicode.IsUpper(next) {
		return words
	}
	return string(unicode.ToLower(first)) + words[size:]
}
