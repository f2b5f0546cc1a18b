package script

import (
	"context"
	"encoding/json"
	"regexp"

	"github.com/aguiws/aguiws/adapter"
)

// sentence does what a sentence of a person asks for. found are the groups of its pattern.
type sentence struct {
	pattern *regexp.Regexp
	do      func(a *agent, ctx context.Context, run *adapter.Run, found []string) error
}

// sentences are all that the agent understands, in the languages of the page. The page offers them.
var sentences = []sentence{
	{regexp.MustCompile(`(?i)^(?:please )?(?:send an e-?mail to|sende eine e-?mail an) ([^\s@]+@[^\s@]+?)[.!]?$`), (*agent).email},
	{regexp.MustCompile(`(?i)^(?:fill in a form with me|gemeinsam ein formular ausfüllen)[.!]?$`), (*agent).figures},
	{regexp.MustCompile(`(?i)^(?:count to sixty|zähle bis sechzig)[.!]?$`), (*agent).count},
	{regexp.MustCompile(`(?i)^(?:plan a dinner for four|plane ein abendessen für vier)[.!]?$`), (*agent).dinner},
}

func (a *agent) email(ctx context.Context, run *adapter.Run, found []string) error {
	args, err := json.Marshal(struct {
		To      string `json:"to"`
		Subject string `json:"subject"`
	}{found[1], "Hello"})
	if err != nil {
		return err
	}
	return a.calls(ctx, run, adapter.ToolCall{Name: "send_email", Args: args, Do: a.carryOut})
}

// figures asks for the form of /form, and says in a sentence what was entered.
func (a *agent) figures(ctx context.Context, run *adapter.Run, _ []string) error {
	return fill(ctx, run, quarterly, formSchema, figuresOf)
}

// count takes half a minute, in which the server may be killed.
func (a *agent) count(ctx context.Context, run *adapter.Run, _ []string) error {
	return a.slow(ctx, run, "60 500")
}

// dinner proposes three calls that are answered together.
func (a *agent) dinner(ctx context.Context, run *adapter.Run, _ []string) error {
	return a.calls(ctx, run,
		adapter.ToolCall{Name: "book_table", Args: json.RawMessage(`{"restaurant":"Casa Lucia","guests":4,"time":"19:30"}`), Do: a.carryOut},
		adapter.ToolCall{Name: "send_invitation", Args: json.RawMessage(`{"to":["ada@example.com","bob@example.com","eve@example.com"],"text":"Dinner at Casa Lucia, 19:30?"}`), Do: a.carryOut},
		adapter.ToolCall{Name: "pay_deposit", Args: json.RawMessage(`{"to":"Casa Lucia","eur":80}`), Do: a.carryOut},
	)
}

// outcomeOf says of a call above what a person would say, whether it is done or not; "" of any other.
func outcomeOf(name string, args json.RawMessage, done bool) string {
	var of struct {
		To         string      `json:"to"`
		Restaurant string      `json:"restaurant"`
		EUR        json.Number `json:"eur"`
		Name       string      `json:"name"`
	}
	// Whoever approves may have made them anything: what is not understood stays empty.
	_ = json.Unmarshal(args, &of)
	said := map[string][2]string{
		"send_email":      {"I have not sent the email.", "The email to " + of.To + " is on its way."},
		"book_table":      {"I have not booked a table.", "The table at " + of.Restaurant + " is booked."},
		"send_invitation": {"I have not invited anybody.", "The invitation is sent."},
		"delete_database": {"I have not deleted the database.", "The database " + of.Name + " is deleted."},
		"pay_deposit":     {"I have not paid the deposit.", "The deposit of " + of.EUR.String() + " euros is paid."},
	}[name]
	switch {
	case !done:
		return said[0]
	case name == "send_email" && of.To == "", name == "book_table" && of.Restaurant == "", name == "pay_deposit" && of.EUR == "", name == "delete_database" && of.Name == "":
		return ""
	}
	return said[1]
}
