package admit

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
)

// maxHeadline is the length of an agent's own title for a question, in bytes. The page shows
// longer ones as words below its own.
const maxHeadline = 200

// plainMembers are arguments of a call whose values speak for themselves. The page's headlines
// of calls have the same.
var plainMembers = []string{
	"title", "name", "subject", "query", "q", "url", "path", "file", "filename", "command", "cmd", "sql", "text", "message", "question", "id",
}

// questionsTitle is what a thread is called after what was asked in it; "": nothing is known of that.
func questionsTitle(asked *store.Suspension) string {
	title, others := "", 0
	for _, it := range asked.Items {
		if it.By == "" && title != "" {
			others++
		} else if it.By == "" {
			title = questionTitle(it)
		}
	}
	if others == 0 {
		return title
	}
	more := fmt.Sprintf(" and %d more", others)
	return cutLine(title, maxTitleBytes-len(more)) + more
}

// questionTitle is what the agent calls the question, or what its call would do, or what it
// says: the page's cards have the same headline.
func questionTitle(it store.SuspendedInterrupt) string {
	var question protocol.Interrupt
	if json.Unmarshal(it.Interrupt, &question) != nil {
		return ""
	}
	var own string
	if json.Unmarshal(question.Metadata["title"], &own) == nil && strings.TrimSpace(own) != "" && len(own) <= maxHeadline {
		return CutTitle(own)
	}
	if it.Call != nil && it.Call.Name != "" {
		return CutTitle(callTitle(it.Call.Name, it.Call.Arguments))
	}
	return CutTitle(sentenceIn(question.Message))
}

// callTitle is what a call does, with its most telling argument.
func callTitle(name, arguments string) string {
	verb := spoken(name)
	var values map[string]any
	if len(arguments) > maxReadBytes || json.Unmarshal([]byte(arguments), &values) != nil {
		return verb
	}
	if towards := towardsOf(values); towards != "" {
		return verb + towards
	}
	for _, member := range plainMembers {
		if value, ok := values[member].(string); ok && strings.TrimSpace(value) != "" {
			return verb + ": " + value
		}
	}
	return verb
}
