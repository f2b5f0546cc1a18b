package redisstore

import (
	"embed"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/redis/go-redis/v9"
)

//go:embed lua/*.lua
var luaFiles embed.FS

var (
	readScript        = newScript("thread", "work", "run", "index", "suspension", "window", "read")
	beginScript       = newScript("thread", "work", "run", "index", "notice", "suspension", "queue", "decision", "branch", "begin")
	commitScript      = newScript("commit") // the hot one: without thread.lua
	noteScript        = newScript("thread", "work", "run", "index", "suspension", "note")
	joinScript        = newScript("thread", "work", "run", "index", "notice", "suspension", "queue", "join")
	activateScript    = newScript("thread", "work", "run", "index", "notice", "suspension", "queue", "activate")
	endScript         = newScript("thread", "work", "run", "index", "notice", "suspension", "retain", "snapshot", "queue", "end")
	checkpointScript  = newScript("thread", "work", "run", "index", "suspension", "retain", "snapshot", "checkpoint")
	midrunScript      = newScript("thread", "work", "run", "index", "suspension", "retain", "snapshot", "midrun")
	claimScript       = newScript("thread", "work", "run", "index", "notice", "suspension", "queue", "claim")
	renewScript       = newScript("thread", "work", "renew")
	nackScript        = newScript("thread", "work", "run", "index", "notice", "suspension", "queue", "nack")
	journalScript     = newScript("thread", "work", "run", "journal")
	stopScript        = newScript("thread", "work", "run", "index", "notice", "suspension", "queue", "stop")
	stopAllScript     = newScript("thread", "work", "run", "index", "notice", "suspension", "repair", "queue", "stopall")
	pauseScript       = newScript("thread", "pause")
	dispatchesScript  = newScript("thread", "work", "run", "dispatches")
	messagesScript    = newScript("thread", "window", "messages")
	rangeScript       = newScript("thread", "range")
	tailScript        = newScript("thread", "tail")
	dueScript         = newScript("due")
	offerScript       = newScript("thread", "work", "run", "index", "suspension", "queue", "offer")
	waitingScript     = newScript("waiting")
	countsScript      = newScript("counts")
	inboxScript       = newScript("thread", "work", "run", "index", "suspension", "inbox")
	threadsScript     = newScript("thread", "work", "run", "index", "suspension", "threads")
	titleScript       = newScript("title")
	draftsScript      = newScript("thread", "work", "run", "index", "notice", "suspension", "drafts")
	deleteScript      = newScript("thread", "work", "run", "index", "notice", "suspension", "payload", "retain", "repair", "decision", "delete")
	deadLettersScript = newScript("thread", "work", "run", "deadletters")
	takeScript        = newScript("take")
	holdScript        = newScript("hold")
	usageScript       = newScript("usage")
	retireScript      = newScript("thread", "work", "run", "index", "notice", "suspension", "payload", "retain", "retire")
	hookReadScript    = newScript("hookread")
	hookTakeScript    = newScript("hooktake")
	hookSettleScript  = newScript("hooksettle")
	hookCountsScript  = newScript("hookcounts")
	hookDeadScript    = newScript("hookdead")
	hookResendScript  = newScript("hookresend")
	hookForgetScript  = newScript("hookforget")
	targetsScript     = newScript("targets")
	nodesScript       = newScript("nodes")
	noticesScript     = newScript("notices")
	decisionsScript   = newScript("index", "decision", "decisions")
	refusedScript     = newScript("thread", "work", "run", "index", "suspension", "refused")
	forgetScript      = newScript("index", "decision", "forget")
	recordsScript     = newScript("index", "decision", "records")
	flowPutScript     = newScript("flowput")
	flowReadScript    = newScript("flowread")
	flowTakeScript    = newScript("flowtake")
	tokensScript      = newScript("tokens")
	tokenPutScript    = newScript("tokenput")
	tokenDropScript   = newScript("tokendrop")
	tokenHoldScript   = newScript("tokenhold")
	payloadPutScript  = newScript("payloadput")
	payloadKeepScript = newScript("payloadkeep")
	payloadReadScript = newScript("payloadread")
	payloadDueScript  = newScript("payload", "payloaddue")
	payloadDropScript = newScript("payload", "payloadsettle")
	treePutScript     = newScript("thread", "index", "tree", "treeput")
	treeReadScript    = newScript("thread", "index", "tree", "treeread")
	treeBelowScript   = newScript("thread", "index", "tree", "treebelow")
	treeWalkScript    = newScript("thread", "index", "tree", "treewalk")
	treePageScript    = newScript("thread", "index", "tree", "treepage")
	treeDoomScript    = newScript("thread", "index", "tree", "treedoom")
	treeGoneScript    = newScript("thread", "index", "tree", "treegone")
	treeMadeScript    = newScript("treemade")
	doomScript        = newScript("doom")

	allScripts = []*script{readScript, beginScript, commitScript, noteScript, joinScript, activateScript, endScript, checkpointScript, midrunScript,
		claimScript, renewScript, nackScript, journalScript, stopScript, stopAllScript, pauseScript, dispatchesScript,
		messagesScript, rangeScript, tailScript, dueScript, offerScript, waitingScript, countsScript, inboxScript, threadsScript, titleScript, draftsScript,
		deleteScript, deadLettersScript, retireScript, takeScript, holdScript, usageScript,
		hookReadScript, hookTakeScript, hookSettleScript, hookCountsScript, hookDeadScript, hookResendScript,
		hookForgetScript, targetsScript, nodesScript,
		noticesScript, decisionsScript, refusedScript, forgetScript, recordsScript,
		flowPutScript, flowReadScript, flowTakeScript, tokensScript, tokenPutScript, tokenDropScript, tokenHoldScript,
		payloadPutScript, payloadKeepScript, payloadReadScript, payloadDueScript, payloadDropScript,
		treePutScript, treeReadScript, treeBelowScript, treeWalkScript, treePageScript, treeDoomScript, treeGoneScript, treeMadeScript, doomScript}
)

