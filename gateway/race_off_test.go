//go:build !race

package gateway

import "testing"

const race = false

func alone(*testing.T) {}
