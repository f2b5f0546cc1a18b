package soak

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/google/uuid"
)

// look finds the largest key of each kind: the last word of a key's name, how many
// elements it has, and how many bytes it takes.
const look = `
local sizes = { hash = 'HLEN', list = 'LLEN', zset = 'ZCARD', string = 'STRLEN' }
local most, bytes, out = {}, {}, {}
for _, key in ipairs(redis.call('KEYS', '*')) do
  local kind, size = string.match(key, '[^:]*$'), sizes[redis.call('TYPE', key).ok]
  if size then
    most[kind] = math.max(most[kind] or 0, redis.call(size, key))
    bytes[kind] = math.max(bytes[kind] or 0, redis.call('MEMORY', 'USAGE', key, 'SAMPLES', 0))
  end
end
for kind, n in pairs(most) do out[#out + 1] = kind .. ' ' .. n .. ' ' .. bytes[kind] end
return table.concat(out, '\n')`

// histories are the kinds of keys that hold what was said and done on a thread:
// they grow with a diary until its retention.
var histories = map[string]bool{"log": true, "big": true, "snap": true, "runs": true, "past": true, "archive": true, "producers": true}

// inside measures what the largest keys hold.
func (s *site) inside(all values) {
	text, err := s.redis.Do("EVAL", look, "0")
	if err != nil {
		s.t.Fatal(err)
	}
	for line := range strings.Lines(text) {
		var kind string
		var size, bytes float64
		if _, err := fmt.Sscan(line, &kind, &size, &bytes); err != nil {
			s.t.Fatalf("the largest keys are\n%s\n%v", text, err)
		}
		if !histories[kind] {
			all["in a "+kind], all["bytes of a "+kind] = size, bytes
		}
	}
}

// isInside reports whether a value is one of inside's, of which there are too many
// for a row.
func isInside(name string) bool {
	return strings.HasPrefix(name, "in a ") || strings.HasPrefix(name, "bytes of a ")
}

const (
	diaries = 2
	// entries is more runs than one runId is found by.
	entries = 40
)

// keepDiaries lets people who never delete their thread write an entry, each under
// the same runId, on the server that stays and on the one that passes.
func (s *site) keepDiaries() {
	for n := range diaries {
		for _, server := range []string{s.nodes[0].server.URL(), s.passing.URL()} {
			input := fmt.Sprintf(`{"threadId":"diary-%d","runId":"entry","protocolVersion":"1.0","forwardedProps":{"entry":%q},`+
				`"messages":[{"id":"prompt-%d","role":"user","content":"/say Dear diary."}]}`, n, uuid.NewString(), n)
			if stream := request(s.t, http.MethodPost, server+"/agui", input, http.StatusOK); !strings.Contains(stream, `"type":"RUN_FINISHED"`) {
				s.t.Errorf("an entry in a diary was\n%s", stream)
			}
		}
	}
}
