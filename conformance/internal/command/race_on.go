//go:build race

package command

// buildFlags make the command watch itself as its tests are watched.
var buildFlags = []string{"-race"}

// Race reports whether races are looked for, which takes several times as long.
const Race = true
