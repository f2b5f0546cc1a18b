package cli

import (
	"os"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	if role := os.Getenv(devRole); role != "" {
		os.Exit(playDev(role))
	}
	goleak.VerifyTestMain(m)
}
