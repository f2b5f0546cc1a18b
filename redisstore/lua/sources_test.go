package lua

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Each call executes the whole script, so it has no more than it uses.
func TestScriptsHaveWhatTheyUse(t *testing.T) {
	if testing.Short() {
		t.Skip("it measures, and takes seconds under the race detector")
	}
	for _, sc := range All {
		pieces := definitions(sc.Source)
		for i, piece := range pieces {
			_, below, _ := strings.Cut(strings.Join(pieces[i:], ""), "\n")
			if strings.HasPrefix(piece, "local function ") && !slices.Contains(named(below), defined(piece)[0]) {
				t.Errorf("%s has %s, and does not use it", sc.Name, defined(piece)[0])
			}
		}
	}
	if !strings.Contains(End.Source, "local function trim(") || strings.Contains(Commit.Source, "NOW") {
		t.Error("an end trims, and a commit does not need the time")
	}
}

// What stands in the place of a piece of the library is the same for all of its functions.
func TestLibraryHasWhatItsScriptsHave(t *testing.T) {
	for _, sc := range Common {
		for _, piece := range append(slices.Collect(maps.Values(sc.pieces)), sc.own) {
			if text := strings.TrimPrefix(piece, "local "); !strings.Contains(Library, text) && (!ofCall(piece) || !strings.Contains(Library, assigned(piece))) {
				t.Errorf("%s has other than the library:\n%s", sc.Name, piece)
			}
		}
	}
	for _, sc := range Common {
		for _, piece := range sc.pieces {
			if name := defined(piece)[0]; !strings.HasPrefix(piece, "local function ") && !ofCall(piece) && strings.ToUpper(name) != name {
				t.Errorf("%s may find in %s what another call has left there", sc.Name, name)
			}
		}
	}
	for piece, want := range map[string]bool{"local time\n": true, "local list = {}\n": true, "local NOW = now()\n": true, "local NODE = ARGV[4]\n": true,
		"local room = { nil, nil }\n": true, "local FEW = 8\n": false, "local HEAD = '(nil)'\n": false, "local WORD = { q = 'queued' }\n": false, "local function now()\nend\n": false} {
		if ofCall(piece) != want {
			t.Errorf("%q is of one call: %t", piece, !want)
		}
	}
}

// A name that two shared files define would mean the one that stands later, to whoever
// names both.
func TestSharedDefinitionsHaveTheirOwnNames(t *testing.T) {
	in := map[string]string{}
	for _, file := range shared[:slices.Index(shared, "tree")] { // with which no other of them goes but thread and index
		text, err := files.ReadFile(file + ".lua")
		if err != nil {
			t.Fatal(err)
		}
		for _, piece := range definitions(code(string(text))) {
			for _, name := range defined(piece) {
				if other, ok := in[name]; ok && other != file {
					t.Errorf("%s.lua and %s.lua define %s", other, file, name)
				}
				in[name] = file
			}
		}
	}
}

// Scripts are put together in every process that has this package, before its main.
func TestScriptsArePutTogetherQuickly(t *testing.T) {
	one := testing.AllocsPerRun(3, func() {
		newScript("thread", "run", "index", "suspension", "trim", "snapshot", "queue", "end")
	})
	if one > 5000 {
		t.Errorf("end.lua takes %.0f allocations", one)
	}
}

