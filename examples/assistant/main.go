// Command assistant is an agent with a model and three tools of one's own: README.md says more.
package main

import (
	"cmp"
	"context"
	"log"
	"net/http"
	"os"
	"time"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/runner"
	"github.com/aguiws/aguiws/llm"
	"github.com/aguiws/aguiws/redisstore"
	"github.com/aguiws/aguiws/server"
	"github.com/aguiws/aguiws/web"
)

type refund struct {
	Order string `json:"order" jsonschema:"the order's number"`
	Cents int    `json:"cents"`
}

type address struct{ Street, City string }

// clock is free, pay asks somebody, who may edit it, and ship is a form.
var (
	clock = llm.Define(adapter.Tool[struct{}, string]{Name: "clock", Description: "Tells the time", Policy: llm.NeverAsk[struct{}],
		Do: func(context.Context, adapter.Invocation, struct{}) (string, error) { return time.Now().String(), nil }})
	pay  = llm.Define(adapter.Tool[refund, string]{Name: "refund", Description: "Pays an order back", Do: payBack})
	ship = llm.Form[address, string]{Name: "ship", Description: "Sends a new parcel", Message: "Where is it to go?", Do: send}
)

func payBack(_ context.Context, _ adapter.Invocation, r refund) (string, error) {
	return "paid for " + r.Order, nil
}

func send(_ context.Context, _ adapter.Invocation, a address) (string, error) {
	return "sent to " + a.City, nil
}

func main() {
	log.Print("open http://127.0.0.1:8088/")
	log.Fatal(http.ListenAndServe("127.0.0.1:8088", handler()))
}

func handler() http.Handler {
	agent := must(llm.New(llm.Options{URL: os.Getenv("MODEL_URL"), Key: os.Getenv("MODEL_KEY"), Model: cmp.Or(os.Getenv("MODEL"), "gpt-5-mini"),
		Instructions: "You serve the customers of a shop. Be brief.", Tools: []llm.Tool{clock, pay, ship.Define()}}))
	runs := must(runner.New(must(redisstore.Embedded(nil)), &runner.Options{Agents: map[string]adapter.Agent{"": agent}})) // redisstore.Open with a URL makes questions outlive the process
	return must(server.New(runs, &server.Options{Fallback: web.Handler()})).Handler()
}

func must[T any](made T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return made
}
