//go:build !race

package gateway

const race = false
