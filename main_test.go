package main

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// The process says what it is and what is wrong, and its exit code tells the one
// from the other.
func TestExitCode(t *testing.T) {
	if args, is := os.LookupEnv("TEST_MAIN_ARGS"); is {
		os.Args = append(os.Args[:1], strings.Fields(args)...)
		main()
	}
	for args, want := range map[string]struct {
		code           int
		stdout, stderr string
	}{
		"version":                     {0, "aguiws ", ""},
		"--version":                   {0, "aguiws ", ""},
		"--help":                      {0, "", "Usage: aguiws "},
		"--lease soon":                {1, "", `aguiws: --lease: "soon": `},
		"--log-format json --agent x": {1, "", "{"},
	} {
		command := exec.Command(os.Args[0], "-test.run=^TestExitCode$")
		command.Env = []string{"TEST_MAIN_ARGS=" + args}
		var stdout, stderr strings.Builder
		command.Stdout, command.Stderr = &stdout, &stderr
		_ = command.Run() // its code is looked at
		if code := command.ProcessState.ExitCode(); code != want.code || !strings.HasPrefix(stdout.String(), want.stdout) || !strings.HasPrefix(stderr.String(), want.stderr) {
			t.Errorf("%s: exits with %d, says %q and %q", args, code, stdout.String(), stderr.String())
		}
	}
}
