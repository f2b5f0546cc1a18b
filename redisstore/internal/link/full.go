package link

import (
	"strings"

	"github.com/aguiws/aguiws/redisstore/lua"
)

// allowFull lets a script write on a server that has reached its maxmemory: of Redis 7 and
// newer.
const allowFull = "#!lua flags=allow-oom\n"

// worksFull reports whether a script is carried out by a server that is full: it makes room,
// or registers who reads.
func worksFull(sc *lua.Script) bool {
	switch sc {
	case lua.Delete, lua.Doom, lua.TreeDoom, lua.TreeGone, lua.Retire, lua.Read, lua.Tail:
		return true
	}
	return false
}

// full reports whether a server has refused to write because it is full.
func full(err error) bool {
	return err != nil && (RefusedWith(err, "OOM") || strings.Contains(err.Error(), "-OOM "))
}
