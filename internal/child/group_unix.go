//go:build unix

package child

import (
	"os"
	"syscall"
)

// ownGroup has a child be the first of a group of processes. A terminal's signals do not
// come to it then.
func ownGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// endGroup tells a child's group to end.
func endGroup(child *os.Process) error { return syscall.Kill(-child.Pid, syscall.SIGTERM) }

// killGroup ends what is left of a child's group.
func killGroup(child *os.Process) {
	_ = syscall.Kill(-child.Pid, syscall.SIGKILL) // there may be nothing left
}
