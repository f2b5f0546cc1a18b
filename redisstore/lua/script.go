package lua

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/redis/go-redis/v9"
)

// Script is a Lua script. Its header, and lib.lua's, name its keys and arguments; its
// calls name the same (see Args), and in its text names stand for places: see lib.lua.
type Script struct {
	Name, Source, SHA string
	Function          string         // its name in Library, if it is there
	pieces            map[int]string // of Source, what it shares with others, by where that stands in all of shared
	own               string         // of Source, the script itself
	header
	Shared []string // the names of the arguments that every script gets first
}

// header is what a script declares: names of keys, of arguments, and of those in a
// group, of which there may be any number.
type header struct{ Keys, Args, Each []string }

// newScript joins what it needs of lib.lua and the named files, of which the last is the
// script, and puts places for names. Each call executes all of it, so that what is not
// called costs as much as what is.
func newScript(names ...string) *Script {
	sc := &Script{Name: names[len(names)-1], pieces: map[int]string{}}
	var pieces []string
	var places []int
	for _, name := range append([]string{"lib"}, names...) {
		file, err := files.ReadFile(name + ".lua")
		if err != nil {
			panic(err)
		}
		switch name {
		case "lib":
			sc.Shared = readHeader(string(file)).Args
		case sc.Name:
			sc.header = readHeader(string(file))
		}
		if name == sc.Name {
			pieces = append(pieces, code(string(file)))
		} else {
			for i, piece := range definitions(code(string(file))) {
				pieces, places = append(pieces, piece), append(places, slices.Index(shared, name)<<10+i)
			}
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
	for i, piece := range pieces {
		text := luaName.ReplaceAllStringFunc(piece, sc.place)
		sc.Source += text
		if i == len(pieces)-1 {
			sc.own = text
		} else if text != "" {
			sc.pieces[places[i]] = text
		}
	}
	sc.SHA = redis.NewScript(sc.Source).Hash()
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
			h.Keys, block = words[2:], nil
		case strings.HasPrefix(line, "-- ARGS"):
			block = &h.Args
		case strings.HasPrefix(line, "-- EACH"):
			block = &h.Each
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
func (sc *Script) place(name string) string {
	kind, name, _ := strings.Cut(name, ".")
	at := func(format string, names []string, first int) string {
		i := slices.Index(names, name)
		if i < 0 {
			panic(fmt.Sprintf("redisstore: %s.lua does not declare %s.%s", sc.Name, kind, name))
		}
		return fmt.Sprintf(format, first+i)
	}
	args := slices.Concat(sc.Shared, sc.Args)
	switch kind {
	case "ARG":
		return at("ARGV[%d]", args, 1)
	case "KEY":
		return at("KEYS[%d]", sc.Keys, 1)
	case "EACH":
		return at("%d", sc.Each, 0)
	case "WIDTH":
		return fmt.Sprint(len(sc.Each))
	}
	return fmt.Sprint(len(args) + 1) // REST
}

// Args are a script's arguments as its header names them, and in that order.
type Args []struct {
	Name  string
	Value any
}

// AppendTo adds the values to a list.
func (a Args) AppendTo(list []any) []any {
	for _, arg := range a {
		list = append(list, arg.Value)
	}
	return list
}

// Group adds a group of arguments to the rest of a call, as the script's header names
// them behind EACH.
func (*Script) Group(rest []any, group Args) []any { return group.AppendTo(rest) }