// What a script declares it uses, and it takes nothing by its number.
func TestScriptsTakeArgumentsByName(t *testing.T) {
	numbered := regexp.MustCompile(`(?:ARGV|KEYS)\[\d`)
	texts := map[string]string{}
	list, err := files.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	all := ""
	for _, f := range list {
		text, err := files.ReadFile(f.Name())
		if err != nil {
			t.Fatal(err)
		}
		texts[strings.TrimSuffix(f.Name(), ".lua")] = string(text)
		all += string(text)
		if n := numbered.FindString(string(text)); n != "" {
			t.Errorf("%s: %s", f.Name(), n)
		}
	}
	uses := func(text, kind string, names []string) (unused []string) {
		for _, n := range names {
			if !regexp.MustCompile(`\b` + kind + `\.` + n + `\b`).MatchString(text) {
				unused = append(unused, n)
			}
		}
		return unused
	}
	for _, sc := range All {
		text := texts[sc.Name]
		if strings.Contains(text, "decisionsIn(") { // which reads the groups for it
			text += texts["decision"]
		}
		unused := uses(text, "ARG", sc.Args)
		if strings.Contains(text, "EACH.") { // else a group is one
			unused = append(unused, uses(text, "EACH", sc.Each)...)
		}
		if strings.Contains(text, "KEY.") {
			unused = append(unused, uses(text, "KEY", sc.Keys)...)
		}
		if unused != nil || !strings.Contains(text, "EACH.") && len(sc.Each) > 1 {
			t.Errorf("%s declares and does not use %q", sc.Name, unused)
		}
		for _, n := range sc.Args {
			if slices.Contains(sc.Shared, n) || strings.Count(" "+strings.Join(sc.Args, " ")+" ", " "+n+" ") > 1 {
				t.Errorf("%s: %s is declared twice", sc.Name, n)
			}
		}
	}
	if unused := uses(all, "ARG", All[0].Shared); unused != nil {
		t.Errorf("lib declares %q, which nobody uses", unused)
	}
}

// Redis lets a script touch keys that it did not declare, until it runs in a
// Cluster. So no script may make a key's name, but of a family that it declares: the
// stream of an agent, behind work, what is to be looked at, behind ready, and payloads,
// behind what the keys of their thread or their partition begin with, in T and P.
func TestScriptsTouchDeclaredKeysOnly(t *testing.T) {
	call := regexp.MustCompile(`redis\.p?call\('([A-Z]+)'(?:, '(?:CREATE|DESTROY|DELCONSUMER|GROUPS|CONSUMERS)')?(?:, ([^,)]+))?`)
	family := regexp.MustCompile(`^(t\.work|KEYS\[[^\]]+\]) \.\. \w+(\[\w+\])?\b`)
	key := regexp.MustCompile(`^(t\.[a-z]+|KEYS\[[^\]]+\]|rec|key|journal|queue|log|big|stream|checks|t\.work \.\. agent|T \.\. '(payloads|rec|runs|payload:' \.\. digest)'?|P \.\. 'payloads(:due)?'|unpack\((pieces|notes))$`)
	named := regexp.MustCompile(`\bstream(?:, \w+)* = (.*)`)
	checks := regexp.MustCompile(`\bchecks = (.*)`)
	base := regexp.MustCompile(`\bT = (.*)`)
	ofBase := regexp.MustCompile(`^ARGV\[\d+\] \.\. hash \.\. ':'`)
	beside := regexp.MustCompile(`^(t\.ready|KEYS\[k \+ 1\]) \.\. ':checks'`)
	ofGroups := regexp.MustCompile(`redis\.p?call\('XREADGROUP', [^)]*'STREAMS', KEYS\[\d+\], '>'\)`)
	for _, sc := range All {
		calls, groups := call.FindAllStringSubmatch(sc.Source, -1), len(ofGroups.FindAllString(sc.Source, -1))
		if len(calls) == 0 {
			t.Errorf("%s: no calls found", sc.Name)
		}
		for _, m := range calls {
			switch m[1] {
			case "TIME", "INFO", "PUBLISH":
			case "XREADGROUP":
				groups--
			default:
				if !key.MatchString(m[2]) {
					t.Errorf("%s: %s touches %s", sc.Name, m[1], m[2])
				}
			}
		}
		for _, m := range named.FindAllStringSubmatch(sc.Source, -1) {
			if !family.MatchString(m[1]) {
				t.Errorf("%s: a stream is named by %s", sc.Name, m[1])
			}
		}
		for _, m := range checks.FindAllStringSubmatch(sc.Source, -1) {
			if !beside.MatchString(m[1]) {
				t.Errorf("%s: what is to be looked at is named by %s", sc.Name, m[1])
			}
		}
		for _, m := range base.FindAllStringSubmatch(sc.Source, -1) {
			if !ofBase.MatchString(m[1]) {
				t.Errorf("%s: the keys of a thread begin with %s", sc.Name, m[1])
			}
		}
		if groups != 0 {
			t.Errorf("%s: %d calls about groups touch what is no key", sc.Name, -groups)
		}
		if strings.Contains(sc.Source, "cjson") {
			t.Errorf("%s decodes JSON", sc.Name)
		}
	}
}
