//go:build !linux

package redistest

import "syscall"

// dieWithUs is nothing where the system has no such thing.
func dieWithUs() *syscall.SysProcAttr { return nil }
