package main

import (
	"encoding/json"
	"errors"
	"os"
	"regexp"
	"testing"

	"github.com/aguiws/aguiws/protocol"
	"github.com/aguiws/aguiws/protocol/order"
)

func TestGenerate(t *testing.T) {
	restated, fatal, made := 0, 0, map[protocol.EventType]bool{}
	for seed := range uint64(50) {
		c, err := generate(seed)
		if err != nil {
			t.Fatal(err)
		}
		again, err := generate(seed)
		if err != nil {
			t.Fatal(err)
		}
		for _, data := range c.Events {
			var e struct{ Type protocol.EventType }
			if err := json.Unmarshal(data, &e); err != nil {
				t.Fatal(err)
			}
			made[e.Type] = true
		}
		a, _ := json.Marshal(c)
		if b, _ := json.Marshal(again); string(a) != string(b) {
			t.Fatalf("seed %d writes\n%s\nand\n%s", seed, a, b)
		}
		if c.Restated != nil {
			restated++
			if broken := order.Verify(c.Restated); broken != nil {
				t.Errorf("seed %d: restated: %v", seed, broken)
			}
		}
		if c.Fatal != nil && *c.Fatal {
			fatal++
		}
		broken, _ := errors.AsType[*order.Error](replay(t, c))
		if rule := ""; broken != nil {
			if rule = broken.Rule; rule != c.Rule {
				t.Errorf("seed %d: the last event breaks %q, not %q", seed, rule, c.Rule)
			}
		} else if c.Rule != "" {
			t.Errorf("seed %d: the last event breaks nothing", seed)
		}
	}
	source, err := os.ReadFile("../../../protocol/eventtypes.go")
	if err != nil {
		t.Fatal(err)
	}
	kinds := regexp.MustCompile(`EventType += "(\w+)"`).FindAllSubmatch(source, -1)
	if len(kinds) == 0 {
		t.Error("eventtypes.go names no kind")
	}
	for _, name := range kinds {
		if !made[protocol.EventType(name[1])] {
			t.Errorf("no stream has a %s: make it in generator.go", name[1])
		}
	}
	if restated == 0 || fatal == 0 {
		t.Errorf("%d restated, %d fatal: nothing to compare", restated, fatal)
	}
}

// replay feeds the stream from its bytes and returns the verdict on the last.
func replay(t *testing.T, c *testCase) error {
	t.Helper()
	var s order.Sequence
	for _, data := range c.Events {
		e, err := protocol.Decode(data)
		if err != nil {
			t.Fatal(err)
		}
		if broken, bad := errors.AsType[*order.Error](s.Check(e)); bad && broken.Rule != order.RuleBaseline {
			t.Fatalf("seed %d: %v", c.Seed, broken)
		}
	}
	e, err := protocol.Decode(c.Last)
	if err != nil {
		t.Fatal(err)
	}
	return s.Check(e)
}
