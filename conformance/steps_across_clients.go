package conformance

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"
)

// whole carries out the steps that are about several clients or about none:
//
//	one A B TYPE {pattern}   exactly one of their exchanges has such an event
//	none A B TYPE {pattern}  none has
//	all A B TYPE {pattern}   each has
//	apart A B                their latest runs were not active at once
//	same A B                 they hold the same messages, state and open interrupts
//	effects N TOOL [ARGS]    the agent has really called the tool N times, with exactly this text
//	restart, drain           the server's process ends, and another one starts
//	sweep A, hop B A, swarm A  see follow.go
func (t *trial) whole(ctx context.Context, s step) error {
	words := strings.Fields(s.rest)
	switch s.op {
	case "one", "none", "all":
		return t.among(ctx, s.op, s.rest)
	case "same":
		return t.agree(ctx, words)
	case "apart":
		return t.apart(ctx, words)
	case "effects":
		return t.effects(words)
	case "restart":
		return t.replace(ctx, t.target.Restart)
	case "drain":
		return t.replace(ctx, t.target.Drain)
	case "sweep":
		return t.sweep(ctx, t.client(s.rest))
	case "hop":
		if len(words) != 2 {
			return fmt.Errorf("hop A B: A hops while B has asked for the run")
		}
		return t.hop(ctx, t.client(words[0]), t.client(words[1]))
	case "swarm":
		return t.swarm(ctx, t.client(s.rest))
	}
	return fmt.Errorf("no step is named %q", s.op)
}

func (t *trial) among(ctx context.Context, how, line string) error {
	var clients []*client
	for {
		word, rest, _ := strings.Cut(line, " ")
		if len(word) != 1 {
			break
		}
		clients, line = append(clients, t.client(word)), rest
	}
	kind, pattern, err := t.pattern(line)
	if err != nil {
		return err
	}
	count := 0
	var last []string
	for _, c := range clients {
		if c.current == nil {
			return fmt.Errorf("client %s has asked for nothing", c.name)
		}
		items, err := c.current.drain(ctx)
		if err != nil {
			return failf("client %s: %v", c.name, err)
		}
		for _, got := range items {
			if t.same(kind, pattern, got) == nil {
				count++
				break
			}
		}
		if len(items) > 0 {
			last = append(last, c.name+": "+items[len(items)-1].kind+" "+brief(items[len(items)-1].value))
		}
	}
	want := map[string]int{"one": 1, "none": 0, "all": len(clients)}[how]
	if count != want {
		return failf("%d of %d clients got %s, expected %d; they ended with\n%s", count, len(clients), line, want, strings.Join(last, "\n"))
	}
	return nil
}

func (t *trial) agree(ctx context.Context, names []string) error {
	var first string
	for i, name := range names {
		c := t.client(name)
		if c.current != nil {
			items, err := c.current.drain(ctx)
			if err != nil {
				return failf("client %s: %v", name, err)
			}
			if len(items) > 0 && items[len(items)-1].kind == rejected {
				return failf("client %s was refused: %s", name, brief(items[len(items)-1].value))
			}
		}
		chat, err := c.chat()
		if err != nil {
			return err
		}
		if i == 0 {
			first = chat
		} else if chat != first {
			return failf("client %s holds\n%s\nand client %s holds\n%s", names[0], first, name, chat)
		}
	}
	return nil
}

func (t *trial) effects(words []string) error {
	if len(words) != 2 && len(words) != 3 {
		return fmt.Errorf("effects N TOOL [ARGS]")
	}
	want, err := strconv.Atoi(words[0])
	if err != nil {
		return err
	}
	text, err := os.ReadFile(t.target.Effects)
	if err != nil && !os.IsNotExist(err) {
		return err
	}
	text = text[min(int64(len(text)), t.effectsFrom):]
	tool, count := t.vars.text(words[1]), 0
	for line := range bytes.Lines(text) {
		var effect struct {
			Tool string
			Args json.RawMessage
		}
		if json.Unmarshal(line, &effect) == nil && effect.Tool == tool && (len(words) == 2 || string(effect.Args) == words[2]) {
			count++
		}
	}
	if count != want {
		return failf("%s was called %d times, expected %d", strings.Join(append([]string{tool}, words[2:]...), " with "), count, want)
	}
	return nil
}

func sizeOf(file string) int64 {
	if info, err := os.Stat(file); err == nil {
		return info.Size()
	}
	return 0
}
