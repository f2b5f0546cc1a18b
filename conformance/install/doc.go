// Package install is the lane of the browser package as people install it: the
// tarball that npm makes of it, in projects that are new, by the lines of its
// README, from the registry; compiled against with every check, and loaded in Node.
//
// What runs by default is README's lines with npm, as of a date, so that what somebody
// publishes tomorrow fails nobody's change. The whole matrix, with pnpm and both
// yarns, before and after the frontends, is of today:
//
//	go test -count=1 -timeout 60m -v ./conformance/install -all
package install
