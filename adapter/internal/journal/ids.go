package journal

import (
	"strconv"

	"github.com/google/uuid"
)

// Derive names something an execution makes, so that a replay makes the same
// name: execution is a random id, scope and n say which one.
func Derive(execution, scope string, n int) string {
	space, err := uuid.Parse(execution)
	if err != nil {
		space = uuid.NewSHA1(uuid.Nil, []byte(execution))
	}
	return uuid.NewSHA1(space, []byte(scope+"#"+strconv.Itoa(n))).String()
}
