package runner

import (
	"strconv"

	"github.com/google/uuid"
)

// derive names something an execution makes, so that a replay makes the same
// name: execution is a random id, scope and n say which one.
func derive(execution, scope string, n int) string {
	space, err := uuid.Parse(execution)
	if err != nil {
		space = uuid.NewSHA1(uuid.Nil, []byte(execution))
	}
	return uuid.NewSHA1(space, []byte(scope+"#"+strconv.Itoa(n))).String()
}
