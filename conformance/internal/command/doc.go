// Package command runs the aguiws command as a user does: built once, started on
// a port of its own, killed, and started again on the same port.
//
// A package of tests that uses it has
//
//	func TestMain(m *testing.M) { os.Exit(command.Main(m)) }
//
// Missing tools skip a test, unless the environment variable AGUIWS_REQUIRE
// names them, as in AGUIWS_REQUIRE=redis,node,chromium,python: then they fail it.
package command
