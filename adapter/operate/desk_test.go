package operate

import (
	"os"
	"reflect"
	"regexp"
	"testing"
)

// Each method of a Desk has a place in one of the groups of the package comment.
func TestMethodsAreListed(t *testing.T) {
	text, err := os.ReadFile("desk.go")
	if err != nil {
		t.Fatal(err)
	}
	listed := map[string]bool{}
	for _, line := range regexp.MustCompile(`(?m)^//   (?:-| ) .*`).FindAllString(string(text), -1) {
		for _, name := range regexp.MustCompile(`\b([A-Z]\w+)[,.]`).FindAllStringSubmatch(line, -1) {
			listed[name[1]] = true
		}
	}
	desk := reflect.TypeFor[*Desk]()
	for i := range desk.NumMethod() {
		if name := desk.Method(i).Name; !listed[name] {
			t.Errorf("the package comment does not list %s", name)
		}
		delete(listed, desk.Method(i).Name)
	}
	for name := range listed {
		t.Errorf("the package comment lists %s, and there is no such method", name)
	}
}