// script is a Lua script. Its header, and lib.lua's, name its keys and arguments; its
// calls name the same (see call), and in its text names stand for places: see lib.lua.
type script struct {
	name, source, sha string
	header
	shared []string // the names of the arguments that every script gets first
}

// header is what a script declares: names of keys, of arguments, and of those in a
// group, of which there may be any number.
type header struct{ keys, args, each []string }

// newScript joins what it needs of lib.lua and the named files, of which the last is the
// script, and puts places for names. Each call executes all of it, so that what is not
// called costs as much as what is.
func newScript(files ...string) *script {
	sc := &script{name: files[len(files)-1]}
	var pieces []string
	for _, name := range append([]string{"lib"}, files...) {
		file, err := luaFiles.ReadFile("lua/" + name + ".lua")
		if err != nil {
			panic(err)
		}
		switch name {
		case "lib":
			sc.shared = readHeader(string(file)).args
		case sc.name:
			sc.header = readHeader(string(file))
		}
		if name == sc.name {
			pieces = append(pieces, code(string(file)))
		} else {
			pieces = append(pieces, definitions(code(string(file)))...)
		}
	}
	// A later piece may use those that stand before it.
	used := map[string]bool{}
	for i, piece := range slices.Backward(pieces) {
		if i < len(pieces)-1 && !slices.ContainsFunc(defined(piece), func(name string) bool { return used[name] }) {
			pieces[i] = ""
			continue
		}
		for _, name := range named(piece) {
			used[name] = true
		}
	}
	sc.source = luaName.ReplaceAllStringFunc(strings.Join(pieces, ""), sc.place)
	sc.sha = redis.NewScript(sc.source).Hash()
	return sc
}

