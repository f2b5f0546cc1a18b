//go:build race

package link

// raced: the race detector makes everything slower by a factor.
const raced = true
