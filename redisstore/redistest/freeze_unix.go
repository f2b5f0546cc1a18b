//go:build unix

package redistest

import (
	"os"
	"syscall"
)

// Freeze stops the server where it is, as a machine does that swaps: its
// connections stay. Thaw lets it go on.
func (s *Server) Freeze() { s.signal(syscall.SIGSTOP) }

// Thaw ends a Freeze.
func (s *Server) Thaw() { s.signal(syscall.SIGCONT) }

func (s *Server) signal(which os.Signal) {
	s.t.Helper()
	if err := s.cmd.Process.Signal(which); err != nil {
		s.t.Fatalf("redistest: %v", err)
	}
}
