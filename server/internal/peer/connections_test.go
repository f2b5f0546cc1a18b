package peer

import (
	"fmt"
	"testing"
)

// The sockets of a site's networks count together, too.
func TestSocketsPerSite(t *testing.T) {
	c := newConnections(&Limits{Sockets: 1000, SocketsPerAddress: 2, SocketsPerUser: -1})
	var held []string
	for n := range 100 {
		address := fmt.Sprintf("2001:db8:1:%x::/64", n)
		if c.Reserve("u", address) == nil {
			held = append(held, address)
		}
	}
	if len(held) != 2*siteShare {
		t.Errorf("%d sockets of one site", len(held))
	}
	if c.Reserve("u", "2001:db8:2:1::/64") != nil || c.Reserve("u", "192.0.2.1") != nil || c.Reserve("u", "") != nil {
		t.Error("others have no room")
	}
	for _, address := range append(held, "2001:db8:2:1::/64", "192.0.2.1", "") {
		c.Unreserve("u", address)
	}
	if len(c.addrs) != 0 {
		t.Errorf("left: %v", c.addrs)
	}
}
