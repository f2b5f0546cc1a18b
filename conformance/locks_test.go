package conformance_test

import (
	"encoding/json"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"
)

// What npm ci would refuse: a package of a lock file wants another beside it that the file
// has not, and nothing tells npm to leave that aside.
func TestLocksHoldWhatTheirPackagesWant(t *testing.T) {
	const folder = "node_modules/"
	locks := 0
	for _, name := range treeFiles(t) {
		if path.Base(name) != "package-lock.json" {
			continue
		}
		locks++
		settings, err := os.ReadFile(filepath.Join("..", path.Dir(name), ".npmrc"))
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		if strings.Contains(string(settings), "legacy-peer-deps=true") {
			continue
		}
		text, err := os.ReadFile(filepath.Join("..", name))
		if err != nil {
			t.Fatal(err)
		}
		var lock struct {
			Packages map[string]struct {
				Peers map[string]string                  `json:"peerDependencies"`
				About map[string]struct{ Optional bool } `json:"peerDependenciesMeta"`
			}
		}
		if err := json.Unmarshal(text, &lock); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		held := map[string]bool{}
		for at := range lock.Packages {
			if i := strings.LastIndex(at, folder); i >= 0 {
				held[at[i+len(folder):]] = true
			}
		}
		for at, each := range lock.Packages {
			for peer := range each.Peers {
				if !each.About[peer].Optional && !held[peer] {
					t.Errorf("%s: %s wants %s, which it does not hold: npm ci refuses it. Run npm install there, or have legacy-peer-deps=true in .npmrc", name, at, peer)
				}
			}
		}
	}
	if locks < 10 {
		t.Errorf("%d lock files", locks)
	}
}
