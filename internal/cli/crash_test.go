package cli

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
	"testing"
)

// The crash hook kills the process, as often as it is asked to wait for.
func TestCrashHook(t *testing.T) {
	if at := os.Getenv("TEST_CRASH_AT"); at != "" {
		hook := crashHook(at)
		hook("other")
		hook("here")
		os.Stdout.WriteString("once")
		hook("here")
		os.Stdout.WriteString("twice")
		os.Exit(0)
	}
	for at, said := range map[string]string{"here": "", "here:2": "once", "never": "oncetwice"} {
		command := exec.Command(os.Args[0], "-test.run=^TestCrashHook$")
		command.Env = append(os.Environ(), "TEST_CRASH_AT="+at)
		out, err := command.Output()
		killed := false
		if exit, ok := errors.AsType[*exec.ExitError](err); ok {
			status, _ := exit.Sys().(syscall.WaitStatus)
			killed = status.Signal() == syscall.SIGKILL
		}
		if string(out) != said || killed != (at != "never") {
			t.Errorf("%s: said %q, killed %v, %v", at, out, killed, err)
		}
	}
	if crashHook("") != nil {
		t.Error("a hook without a point")
	}
}
