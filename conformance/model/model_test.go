package model

import (
	"slices"
	"strings"
	"testing"

	"github.com/aguiws/aguiws/client"
	"github.com/aguiws/aguiws/conformance/internal/command"
	"github.com/aguiws/aguiws/conformance/internal/wire"
	"github.com/aguiws/aguiws/internal/suite"
	"github.com/aguiws/aguiws/protocol"
	"github.com/aguiws/aguiws/redisstore/redistest"
)

// What is free is done, and what needs somebody is asked about at once.
func TestToolsAreAskedAboutTogether(t *testing.T) {
	suite.Full(t)
	model := startEndpoint(t)
	server := command.Start(t, command.Options{Args: model.args(t)})
	tab := wire.Open(t, "asking", "tools", server.Socket())
	open := client.Asked(tab.Say("arrange a dinner").End())
	if len(open) != 2 || open[0].Reason != protocol.ReasonToolCall || open[1].Reason != protocol.ReasonInputRequired {
		t.Fatalf("asked %+v", open)
	}
	if open[0].Message != "Send this email to ann@example.com?" || !strings.Contains(string(open[1].ResponseSchema), `"default":"Chez Nous"`) {
		t.Errorf("asked %q, and with %s", open[0].Message, open[1].ResponseSchema)
	}
	end := tab.Resume(
		client.Resolve(open[0], `{"approved":true,"editedArgs":{"to":"bob@example.com","subject":"Tonight","body":"At nine."}}`),
		client.Resolve(open[1], `{"restaurant":"Chez Nous","people":3,"when":"tonight at nine"}`)).End()
	wire.Succeeded(t, end)
	if got := tab.Texts(protocol.RoleAssistant); !slices.Equal(got, []string{"A moment.", "Both are arranged."}) {
		t.Errorf("said %q", got)
	}
	if used := end.(*protocol.RunFinished).Usage; len(used) != 1 || used[0].Model != "gpt-4o" || used[0].OutputTokens == nil {
		t.Errorf("used %+v", used)
	}
	var done []string
	for _, e := range command.Effects(t, server.EffectsFile()) {
		done = append(done, e.Tool+string(e.Args))
	}
	want := []string{`send_email{"to":"bob@example.com","subject":"Tonight","body":"At nine."}`, `book_table{"restaurant":"Chez Nous","people":3,"when":"tonight at nine"}`}
	if !slices.Equal(done, want) {
		t.Errorf("done %q", done)
	}
	if n := model.asked(); n != 2 {
		t.Errorf("the model was asked %d times", n)
	}
	wire.Sound(t, tab)
}

// The process is killed in the midst of an answer. Another one asks for that answer again,
// and for nothing else: the email is sent once.
func TestKilledInAnswer(t *testing.T) {
	suite.Full(t)
	model := startEndpoint(t)
	redis := redistest.Start(t, redistest.Options{AOF: "everysec"})
	server := command.Start(t, command.Options{Redis: redis.URL(), Lease: lease, Args: model.args(t)})
	tab := wire.Open(t, "asking", "crash", server.Socket())
	open := client.Asked(tab.Say("crash, please").End())
	if len(open) != 1 {
		t.Fatalf("asked %+v", open)
	}
	answered := tab.Resume(client.Resolve(open[0], `{"approved":true}`))
	tab.Await("the answer begins", func(v wire.View) bool { return strings.HasPrefix("This answer is", v.LastText()) && v.LastText() != "" })
	server.Kill()
	server.Restart()
	wire.Succeeded(t, answered.End())
	if got := tab.Texts(protocol.RoleAssistant); !slices.Equal(got, []string{"", "The email is sent."}) {
		t.Errorf("said %q", got)
	}
	if n := len(command.Effects(t, server.EffectsFile())); n != 1 {
		t.Errorf("%d emails", n)
	}
	if n := model.asked(); n != 3 {
		t.Errorf("the model was asked %d times", n)
	}
	wire.Same(t, tab, wire.Open(t, "fresh", "crash", server.Socket()))
}

// Somebody cancels an answer that would never end: the run is over, and the next one goes.
func TestCancelled(t *testing.T) {
	suite.Full(t)
	model := startEndpoint(t)
	server := command.Start(t, command.Options{Args: model.args(t)})
	tab := wire.Open(t, "asking", "cancel", server.Socket())
	said := tab.Say("cancel this")
	tab.Await("the answer begins", func(v wire.View) bool {
		return v.LastText() != "" && strings.HasPrefix("One could go on", v.LastText())
	})
	said.Stop()
	if end := said.End(); end.Type() == protocol.TypeRunFinished && end.(*protocol.RunFinished).Outcome.Type == protocol.OutcomeSuccess {
		t.Errorf("ended by %+v", end)
	}
	if open := client.Asked(tab.Say("arrange a dinner").End()); len(open) != 2 {
		t.Errorf("asked %+v", open)
	}
	wire.Sound(t, tab)
}

// What an endpoint refuses is said in words.
func TestFailuresAreTold(t *testing.T) {
	suite.Full(t)
	model := startEndpoint(t)
	server := command.Start(t, command.Options{Args: model.args(t)})
	tab := wire.Open(t, "asking", "failures", server.Socket())
	for message, want := range map[string]string{
		"too much": "has too much to do (429). Send your message again in 1s.",
		"what?":    "(404)", // aimock's word for what it was not told
	} {
		end, failed := tab.Say(message).End().(*protocol.RunError)
		if !failed || !strings.Contains(end.Message, want) {
			t.Errorf("%s: %+v", message, end)
		}
	}
	if strings.Contains(server.Output(), key) {
		t.Errorf("the key is in %s", server.Output())
	}
}
