//go:build unix

package edge

import "golang.org/x/sys/unix"

// descriptors is how many the process may have open; 0: that is not known.
func descriptors() int {
	var limit unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_NOFILE, &limit) != nil || limit.Cur > 1<<30 {
		return 0
	}
	return int(limit.Cur)
}
