package edge

import (
	"log"
	"log/slog"
	"strings"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

const (
	// errorsPerSecond of net/http are logged, after errorBurst at once: each
	// handshake that fails is one.
	errorsPerSecond = 1
	errorBurst      = 20
	// errorBytes is how long one may be: a panic brings its stack.
	errorBytes = 16 << 10
)

// errorLog is where net/http logs to.
func errorLog(l *slog.Logger) *log.Logger {
	return log.New(&errorLines{log: l, most: rate.NewLimiter(errorsPerSecond, errorBurst)}, "", 0)
}

type errorLines struct {
	log  *slog.Logger
	most *rate.Limiter

	mu     sync.Mutex
	unsaid int
}

func (e *errorLines) Write(line []byte) (int, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.most.AllowN(time.Now(), 1) {
		e.unsaid++
		return len(line), nil
	}
	message := strings.TrimRight(string(line[:min(len(line), errorBytes)]), "\n")
	if e.unsaid > 0 {
		e.log.Warn(message, "unsaid", e.unsaid)
	} else {
		e.log.Warn(message)
	}
	e.unsaid = 0
	return len(line), nil
}
