package redisstore

import (
	"context"
	"strings"
	"testing"

	"github.com/aguiws/aguiws/redisstore/redistest"
)

func TestPartitionsCannotBeChanged(t *testing.T) {
	server := redistest.Start(t, redistest.Options{})
	open(t, server.URL(), Options{Partitions: 8})
	open(t, server.URL(), Options{Partitions: 8})
	if _, err := Open(context.Background(), server.URL(), &Options{Partitions: 9}); err == nil || !strings.Contains(err.Error(), "8 partitions, not 9") {
		t.Errorf("another number: %v", err)
	}
	open(t, server.URL(), Options{Partitions: 9, Prefix: "other"})
	if _, err := Open(context.Background(), server.URL(), &Options{Partitions: -1}); err == nil {
		t.Error("a negative number: no error")
	}
}
