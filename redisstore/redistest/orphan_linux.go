package redistest

import "syscall"

// dieWithUs ends the server also when the test's process is killed or panics,
// which runs no cleanup.
func dieWithUs() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
}
