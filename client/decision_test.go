package client_test

import (
	"reflect"
	"testing"

	"github.com/aguiws/aguiws/client"
	"github.com/aguiws/aguiws/protocol"
)

// Who follows a thread learns who decided what, live and restated.
func TestDecisionsAreTold(t *testing.T) {
	n := serve(t, nil)
	thread := follow(t, dial(t, n, nil), "trip")
	end, err := thread.Say(`/tool pay {"amount":200}`).Wait(within(t))
	if err != nil {
		t.Fatal(err)
	}
	asked := client.Asked(end)
	updates := follow(t, dial(t, n, nil), "trip").Subscribe()
	defer updates.Close()
	if _, err := thread.Answer(client.Resolve(asked[0], `{"approved":true,"editedArgs":{"amount":150}}`)).Wait(within(t)); err != nil {
		t.Fatal(err)
	}
	for {
		u, err := updates.Next(within(t))
		if err != nil {
			t.Fatal(err)
		}
		started, begins := u.Event.(*protocol.RunStarted)
		if !begins {
			continue
		}
		told := client.Decisions(started)
		if len(told) != 1 || told[0].At.IsZero() || told[0].Approved == nil || !*told[0].Approved || len(started.Input.Resume) != 1 {
			t.Fatalf("told %+v by %s", told, started.Metadata["aguiws"])
		}
		told[0].Approved = nil
		want := client.Decision{InterruptID: asked[0].ID, ToolCallID: asked[0].ToolCallID, Status: client.DecisionResolved, Through: "socket", At: told[0].At,
			Changed: []client.Change{{Pointer: "/amount", Before: []byte("200"), After: []byte("150")}}}
		if !reflect.DeepEqual(told[0], want) {
			t.Errorf("told %+v, want %+v", told[0], want)
		}
		return
	}
}

// What tells no decisions, or what cannot be read as some, tells none.
func TestNoDecisions(t *testing.T) {
	with := func(text string) *protocol.RunStarted {
		return &protocol.RunStarted{Base: protocol.Base{Metadata: protocol.Metadata{"aguiws": []byte(text)}}}
	}
	for _, e := range []protocol.Event{nil, (*protocol.RunStarted)(nil), &protocol.RunStarted{}, &protocol.RunFinished{}, with(`{"restated":true}`), with(`null`), with(`{"decisions":7}`)} {
		if got := client.Decisions(e); got != nil {
			t.Errorf("%+v tells %+v", e, got)
		}
	}
}
