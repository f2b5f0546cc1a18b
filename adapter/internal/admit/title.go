package admit

import (
	"cmp"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
)

// maxTitleBytes is what a store keeps of a title, and maxAskedBytes what a run record does of
// what its run was asked.
const (
	maxTitleBytes = 60
	maxAskedBytes = 120
)

// maxReadBytes is what is read of a message for its title.
const maxReadBytes = 1000

// titleOf names a thread after what its first user message says, or else after the
// first file of it that has a name. A command alone says nothing: it is the title, as it was
// written, until there is another. The page names a thread that it shows by the same
// rule: testdata/titles.json holds both to it.
func titleOf(messages protocol.Messages) string {
	alone := ""
	for _, m := range messages {
		if m.Role != protocol.RoleUser {
			continue
		}
		text := m.Content.String()
		if command := commandAlone(text); command != "" {
			alone = cmp.Or(alone, CutTitle(command))
		} else if title := cmp.Or(CutTitle(sentenceIn(text)), fileTitle(m.Content)); title != "" {
			return title
		}
	}
	return alone
}

// commandAlone is the command that a text is without a word for it; "": it is none.
func commandAlone(text string) string {
	command, rest := commandIn(readable(text))
	if said := firstSentence(plain(rest)); command != "" && !strings.ContainsFunc(said, unicode.IsLetter) {
		return strings.TrimSpace("/" + command + " " + said)
	}
	return ""
}

// betterTitle is what a thread that is called after a command alone is called once there are
// messages, or an answer to what was asked, that say more; "": they do not.
func betterTitle(before string, fresh protocol.Messages, asked *store.Suspension) string {
	if commandAlone(before) == "" {
		return ""
	}
	if title := titleOf(fresh); title != "" && commandAlone(title) == "" {
		return title
	}
	if asked == nil {
		return ""
	}
	return questionsTitle(asked)
}

// askedOf is what the last user message says, as titleOf would name a thread after it.
func askedOf(messages protocol.Messages) string {
	for _, m := range slices.Backward(messages) {
		if m.Role == protocol.RoleUser {
			return cmp.Or(cutLine(sentenceIn(m.Content.String()), maxAskedBytes), fileTitle(m.Content))
		}
	}
	return ""
}

// fileTitle is the name of the first file that has one.
func fileTitle(content *protocol.Content) string {
	parts, _ := content.Parts()
	for _, p := range parts {
		var told struct{ Filename string }
		if p.Type != protocol.PartText && json.Unmarshal(p.Metadata, &told) == nil && told.Filename != "" {
			return CutTitle(strings.ToValidUTF8(told.Filename, ""))
		}
	}
	return ""
}

