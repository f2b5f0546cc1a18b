package client_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"testing"

	"github.com/aguiws/aguiws/client"
	"github.com/aguiws/aguiws/protocol"
)

// A client with a window holds the end of what another holds, whatever happens, and all
// of it once it has asked for what is older.
func TestWindow(t *testing.T) {
	n := serve(t, nil)
	all := follow(t, dial(t, n, nil), "trip")
	say := func(thread *client.Thread, text string) {
		t.Helper()
		if _, err := thread.Say(text).Wait(within(t)); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 20 {
		say(all, fmt.Sprint("/say ", i))
	}
	part := follow(t, dial(t, n, &client.Options{Window: 6}), "trip")
	holds := func(older int) {
		t.Helper()
		level(t, all, part)
		want, got := all.View(), part.View()
		if got.Older != int64(older) || !reflect.DeepEqual(got.Messages, want.Messages[older:]) || string(got.State) != string(want.State) {
			t.Fatalf("%d older than %s, want %d older than %s", got.Older, text(t, got.Messages), older, text(t, want.Messages[older:]))
		}
		if (got.Before == "") != (older == 0) {
			t.Errorf("%d are older, and their place is %q", older, got.Before)
		}
	}
	holds(34)
	say(all, "/say more")
	holds(34)
	say(part, "/say from the window")
	holds(34)

	// What tells all messages leaves a window one.
	end, err := all.Say("/confirm Go on?").Wait(within(t))
	if err != nil {
		t.Fatal(err)
	}
	holds(34)
	if _, err := all.Answer(client.Resolve(client.Asked(end)[0], `{"approved":true}`)).Wait(within(t)); err != nil {
		t.Fatal(err)
	}
	holds(34)

	// What is held can be gone on with, in another process.
	kept, err := json.Marshal(part.View())
	if err != nil {
		t.Fatal(err)
	}
	part.Leave()
	var view client.View
	if err := json.Unmarshal(kept, &view); err != nil {
		t.Fatal(err)
	}
	if part, err = dial(t, n, &client.Options{Window: 6}).Follow(within(t), "trip", &view); err != nil {
		t.Fatal(err)
	}
	holds(34)

	updates := part.Subscribe()
	defer updates.Close()
	for older := 34; older > 0; {
		if err := part.Older(within(t), 10); err != nil {
			t.Fatal(err)
		}
		older = max(older-10, 0)
		holds(older)
	}
	if err := part.Older(within(t), 10); err != nil {
		t.Error(err)
	}
	for _, reason := range []string{"", client.ReasonOlder, client.ReasonOlder, client.ReasonOlder, client.ReasonOlder} {
		if u, err := updates.Next(within(t)); err != nil || u.View == nil || u.Reason != reason {
			t.Errorf("%+v, %v, want %q", u, err, reason)
		}
	}
	same(t, all, part)
}

// A client may send what it holds: what stands before its window stays.
func TestWindowAsHistory(t *testing.T) {
	n := serve(t, nil)
	all := follow(t, dial(t, n, nil), "trip")
	for i := range 5 {
		if _, err := all.Say(fmt.Sprint("/say ", i)).Wait(within(t)); err != nil {
			t.Fatal(err)
		}
	}
	part := follow(t, dial(t, n, &client.Options{Window: 3}), "trip")
	history := append(append(protocol.Messages{}, part.View().Messages...), protocol.Message{ID: "new", Role: protocol.RoleUser, Content: protocol.Text("/say new")})
	if _, err := part.Send(protocol.RunAgentInput{RunID: "whole", Messages: history}).Wait(within(t)); err != nil {
		t.Fatal(err)
	}
	level(t, all, part)
	if got := all.View().Messages; len(got) != 12 || part.View().Older != 7 {
		t.Errorf("%d messages, %d before the window: %s", len(got), part.View().Older, text(t, got))
	}
	fresh := follow(t, dial(t, n, nil), "trip")
	same(t, all, fresh)
	// Who leaves out the first ones and the last ones filters: nothing is gone back to.
	if _, err := part.Send(protocol.RunAgentInput{RunID: "back", Messages: append(append(protocol.Messages{}, part.View().Messages[:2]...),
		protocol.Message{ID: "other", Role: protocol.RoleUser, Content: protocol.Text("/say other")})}).Wait(within(t)); err != nil {
		t.Fatal(err)
	}
	whole := follow(t, dial(t, n, nil), "trip").View().Messages
	got := part.View()
	if len(whole) != 14 || got.Older != 7 || !reflect.DeepEqual(got.Messages, whole[7:]) {
		t.Errorf("the thread has %s, the window %d and %s", text(t, whole), got.Older, text(t, got.Messages))
	}
}

func text(t *testing.T, messages protocol.Messages) string {
	t.Helper()
	data, err := json.Marshal(messages)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
