package ws

import "testing"

func FuzzOffset(f *testing.F) {
	f.Add("t/e1:3")
	f.Add("a%2Fb/e:1:2")
	f.Add("-1")
	f.Fuzz(func(t *testing.T, offset string) {
		r := resumption{label: "r"}
		if !r.read(offset) {
			return
		}
		again := resumption{label: "r"}
		if !again.read(offsetOf(r.thread, *r.at)) || again.thread != r.thread || *again.at != *r.at {
			t.Errorf("%q is %+v, and that is %+v", offset, r, again)
		}
	})
}
