package redisstore

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/redistest"
)

// nodesTold is what is known of nodes, in their order.
func nodesTold(t *testing.T, s *Store) string {
	t.Helper()
	nodes, err := s.Nodes(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	slices.SortFunc(nodes, func(a, b store.NodeTold) int { return cmp.Compare(a.Node, b.Node) })
	text := ""
	for _, n := range nodes {
		text += fmt.Sprintf("%s:%s:%v ", n.Node, n.About, n.Age)
	}
	return text
}

func TestNodesTellOfThemselves(t *testing.T) {
	redis := redistest.Start(t, redistest.Options{})
	now := time.UnixMilli(1_700_000_000_000)
	clock := func() time.Time { return now }
	var nodes []*Store
	for _, name := range []string{"a", "b"} {
		s, err := Open(context.Background(), redis.URL(), &Options{Node: name, Clock: clock})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = s.Close() })
		nodes = append(nodes, s)
	}
	want := func(text string) {
		t.Helper()
		for _, s := range nodes {
			if got := nodesTold(t, s); got != text {
				t.Errorf("known is %q, not %q", got, text)
			}
		}
	}
	tell := func(node int, about string) {
		t.Helper()
		if err := nodes[node].TellNode(t.Context(), []byte(about)); err != nil {
			t.Fatal(err)
		}
	}
	want("")
	tell(0, `{"runs":1}`)
	now = now.Add(time.Second)
	tell(1, "two words\n")
	want("a:{\"runs\":1}:1s b:two words\n:0s ")
	tell(0, "new")
	want("a:new:0s b:two words\n:0s ")
	tell(1, "")
	want("a:new:0s ")
	tell(1, "back")
	if err := nodes[0].conn.Client.HSet(t.Context(), nodes[0].conn.Keys.Nodes(), "c", "none of ours").Err(); err != nil {
		t.Fatal(err)
	}
	want("a:new:0s b:back:0s ")
	now = now.Add(nodesKept)
	tell(1, "still here")
	want("a:new:15m0s b:still here:0s ")
	now = now.Add(time.Millisecond)
	want("b:still here:1ms ")
	if n := nodes[0].conn.Client.HLen(t.Context(), nodes[0].conn.Keys.Nodes()).Val(); n != 1 {
		t.Errorf("%d nodes are kept", n)
	}
}

func TestServersDescribeThemselves(t *testing.T) {
	redis := redistest.Start(t, redistest.Options{})
	s, err := Open(context.Background(), redis.URL(), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	servers, err := s.Servers(t.Context())
	if err != nil || len(servers) != 1 {
		t.Fatalf("%v, %v", servers, err)
	}
	one := servers[0]
	if one.Address == "" || one.Version == "" || one.Latency <= 0 || one.Memory <= 0 || one.Clients <= 0 {
		t.Errorf("it is %+v", one)
	}
	if len(one.Warnings) != 1 || one.Warnings[0].Setting != "appendonly" {
		t.Errorf("it warns of %v", one.Warnings)
	}
	own, err := Embedded(nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = own.Close() })
	if servers, err = own.Servers(t.Context()); err != nil || len(servers) != 1 || servers[0].Address != "" || servers[0].Latency <= 0 {
		t.Errorf("an embedded one is %+v, %v", servers, err)
	}
	_ = s.Close()
	if _, err := s.Servers(t.Context()); err == nil {
		t.Error("a closed one answers")
	}
}
