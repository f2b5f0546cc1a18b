// Command client sends inputs to an endpoint and a thread by the client of AG-UI's community Go SDK, as its users
// write them: what they do not set is nil, and goes out as null. It writes what comes
// back, a line an event.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/ag-ui-protocol/ag-ui/sdks/community/go/pkg/client/sse"
	"github.com/ag-ui-protocol/ag-ui/sdks/community/go/pkg/core/types"
	"github.com/sirupsen/logrus"
)

func main() {
	quiet := logrus.New()
	quiet.SetOutput(io.Discard)
	c := sse.NewClient(sse.Config{Endpoint: os.Args[1], Logger: quiet})
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	for i, messages := range [][]types.Message{
		{{ID: "m1", Role: types.RoleUser, Content: "/say hello"}},
		{{ID: "m2", Role: types.RoleUser, Content: []types.InputContent{
			{Type: "text", Text: "/say seen"},
			{Type: "binary", MimeType: "image/png", Data: "aGk=", Filename: "a.png"},
		}}},
		nil,
	} {
		frames, failed, err := c.Stream(sse.StreamOptions{Context: ctx, Payload: types.RunAgentInput{
			ThreadID: os.Args[2], RunID: fmt.Sprint("r", i+1), Messages: messages,
		}})
		if err == nil {
			for f := range frames {
				fmt.Println(string(f.Data))
			}
			err = <-failed
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}
