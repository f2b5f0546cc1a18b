package gateway

import (
	"net/http"
	"reflect"
	"strings"
	"testing"

	"github.com/aguiws/aguiws/protocol"
)

// An agent repeats a picture of 3 MiB, as those that tell their messages do, in turn after
// turn: the thread goes on, and what is not taken says by what name the bound can be raised.
func TestPicturesThatAgentsRepeat(t *testing.T) {
	repeats := func(w http.ResponseWriter, r *http.Request, in *protocol.RunAgentInput) {
		text, err := in.Messages.MarshalJSON()
		if err != nil {
			t.Error(err)
		}
		sends(began, `{"type":"MESSAGES_SNAPSHOT","messages":`+string(text)+`}`, done)(w, r, in)
	}
	picture := protocol.Part{Type: protocol.PartImage, Source: &protocol.Source{Type: protocol.SourceData, Value: strings.Repeat("AAAA", 1<<20), MimeType: "image/png"},
		ID: "p", Metadata: protocol.Any(`{"filename":"a.png"}`)}
	l := newLab(t, nil, repeats)
	for _, id := range []string{"first", "second"} {
		l.submit(&protocol.RunAgentInput{Messages: protocol.Messages{{ID: id, Role: protocol.RoleUser, Content: protocol.PartsOf(picture)}}})
		succeeded(t, l.untilEnd())
	}
	had := l.peer.runs()[1].in.Messages
	if len(had) != 2 {
		t.Fatalf("the agent has %d messages", len(had))
	}
	for _, m := range had {
		if parts, _ := m.Content.Parts(); !reflect.DeepEqual(parts, []protocol.Part{picture}) {
			t.Errorf("the agent was sent other parts: %.300v", parts)
		}
	}
	l.wellFormed()
}
