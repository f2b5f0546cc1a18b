package client_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net/http/httptest"
	"strings"
	"time"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/runner"
	"github.com/aguiws/aguiws/adapter/script"
	"github.com/aguiws/aguiws/client"
	"github.com/aguiws/aguiws/protocol"
	"github.com/aguiws/aguiws/redisstore"
	"github.com/aguiws/aguiws/server"
)

// exampleServer serves the demo agent, until end is called.
func exampleServer() (url string, end func()) {
	store, err := redisstore.Embedded(nil)
	if err != nil {
		log.Fatal(err)
	}
	runs, err := runner.New(store, &runner.Options{Agents: map[string]adapter.Agent{"": script.New(script.Options{})}})
	if err != nil {
		log.Fatal(err)
	}
	s, err := server.New(runs, nil)
	if err != nil {
		log.Fatal(err)
	}
	h := httptest.NewServer(s.Handler())
	return h.URL + "/agui/ws", func() {
		if err := s.Shutdown(context.Background()); err != nil {
			log.Fatal(err)
		}
		h.Close()
		store.Close()
	}
}

// A program asks something, and answers what it is asked back.
func Example() {
	url, end := exampleServer()
	defer end()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()

	book := func(ctx context.Context, url string) error {
		c, err := client.Dial(ctx, url, nil)
		if err != nil {
			return err
		}
		defer c.Close()
		thread, err := c.Follow(ctx, "trip", nil)
		if err != nil {
			return err
		}
		end, err := thread.Say("/confirm Book the Adlon?").Wait(ctx)
		if err != nil {
			return err
		}
		for asked := client.Asked(end); len(asked) > 0; asked = client.Asked(end) {
			var answers []protocol.ResumeEntry
			for _, question := range asked {
				fmt.Println(question.Message)
				answers = append(answers, client.Resolve(question, `{"approved":true}`))
			}
			if end, err = thread.Answer(answers...).Wait(ctx); err != nil {
				return err
			}
		}
		for _, m := range thread.View().Messages {
			if text := m.Content.String(); text != "" { // a message that holds a call has none
				fmt.Printf("%s: %s\n", m.Role, text)
			}
		}
		return nil
	}
	if err := book(ctx, url); err != nil {
		log.Fatal(err)
	}
	// Output:
	// Book the Adlon?
	// user: /confirm Book the Adlon?
	// assistant: Confirmed.
}

// A program shows what is said on a thread while it is said, whoever asked.
func ExampleThread_Subscribe() {
	url, end := exampleServer()
	defer end()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	c, err := client.Dial(ctx, url, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()
	thread, err := c.Follow(ctx, "trip", nil)
	if err != nil {
		log.Fatal(err)
	}
	updates := thread.Subscribe()
	defer updates.Close()
	thread.Say("/say One word after another.")
	for u, err := range updates.All(ctx) {
		if err != nil {
			log.Fatal(err)
		}
		switch e := u.Event.(type) {
		case *protocol.TextMessageContent:
			fmt.Print(e.Delta)
		case *protocol.RunFinished:
			fmt.Println()
			return
		}
	}
	// Output: One word after another.
}

// One socket, frame by frame.
func ExampleOpen() {
	url, end := exampleServer()
	defer end()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	conn, err := client.Open(ctx, url, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer conn.CloseNow()
	attach := map[string]any{"type": "ws.attach", "threadId": "trip"}
	if err := conn.Send(ctx, attach); err != nil {
		log.Fatal(err)
	}
	for {
		f, err := conn.Receive(ctx)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(f.Type)
		if f.Type == "ws.live" {
			return
		}
	}
	// Output:
	// ws.hello
	// ws.attached
	// ws.live
}

// A program answers what waits, whichever thread it is of.
func ExampleInbox() {
	url, end := exampleServer()
	defer end()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()

	ask := func() error {
		c, err := client.Dial(ctx, url, nil)
		if err != nil {
			return err
		}
		defer c.Close()
		thread, err := c.Follow(ctx, "trip", nil)
		if err != nil {
			return err
		}
		_, err = thread.Say("/confirm Book the Adlon?").Wait(ctx)
		return err
	}
	approve := func(url string) error {
		inbox := client.NewInbox(url, nil)
		for waiting, err := range inbox.Waiting(ctx, client.InboxQuery{}) {
			if err != nil {
				return err
			}
			for _, open := range waiting.Interrupts {
				fmt.Println(waiting.Thread, "asks:", open.Interrupt.Message)
				if _, err := inbox.Answer(ctx, waiting, client.Resolve(open.Interrupt, `{"approved":true}`)); err != nil {
					return err
				}
			}
		}
		return nil
	}
	if err := errors.Join(ask(), approve(strings.TrimSuffix(url, "/agui/ws"))); err != nil {
		fmt.Println(err)
	}
	// Output: trip asks: Book the Adlon?
}
