// Command aguiws serves an agent behind AG-UI over WebSockets.
//
// Without arguments it runs the script agent and the web UI on
// 127.0.0.1:8080, on an embedded store whose suspensions die with the process.
// --redis makes them durable. aguiws --help lists the settings; each is also
// read from the environment and from a configuration file. aguiws check tests
// them and what they name.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/aguiws/aguiws/internal/cli"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	os.Exit(cli.Main(ctx, os.Args[1:], os.Environ(), os.Stdout, os.Stderr))
}
