package cli

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// userDocs are the pages that users read first, by name.
func userDocs(t *testing.T) map[string]string {
	t.Helper()
	names, err := filepath.Glob("../../docs/*.md")
	if err != nil || len(names) == 0 {
		t.Fatalf("docs/ has %d pages: %v", len(names), err)
	}
	list := map[string]string{}
	for _, name := range append(names, "../../README.md") {
		list[filepath.Base(filepath.Dir(name))+"/"+filepath.Base(name)] = asTyped(readFile(t, name))
	}
	return list
}

var (
	heredoc  = regexp.MustCompile(`(?s)cat > (\S+)\.yaml <<END\n(.*?\n)END\n`)
	variable = regexp.MustCompile(`\$[A-Z]+`)
)

// asTyped is a page with the files that its shell commands write as blocks of their own, and
// with a random text of openssl for each variable.
func asTyped(text string) string {
	text = heredoc.ReplaceAllStringFunc(text, func(command string) string {
		file, language := heredoc.FindStringSubmatch(command), "yaml"
		if file[1] == "tokens" {
			language = "tokens" // no settings
		}
		return "```\n\n```" + language + "\n" + file[2] + "```\n\n```sh\n"
	})
	return variable.ReplaceAllStringFunc(text, func(name string) string {
		if name == "$PATH" || name == "$PWD" {
			return name
		}
		return fmt.Sprintf("%x", sha256.Sum256([]byte(name)))[:48]
	})
}

// blocks are what a page has in a language.
func blocks(text, language string) (list []string) {
	for _, block := range regexp.MustCompile("(?ms)^```"+language+"\n(.*?)^```$").FindAllStringSubmatch(text, -1) {
		list = append(list, block[1])
	}
	return list
}

// The configuration files that pages show are ones. A file of another program is marked yml.
func TestDocsConfigure(t *testing.T) {
	found := 0
	for name, text := range userDocs(t) {
		for _, file := range blocks(text, "yaml") {
			found++
			if s, err := readSettings([]string{"--config", write(t, "a.yaml", file)}, env(), io.Discard); err != nil || len(s.from) == 0 {
				t.Errorf("%s: %v in\n%s", name, err, file)
			}
		}
	}
	if found == 0 {
		t.Error("no page shows a configuration file")
	}
}

// The command lines of this program that pages show are taken, and what they ask by curl
// is answered by the demo agent's server, which asks at another message than the agents of the
// pages. With tokens it is one that has the tokens of the page.
func TestDocsCommand(t *testing.T) {
	commands, requests := 0, 0
	for name, text := range userDocs(t) {
		servers := map[bool]*started{} // with tokens, and without
		interrupt := ""
		for _, block := range blocks(text, "sh") {
			for line := range strings.Lines(strings.ReplaceAll(block, "\\\n", " ")) {
				words := shellWords(line)
				var vars environment
				for len(words) > 0 && regexp.MustCompile(`^[A-Z_]+=`).MatchString(words[0]) {
					vars, words = append(vars, words[0]), words[1:]
				}
				switch {
				case len(words) > 0 && strings.TrimPrefix(words[0], "./") == "aguiws":
					words = words[1:]
				case len(words) > 2 && words[0] == "go" && words[1] == "run" && words[2] == ".":
					words = words[3:]
				case len(words) > 0 && words[0] == "curl":
					withTokens := strings.Contains(line, "Authorization: ")
					if servers[withTokens] == nil {
						servers[withTokens] = start(t, env(), tokensOf(t, text, withTokens)...)
					}
					served := servers[withTokens]
					requests++
					answer, err := curl(strings.NewReplacer("127.0.0.1:8080", served.addr, "127.0.0.1:8081", served.addr, "INTERRUPT", interrupt,
						`"content":"ann"`, `"content":"/confirm"`, `"send carol"`, `"/confirm"`), words[1:])
					if err != nil {
						t.Errorf("%s: %s: %v", name, line, err)
					}
					if asked := regexp.MustCompile(`"interrupts":\[\{"id":"([^"]+)"`).FindStringSubmatch(answer); asked != nil {
						interrupt = asked[1]
					}
					continue
				default:
					continue
				}
				commands++
				if len(words) > 0 && (words[0] == "config" || words[0] == "healthz") { // they have no settings
					if err := withoutSettings(t, words); err != nil {
						t.Errorf("%s: %s: %v", name, line, err)
					}
					continue
				}
				for i, word := range words {
					if word == "--config" { // its file is the page's: see TestDocsConfigure
						words[i+1] = write(t, "a.yaml", "lease: 5s\n")
					}
				}
				if _, err := readSettings(words, vars, io.Discard); err != nil {
					t.Errorf("%s: %s: %v", name, line, err)
				}
			}
		}
	}
	if commands < 10 || requests < 5 {
		t.Errorf("the pages show %d commands and %d requests: are they read as they are written?", commands, requests)
	}
}

// withoutSettings carries out a command that reads none: config init in a folder of its
// own. Of healthz the form counts, because the page's server is not there.
func withoutSettings(t *testing.T, words []string) error {
	if words[0] == "config" {
		return configure(append(words[1:], filepath.Join(t.TempDir(), "a.yaml")), io.Discard)
	}
	if len(words) != 2 {
		return errors.New("healthz takes a URL")
	}
	return nil
}

// tokensOf are the settings of a server with the tokens that a page lists.
func tokensOf(t *testing.T, text string, wanted bool) []string {
	t.Helper()
	if !wanted {
		return nil
	}
	lists := blocks(text, "tokens")
	if len(lists) != 1 {
		t.Fatal("a page sends tokens that it does not list")
	}
	return []string{"--auth", "tokens", "--token-file", write(t, "tokens.yaml", lists[0])}
}

// shellWords are a line's, without quotes and without a comment.
func shellWords(line string) (words []string) {
	for _, word := range regexp.MustCompile(`(?:'[^']*'|"[^"]*"|[^\s'"])+`).FindAllString(line, -1) {
		if strings.HasPrefix(word, "#") || word == "&&" || word == "|" {
			break
		}
		words = append(words, strings.Trim(word, `'"`))
	}
	return words
}

// curl sends what curl would, and wants it taken.
func curl(places *strings.Replacer, args []string) (string, error) {
	method, address, body, header := http.MethodGet, "", "", http.Header{}
	for i := 0; i < len(args); i++ {
		switch args[i] {
		case "-N", "-s":
		case "-X":
			i++
			method = args[i]
		case "-d":
			i++
			method, body = http.MethodPost, places.Replace(args[i])
		case "-H":
			i++
			name, value, _ := strings.Cut(args[i], ": ")
			header.Set(name, value)
		default:
			address = places.Replace(args[i])
		}
	}
	r, err := http.NewRequest(method, address, strings.NewReader(body))
	if err != nil {
		return "", err
	}
	r.Header = header
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return "", err
	}
	defer http.DefaultClient.CloseIdleConnections()
	defer answer.Body.Close()
	told, err := io.ReadAll(answer.Body)
	if err == nil && answer.StatusCode/100 != 2 {
		err = fmt.Errorf("%s: %s", answer.Status, told)
	}
	if err == nil && (strings.Contains(string(told), "RUN_ERROR") || strings.Contains(string(told), `"error":`)) {
		err = errors.New(string(told))
	}
	return string(told), err
}
