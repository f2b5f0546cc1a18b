//go:build race

package redisstore

// raced: the race detector makes everything slower by a factor.
const raced = true
