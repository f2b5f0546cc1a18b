package lua

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/redis/go-redis/v9"
)

// LibraryName begins the name of every library, whichever build has made it.
const LibraryName = "aguiws_"

// Library has the common scripts as functions of Redis 7, for FUNCTION LOAD. What they share is
// defined when Redis loads it, and not by each call. Its name and its functions' names have a
// fingerprint of it: servers of two builds have one each.
var Library = newLibrary(Common)

// newLibrary makes functions of scripts, of the same pieces. Those pieces that Redis must
// execute for each call are declared where they stand, and each function begins with its own.
func newLibrary(scripts []*Script) string {
	pieces, functions := map[int]string{}, ""
	for _, sc := range scripts {
		begins := ""
		for _, at := range slices.Sorted(maps.Keys(sc.pieces)) {
			piece := sc.pieces[at]
			if ofCall(piece) {
				begins += assigned(piece)
				piece = "local " + strings.Join(defined(piece), ", ") + "\n"
			}
			pieces[at] = piece
		}
		functions += "do\nlocal function begin(keys, args)\nKEYS, ARGV, redis, string, tonumber = keys, args, api()\n" + begins +
			"end\nregister('LIBRARY_" + sc.Name + "', function(keys, args)\nbegin(keys, args)\n" + sc.own + "end)\nend\n"
	}
	text := "local function api() return redis, string, tonumber end\n" +
		"local register, KEYS, ARGV, redis, string, tonumber = redis.register_function\n"
	for _, at := range slices.Sorted(maps.Keys(pieces)) {
		text += pieces[at]
	}
	text += functions
	name := LibraryName + redis.NewScript(text).Hash()[:12]
	for _, sc := range scripts {
		sc.Function = name + "_" + sc.Name
	}
	return "#!lua name=" + name + "\n" + strings.ReplaceAll(text, "LIBRARY", name)
}

var (
	luaString = regexp.MustCompile(`'[^']*'`)
	changing  = regexp.MustCompile(`\(|\bnil\b|\{\s*\}|\bKEYS\b|\bARGV\b`)
)

// ofCall reports whether a piece holds for one call alone: its value is not known before, or
// changes.
func ofCall(piece string) bool {
	_, value, _ := strings.Cut(piece, "=")
	return !strings.HasPrefix(piece, "local function ") &&
		(strings.TrimSpace(value) == "" || changing.MatchString(luaString.ReplaceAllString(value, "")))
}

// assigned is a piece that gives a new value to what is declared already.
func assigned(piece string) string {
	names, value, _ := strings.Cut(strings.TrimPrefix(piece, "local "), "=")
	return strings.TrimSpace(names) + " = " + cmp.Or(strings.TrimSpace(value), "nil") + "\n"
}
