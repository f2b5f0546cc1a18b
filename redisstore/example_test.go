package redisstore_test

import (
	"context"
	"fmt"
	"log"
	"time"

	"github.com/aguiws/aguiws/redisstore"
)

// A store on Redis is shared by all servers that name it with the same prefix.
// The embedded one is for a laptop and for tests.
func Example() {
	open := func(ctx context.Context, url string) (*redisstore.Store, error) {
		options := &redisstore.Options{Lease: 10 * time.Second}
		if url == "" {
			return redisstore.Embedded(options)
		}
		return redisstore.Open(ctx, url, options)
	}
	store, err := open(context.Background(), "") // redis://, rediss://, unix://, redis+sentinel:// or redis+cluster://
	if err != nil {
		log.Fatal(err)
	}
	defer store.Close()
	fmt.Println("suspensions survive this process:", store.Durable())

	// Output:
	// suspensions survive this process: false
}

// What is wrong with a Redis is said step by step, before a server relies on it.
func ExampleDiagnose() {
	for _, finding := range redisstore.Diagnose(context.Background(), "redis://127.0.0.1:1", nil) {
		if finding.Failed {
			fmt.Println("cannot work:", finding.Subject)
		}
	}

	// Output:
	// cannot work: connect
}
