//go:build !race

package command

var buildFlags []string
