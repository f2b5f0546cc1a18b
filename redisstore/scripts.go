package redisstore

import (
	"context"
	"embed"

	"github.com/redis/go-redis/v9"
)

//go:embed lua/*.lua
var luaFiles embed.FS

var (
	readScript        = newScript("thread", "run", "index", "suspension", "read")
	beginScript       = newScript("thread", "run", "index", "suspension", "queue", "begin")
	commitScript      = newScript("commit") // the hot one: without thread.lua
	noteScript        = newScript("thread", "run", "index", "suspension", "note")
	activateScript    = newScript("thread", "run", "index", "suspension", "queue", "activate")
	endScript         = newScript("thread", "run", "index", "suspension", "retain", "queue", "end")
	claimScript       = newScript("thread", "run", "index", "suspension", "queue", "claim")
	renewScript       = newScript("thread", "renew")
	nackScript        = newScript("thread", "run", "index", "suspension", "queue", "nack")
	journalScript     = newScript("thread", "run", "journal")
	stopScript        = newScript("thread", "run", "index", "suspension", "queue", "stop")
	interruptScript   = newScript("thread", "run", "index", "suspension", "repair", "queue", "interrupt")
	pauseScript       = newScript("thread", "pause")
	dispatchesScript  = newScript("thread", "run", "dispatches")
	rangeScript       = newScript("thread", "range")
	tailScript        = newScript("thread", "tail")
	dueScript         = newScript("due")
	countsScript      = newScript("counts")
	inboxScript       = newScript("thread", "run", "index", "suspension", "inbox")
	threadsScript     = newScript("thread", "run", "index", "suspension", "threads")
	titleScript       = newScript("title")
	draftsScript      = newScript("thread", "run", "index", "suspension", "drafts")
	deleteScript      = newScript("thread", "run", "index", "suspension", "retain", "repair", "delete")
	deadLettersScript = newScript("thread", "run", "deadletters")
	retireScript      = newScript("thread", "run", "index", "suspension", "retain", "retire")

	allScripts = []*script{readScript, beginScript, commitScript, noteScript, activateScript, endScript,
		claimScript, renewScript, nackScript, journalScript, stopScript, interruptScript, pauseScript, dispatchesScript,
		rangeScript, tailScript, dueScript, countsScript, inboxScript, threadsScript, titleScript, draftsScript,
		deleteScript, deadLettersScript, retireScript}
)

type script struct {
	name, source, sha string
}

// newScript joins lib.lua and the named files, of which the last is the script.
func newScript(files ...string) *script {
	var source []byte
	for _, name := range append([]string{"lib"}, files...) {
		text, err := luaFiles.ReadFile("lua/" + name + ".lua")
		if err != nil {
			panic(err)
		}
		source = append(source, text...)
	}
	return &script{name: files[len(files)-1], source: string(source), sha: redis.NewScript(string(source)).Hash()}
}

// load gives the scripts to every server that may run them and answers.
func (s *Store) load(ctx context.Context) error {
	one := func(ctx context.Context, c *redis.Client) error {
		for _, sc := range allScripts {
			if err := c.ScriptLoad(ctx, sc.source).Err(); err != nil {
				return storeError("load "+sc.name+".lua", err)
			}
		}
		return nil
	}
	switch c := s.client.(type) {
	case *redis.ClusterClient:
		return most(eachMaster(ctx, c, one))
	case *redis.Client:
		return one(ctx, c)
	}
	return nil // sent in full when they are missed
}
