package link

import (
	"regexp"
	"slices"
	"testing"

	"github.com/aguiws/aguiws/redisstore/lua"
)

// Who only reads waits for no replica.
func TestScriptsThatReadWaitForNoReplica(t *testing.T) {
	reads := []string{"EXISTS", "GET", "HEXISTS", "HGET", "HGETALL", "HKEYS", "HLEN", "HMGET", "HRANDFIELD", "HSTRLEN", "INFO", "LINDEX", "LLEN",
		"LRANGE", "TIME", "TYPE", "ZCARD", "ZCOUNT", "ZRANGE", "ZRANGEBYLEX", "ZRANGEBYSCORE", "ZSCORE", "ZLEXCOUNT", "XRANGE", "XREVRANGE", "XLEN", "XINFO", "XPENDING"}
	called := regexp.MustCompile(`redis\.p?call\('(\w+)'`)
	for _, sc := range lua.All {
		writes := slices.ContainsFunc(called.FindAllStringSubmatch(sc.Source, -1), func(m []string) bool { return !slices.Contains(reads, m[1]) })
		if !writes && !unwaited[sc] {
			t.Errorf("%s.lua only reads", sc.Name)
		}
	}
}