var (
	slashCommand = regexp.MustCompile(`^/[A-Za-z][A-Za-z0-9_-]*$`)
	compoundName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9]*([_-][A-Za-z0-9]+)+$`)
	toolCall     = regexp.MustCompile(`^\s*[A-Za-z][A-Za-z0-9_-]*\s*\{\s*["}]`)
	beginsJSON   = regexp.MustCompile(`\{"|\{\}|\["|\[\{|\[\[|\[\]|^[{[]$`)
	emptyLine    = regexp.MustCompile(`\n\s*\n`)
	fullStop     = regexp.MustCompile(`([。！？])`)
)

// markup is what Markdown puts around words, in the order in which it is taken away.
var markup = []struct {
	pattern *regexp.Regexp
	words   string
}{
	{regexp.MustCompile("(^|\n)[ \t]*```[^\n]*"), "$1"},
	{regexp.MustCompile(`(^|\n)[ \t]*(?:#{1,6}|>|[-*+])[ \t]+`), "$1"},
	{regexp.MustCompile(`!?\[([^\[\]\n]*)\]\([^()\s]*\)`), "$1"},
	{regexp.MustCompile("`([^`\n]+)`"), "$1"},
	{regexp.MustCompile(`\*\*([^*\n]+)\*\*`), "$1"},
	{regexp.MustCompile(`~~([^~\n]+)~~`), "$1"},
	{regexp.MustCompile(`(^|[\s(])\*([^*\s][^*\n]*)\*`), "$1$2"},
}

// towards is the members of arguments that say towards whom a call acts, and how a
// sentence says so. The page's headlines of calls have the same.
var towards = [][2]string{
	{"to", "to"}, {"recipient", "to"}, {"recipients", "to"}, {"email", "to"}, {"for", "for"}, {"into", "into"},
	{"in", "in"}, {"from", "from"}, {"with", "with"}, {"at", "at"}, {"on", "on"},
}

// sentenceIn is the first sentence of a text, without JSON, and without a command unless that
// is alone. It is empty when nothing else is in the text.
func sentenceIn(text string) string {
	if command := commandAlone(text); command != "" {
		return command
	}
	command, text := commandIn(readable(text))
	title := firstSentence(plain(text))
	if command != "" && (compoundName.MatchString(title) || toolCall.MatchString(text)) {
		title = spoken(title) + towardsIn(text)
	}
	return title
}

// readable is what is read of a text; "": it is empty, or JSON.
func readable(text string) string {
	text = strings.TrimSpace(strings.ToValidUTF8(text, ""))
	if text == "" || strings.ContainsRune("{[", rune(text[0])) && strings.ContainsRune("}]", rune(text[len(text)-1])) {
		return ""
	}
	return strings.ToValidUTF8(text[:min(len(text), maxReadBytes)], "")
}

// commandIn is the command that a text begins with, without its slash, and the rest.
func commandIn(text string) (command, rest string) {
	if fields := strings.Fields(text); len(fields) > 0 && slashCommand.MatchString(fields[0]) {
		return fields[0][1:], text[len(fields[0]):]
	}
	return "", text
}

// plain is a text without the marks of Markdown.
func plain(text string) string {
	for _, m := range markup {
		text = m.pattern.ReplaceAllString(text, m.words)
	}
	return text
}

// towardsIn is " to ada@example.com" if the arguments of a call say so. They follow its
// name in the text of a command.
func towardsIn(text string) string {
	at := strings.IndexByte(text, '{')
	if at < 0 {
		return ""
	}
	var arguments map[string]any
	if json.Unmarshal([]byte(text[at:]), &arguments) != nil {
		return ""
	}
	return towardsOf(arguments)
}

func towardsOf(arguments map[string]any) string {
	for _, way := range towards {
		if whom, ok := arguments[way[0]].(string); ok && strings.TrimSpace(whom) != "" {
			return " " + way[1] + " " + whom
		}
	}
	return ""
}

func firstSentence(text string) string {
	var words []string
	for _, paragraph := range emptyLine.Split(fullStop.ReplaceAllString(text, "$1 "), -1) {
		for _, word := range strings.Fields(paragraph) {
			if at := beginsJSON.FindStringIndex(word); at != nil {
				return sentenceOf(append(words, strings.TrimRight(word[:at[0]], "=")))
			}
			words = append(words, word)
			if endsSentence(word) {
				return sentenceOf(words)
			}
		}
		if len(words) > 1 {
			break
		}
	}
	return sentenceOf(words)
}

// sentenceOf is the words without the stop at their end, unless that is all there is.
func sentenceOf(words []string) string {
	text := strings.TrimSpace(strings.Join(words, " "))
	if title := strings.TrimRight(text, " .:,;-–—"); title != "" {
		return title
	}
	return text
}

// endsSentence tells the end of a sentence from an abbreviation.
func endsSentence(word string) bool {
	word = strings.TrimRight(word, `"'”’)»`)
	last, _ := utf8.DecodeLastRuneInString(word)
	if strings.ContainsRune("!?…。！？", last) {
		return true
	}
	before, stop := strings.CutSuffix(word, ".")
	length := utf8.RuneCountInString(before)
	return stop && length > 2 && (length > 5 || !strings.Contains(before, "."))
}

// spoken is an identifier in words.
func spoken(name string) string {
	name = strings.NewReplacer("_", " ", "-", " ").Replace(name)
	return strings.ToUpper(name[:1]) + name[1:]
}

// CutTitle is one line of at most maxTitleBytes, cut at a word.
func CutTitle(text string) string { return cutLine(text, maxTitleBytes) }

func cutLine(text string, most int) string {
	text = strings.Join(strings.Fields(strings.ToValidUTF8(text, "")), " ")
	if len(text) <= most {
		return text
	}
	const more = "…"
	cut := most - len(more)
	for !utf8.RuneStart(text[cut]) {
		cut--
	}
	if word := strings.LastIndexByte(text[:cut], ' '); word > cut/2 {
		cut = word
	}
	return strings.TrimRight(text[:cut], " ") + more
}
