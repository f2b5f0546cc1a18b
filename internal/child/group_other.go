//go:build !unix

package child

import (
	"os"
	"syscall"
)

// There are no groups that could be told to end: the child alone is ended, and at once.

func ownGroup() *syscall.SysProcAttr { return nil }

func endGroup(child *os.Process) error { return child.Kill() }

func killGroup(*os.Process) {}
