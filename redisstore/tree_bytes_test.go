package redisstore

import (
	"cmp"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"testing"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/redistest"
	"github.com/aguiws/aguiws/redisstore/storetest/stage"
)

// What is kept of a namespace's threads is counted, and has a bound.
func TestNodesOfANamespaceHaveABound(t *testing.T) {
	server := redistest.Start(t, redistest.Options{})
	s := open(t, server.URL(), Options{Partitions: 1, Timeout: patience})
	meta := s.conn.Keys.Tree(testKey.Namespace)[3]
	bytes := func() int {
		t.Helper()
		n, err := strconv.Atoi(cmp.Or(s.conn.Client.HGet(t.Context(), meta, "").Val(), "0"))
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	put := func(id string, create bool, resource, metadata string) error {
		t.Helper()
		text := json.RawMessage(metadata)
		_, err := s.PutNode(t.Context(), treeKey(id), store.NodeChange{Request: id + resource + metadata, Create: create, Version: store.AnyVersion, Resource: &resource, Metadata: &text})
		return err
	}
	for i, tt := range []struct {
		do   func() error
		want int
	}{
		{func() error { return put("one", true, "abc", `{"a":1}`) }, 13},
		{func() error { return put("one", false, "a", `{}`) }, 6},
		{func() error { return put("two", true, "", `{}`) }, 11},
		{func() error {
			_, err := s.DeleteTree(t.Context(), treeKey("one"), store.DeleteReject, stage.Deleting(""))
			return err
		}, 5},
		{func() error {
			_, err := s.DeleteTree(t.Context(), treeKey("nobody"), store.DeleteReject, stage.Deleting(""))
			return err
		}, 5},
		{func() error {
			_, err := s.DeleteTree(t.Context(), treeKey("two"), store.DeleteCascade, stage.Deleting(""))
			return err
		}, 0},
	} {
		if err := tt.do(); err != nil {
			t.Fatal(i, err)
		}
		if got := bytes(); got != tt.want {
			t.Errorf("%d: %d bytes, want %d", i, got, tt.want)
		}
	}
	s.conn.Client.HSet(t.Context(), meta, "", store.NamespaceBytes-20)
	var refused *store.TreeError
	if err := put("three", true, "", `{"x":"`+strings.Repeat("x", 20)+`"}`); !errors.As(err, &refused) || refused.Why != store.TooMuchMetadata {
		t.Errorf("more than may be: %v", err)
	}
	if err := put("four", true, "", `{}`); err != nil {
		t.Errorf("less than may be: %v", err)
	}
}
