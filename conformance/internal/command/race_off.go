//go:build !race

package command

var buildFlags []string

// Race reports whether races are looked for, which takes several times as long.
const Race = false
