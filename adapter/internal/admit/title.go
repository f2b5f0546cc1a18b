package admit

import (
	"cmp"
	"encoding/json"
	"fmt"
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

// titleOf is what messages are called that nothing came before.
func titleOf(messages protocol.Messages) string { return subjectOf("", nil, messages) }

// nextTitle is what a thread is called that has such messages and gets others, or an answer to what
// was asked: the latest subject.
func nextTitle(title string, held, fresh protocol.Messages, asked *store.Suspension) string {
	latest := lastSaid(held)
	if latest == nil {
		title = ""
	}
	next := subjectOf(title, held, fresh)
	if next == title && asked != nil && (title == "" || commandAlone(latest.Content.String()) != "") {
		return cmp.Or(questionTitle(asked), title)
	}
	return next
}

// subjectOf goes on from what messages are called with those that follow them. A command begins a
// subject, and so does the first sentence behind commands. What is said next belongs to it. A
// command alone says nothing: it is the title, as it was written, until there is another. A word
// or two, such as a greeting, give way to a sentence.
func subjectOf(title string, held, fresh protocol.Messages) string {
	commanded := endsInCommand(held)
	for _, m := range fresh {
		if m.Role != protocol.RoleUser {
			continue
		}
		text := m.Content.String()
		alone := commandAlone(text)
		said := ""
		if alone == "" {
			said = cmp.Or(CutTitle(sentenceIn(text)), fileTitle(m.Content))
		}
		switch {
		case alone != "":
			commanded = true
			title = cmp.Or(title, CutTitle(alone))
		case isCommand(text):
			commanded = true
			title = cmp.Or(said, title)
		case said != "" && (title == "" || commandAlone(title) != "" || !slight(said) && (commanded || slight(title))):
			title = said
			commanded = false
		}
	}
	return title
}

// maxSlight is how many slight messages may stand behind a command that begins a subject: no more
// of a thread is read for a title.
const maxSlight = 10

// endsInCommand reports whether no sentence follows the last command.
func endsInCommand(messages protocol.Messages) bool {
	left := maxSlight
	for _, m := range slices.Backward(messages) {
		if m.Role != protocol.RoleUser {
			continue
		}
		text := m.Content.String()
		if isCommand(text) {
			return true
		}
		if left--; left < 0 || !slight(sentenceIn(text)) {
			return false
		}
	}
	return false
}

func lastSaid(messages protocol.Messages) *protocol.Message {
	for i, m := range slices.Backward(messages) {
		if m.Role == protocol.RoleUser {
			return &messages[i]
		}
	}
	return nil
}

func isCommand(text string) bool {
	command, _ := commandIn(readable(text))
	return command != ""
}

// slight reports whether words are too few, and too short, for a subject.
func slight(words string) bool {
	letters := 0
	for _, r := range words {
		if unicode.IsLetter(r) {
			letters++
		}
	}
	return letters < 12 && len(strings.Fields(words)) < 3
}

// commandAlone is the command that a text is without a word for it; "": it is none.
func commandAlone(text string) string {
	command, rest := commandIn(readable(text))
	if said := firstSentence(plain(rest)); command != "" && !strings.ContainsFunc(said, unicode.IsLetter) {
		return strings.TrimSpace("/" + command + " " + said)
	}
	return ""
}

// questionTitle is what is asked, as the page's card has it above; "": no agent has asked in words.
func questionTitle(asked *store.Suspension) string {
	title, more := "", -1
	for _, it := range asked.Items {
		var question protocol.Interrupt
		if it.By != "" || json.Unmarshal(it.Interrupt, &question) != nil || strings.HasPrefix(question.Reason, "aguiws:") {
			continue
		}
		more++
		if title != "" {
			continue
		}
		var own string
		if json.Unmarshal(question.Metadata["title"], &own) == nil && strings.TrimSpace(own) != "" {
			title = strings.TrimSpace(own)
		} else if it.Call != nil {
			title = headlineOf(it.Call.Name, it.Call.Arguments)
		} else {
			title = sentenceIn(question.Message)
		}
	}
	if title == "" || more == 0 {
		return CutTitle(title)
	}
	behind := fmt.Sprintf(" and %d more", more)
	if strings.Contains(title, ", ") {
		behind = "," + behind
	}
	return cutLine(title, maxTitleBytes-len(behind)) + behind
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

// sentenceIn is the first sentence of a text, without JSON, and without a command unless that
// is alone. It is empty when nothing else is in the text.
func sentenceIn(said string) string {
	if command := commandAlone(said); command != "" {
		return command
	}
	command, text := commandIn(readable(said))
	title := firstSentence(plain(text))
	if command != "" && (compoundName.MatchString(title) || toolCall.MatchString(text)) {
		_, arguments, _ := strings.Cut(said, "{")
		return headlineOf(title, "{"+arguments)
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
