//go:build race

package command

// buildFlags make the command watch itself as its tests are watched.
var buildFlags = []string{"-race"}
