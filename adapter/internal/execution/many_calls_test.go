package execution

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/protocol"
)

// manyCalls has a run make calls that have no result: each in a message of its own, or all
// in one, with arguments.
var manyCalls = map[string]func(r *adapter.Run, n int) error{
	"without a message": func(r *adapter.Run, n int) error {
		id := fmt.Sprint("call-", n)
		return r.Emit(&protocol.ToolCallStart{ToolCallID: id, ToolCallName: "x"}, &protocol.ToolCallEnd{ToolCallID: id})
	},
	"of one message": func(r *adapter.Run, n int) error {
		id, parent := fmt.Sprint("call-", n), "m"
		return r.Emit(&protocol.ToolCallStart{ToolCallID: id, ToolCallName: "x", ParentMessageID: &parent},
			&protocol.ToolCallArgs{ToolCallID: id, Delta: "{}"}, &protocol.ToolCallEnd{ToolCallID: id})
	},
	"with results": func(r *adapter.Run, n int) error {
		id, parent := fmt.Sprint("call-", n), "m"
		if err := r.Emit(&protocol.ToolCallStart{ToolCallID: id, ToolCallName: "x", ParentMessageID: &parent}, &protocol.ToolCallEnd{ToolCallID: id}); err != nil {
			return err
		}
		return r.Emit(&protocol.ToolCallResult{MessageID: "of-" + id, ToolCallID: id, Content: *protocol.Text("ok")})
	},
	"that the thread is asked for": func(r *adapter.Run, n int) error {
		id, parent := fmt.Sprint("call-", n), "m"
		if err := r.Emit(&protocol.ToolCallStart{ToolCallID: id, ToolCallName: "x", ParentMessageID: &parent}, &protocol.ToolCallEnd{ToolCallID: id}); err != nil {
			return err
		}
		if c, ok := r.ToolCall(id); !ok || c.Function.Name != "x" {
			return fmt.Errorf("%+v", c)
		}
		_, ok := r.Role("m")
		if !ok {
			return fmt.Errorf("no message")
		}
		return nil
	},
}

// BenchmarkManyCalls shows that a call costs the same however many the run has made.
func BenchmarkManyCalls(b *testing.B) {
	for name, call := range manyCalls {
		for _, n := range []int{10_000, 80_000} {
			b.Run(fmt.Sprint(name, "/", n), func(b *testing.B) {
				for b.Loop() {
					run := adapter.NewRun(emitting(b))
					for i := range n {
						if err := call(run, i); err != nil {
							b.Fatal(err)
						}
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/call")
			})
		}
	}
}

// A call takes as much memory however many the run has made.
func TestManyCallsCostWhatTheyAre(t *testing.T) {
	for name, call := range manyCalls {
		t.Run(name, func(t *testing.T) {
			perCall := func(n int) float64 {
				run := adapter.NewRun(emitting(t))
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				for i := range n {
					if err := call(run, i); err != nil {
						t.Fatal(err)
					}
				}
				runtime.ReadMemStats(&after)
				return float64(after.TotalAlloc-before.TotalAlloc) / float64(n)
			}
			few, many := perCall(1_000), perCall(8_000)
			t.Logf("bytes of a call: %.0f of 1,000, %.0f of 8,000", few, many)
			if many > 1.5*few {
				t.Errorf("a call allocates %.0f bytes in a run of 1,000, %.0f in one of 8,000", few, many)
			}
		})
	}
}

// What is left to the frontend is what was made and has no result, in order.
func TestPendingCalls(t *testing.T) {
	var p pendingCalls
	var want []string
	for i := range 100 {
		id := fmt.Sprint(i)
		p.add(id)
		p.add(id)
		if i%3 == 0 {
			p.remove(id)
			p.remove(id)
		} else {
			want = append(want, id)
		}
		before := p.list()
		if fmt.Sprint(before) != fmt.Sprint(want) {
			t.Fatalf("%v, not %v", before, want)
		}
	}
	then := p.list()
	for i := range 100 {
		if i%3 == 1 {
			p.remove(fmt.Sprint(i))
		}
	}
	p.add("1")
	if got := p.list(); got[len(got)-1] != "1" || len(got) != 34 || fmt.Sprint(then) != fmt.Sprint(want) {
		t.Errorf("%v, and %v before", got, then)
	}
	if p = pendingOf(then); fmt.Sprint(p.list()) != fmt.Sprint(then) {
		t.Errorf("%v", p.list())
	}
}
