//go:build unix

package protocol

import (
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
	"unicode/utf8"
)

// history is an input as clients send it who send all that they have: so many messages
// of 400 bytes.
func history(tb testing.TB, messages int) []byte {
	in := &RunAgentInput{ThreadID: "t", RunID: "r"}
	for i := range messages {
		role := []Role{RoleUser, RoleAssistant}[i%2]
		in.Messages = append(in.Messages, Message{ID: fmt.Sprintf("3f1c6f0e-5d0a-4b8e-9d64-%012d", i), Role: role, Content: Text(strings.Repeat("A sentence of usual length. ", 15)[:400])})
	}
	data, err := json.Marshal(in)
	if err != nil {
		tb.Fatal(err)
	}
	return data
}

// toolHistory is a history in which every message calls a tool or is what one has answered.
func toolHistory(tb testing.TB, messages int) []byte {
	in := &RunAgentInput{ThreadID: "t", RunID: "r"}
	for i := range messages / 2 {
		call := fmt.Sprintf("call-%d", i)
		in.Messages = append(in.Messages,
			Message{ID: fmt.Sprintf("a-%d", i), Role: RoleAssistant, Content: Text(strings.Repeat("A sentence. ", 60)), ToolCalls: []ToolCall{{ID: call, Type: "function", Function: ToolFunction{Name: "f", Arguments: "{}"}}}},
			Message{ID: fmt.Sprintf("t-%d", i), Role: RoleTool, Content: Text(strings.Repeat("result ", 100)), ToolCallID: call})
	}
	data, err := json.Marshal(in)
	if err != nil {
		tb.Fatal(err)
	}
	return data
}

// cpu is the processor time of this process.
func cpu(tb testing.TB) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		tb.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkHistory tells the processor time, that of collecting what it leaves included, of
// reading a whole history: and beside it those of what any reader does.
func BenchmarkHistory(b *testing.B) {
	texts, tools := history(b, 5000), toolHistory(b, 4000)
	for _, c := range []struct {
		name string
		data []byte
		read func(data []byte) bool
	}{
		{"input", texts, func(data []byte) bool { _, err := DecodeInput(data); return err == nil }},
		{"tools", tools, func(data []byte) bool { _, err := DecodeInput(data); return err == nil }},
		{"checked", texts, func(data []byte) bool { _, err := NewDocument(data); return err == nil }},
		{"utf8", texts, utf8.Valid},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			runtime.GC()
			before := cpu(b)
			for b.Loop() {
				if !c.read(c.data) {
					b.Fatal("not read")
				}
			}
			b.ReportMetric(float64((cpu(b)-before).Nanoseconds())/float64(b.N)/(float64(len(c.data))/1000), "cpu-ns/kB")
		})
	}
}

// What reading a history allocates is held by the kB of it, whatever its length.
func TestHistoryAllocations(t *testing.T) {
	data := history(t, 5000)
	kB := float64(len(data)) / 1000
	read := func() {
		if _, err := DecodeInput(data); err != nil {
			t.Fatal(err)
		}
	}
	objects := testing.AllocsPerRun(5, read) / kB
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range 5 {
		read()
	}
	runtime.ReadMemStats(&after)
	bytes := float64(after.TotalAlloc-before.TotalAlloc) / 5 / kB
	t.Logf("%.2f objects and %.0f bytes a kB", objects, bytes)
	if objects > 7 || bytes > 1900 {
		t.Errorf("%.2f objects and %.0f bytes for each kB, 7 and 1,900 are promised", objects, bytes)
	}
}
