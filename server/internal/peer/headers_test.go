package peer

import (
	"strings"
	"testing"
)

func TestHeadersThatCannotPass(t *testing.T) {
	for name, want := range map[string]string{
		"": `"" is no name`, "two words": `"two words" is no name`, "x\r\ny": "is no name", "ä": "is no name",
		"connection": "Connection is about the connection", "Proxy-Authorization": "about the connection",
		"Sec-WebSocket-Protocol": "about the connection", "host": "about the connection",
	} {
		_, err := NewGate(Options{PassHeaders: []string{"Authorization", name}}, nil)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", name, err, want)
		}
	}
	if got, err := passable([]string{"authorization", "X-a!1", "AUTHORIZATION"}); err != nil || strings.Join(got, " ") != "Authorization X-A!1" {
		t.Errorf("%q %v", got, err)
	}
}