// code is a file without the lines that are comments.
func code(text string) string {
	var out strings.Builder
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(strings.TrimSpace(line), "--") {
			out.WriteString(line)
		}
	}
	return out.String()
}

// definitions are the pieces of a file, each of which begins with a local that all may
// see that follows.
func definitions(text string) (pieces []string) {
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "local ") || pieces == nil {
			pieces = append(pieces, "")
		}
		pieces[len(pieces)-1] += line
	}
	return pieces
}

var luaDefinition = regexp.MustCompile(`^\s*local (?:function )?(\w+(?:, \w+)*)`)

// defined are the names that a piece defines.
func defined(piece string) []string {
	m := luaDefinition.FindStringSubmatch(piece)
	if m == nil {
		return nil
	}
	return strings.Split(m[1], ", ")
}

// named are the names that stand in a text as more than a field. Scripts share most of
// their pieces.
func named(text string) []string {
	if known, ok := namedIn[text]; ok {
		return known
	}
	var list []string
	for _, at := range luaWord.FindAllStringIndex(text, -1) {
		before := text[:at[0]]
		if !strings.HasSuffix(before, ".") || strings.HasSuffix(before, "..") {
			list = append(list, text[at[0]:at[1]])
		}
	}
	namedIn[text] = list
	return list
}

var (
	luaWord = regexp.MustCompile(`\w+`)
	namedIn = map[string][]string{}
)

// readHeader reads the comment that a script begins with: behind KEYS names, on
// lines behind ARGS and EACH a name each and what it says.
func readHeader(text string) (h header) {
	var block *[]string
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		words := strings.FieldsFunc(line, func(r rune) bool { return r == ' ' || r == ',' })
		switch {
		case !strings.HasPrefix(line, "--"):
			return h
		case strings.HasPrefix(line, "-- KEYS"):
			h.keys, block = words[2:], nil
		case strings.HasPrefix(line, "-- ARGS"):
			block = &h.args
		case strings.HasPrefix(line, "-- EACH"):
			block = &h.each
		case block != nil && strings.HasPrefix(line, "--    "): // goes on with what the name says
		case block != nil && strings.HasPrefix(line, "--   "):
			*block = append(*block, words[1])
		default:
			block = nil
		}
	}
	return h
}

// luaName is where a script names a key or an argument.
var luaName = regexp.MustCompile(`\b((ARG|KEY|EACH)\.\w+|REST|WIDTH)\b`)

// place is what stands for a name in the script that Redis gets.
func (sc *script) place(name string) string {
	kind, name, _ := strings.Cut(name, ".")
	at := func(format string, names []string, first int) string {
		i := slices.Index(names, name)
		if i < 0 {
			panic(fmt.Sprintf("redisstore: %s.lua does not declare %s.%s", sc.name, kind, name))
		}
		return fmt.Sprintf(format, first+i)
	}
	args := slices.Concat(sc.shared, sc.args)
	switch kind {
	case "ARG":
		return at("ARGV[%d]", args, 1)
	case "KEY":
		return at("KEYS[%d]", sc.keys, 1)
	case "EACH":
		return at("%d", sc.each, 0)
	case "WIDTH":
		return fmt.Sprint(len(sc.each))
	}
	return fmt.Sprint(len(args) + 1) // REST
}

// args are a script's arguments as its header names them, and in that order.
type args []struct {
	name  string
	value any
}

func (a args) appendTo(list []any) []any {
	for _, arg := range a {
		list = append(list, arg.value)
	}
	return list
}

// group adds a group of arguments to the rest of a call, as the script's header names
// them behind EACH.
func (*script) group(rest []any, group args) []any { return group.appendTo(rest) }

// metaSource is a script that stands without lib.lua: it concerns no thread.
var metaSource = func() string {
	source, err := luaFiles.ReadFile("lua/meta.lua")
	if err != nil {
		panic(err)
	}
	return string(source)
}()
