package frames

import "testing"

func TestRelabel(t *testing.T) {
	for in, want := range map[string]string{
		`{"type":"RUN_STARTED","threadId":"t","runId":"a","input":{"threadId":"t","runId":"a","messages":[],"tools":[],"context":[]}}`: `{"type":"RUN_STARTED","threadId":"t","runId":"b","input":{"threadId":"t","runId":"b","messages":[],"tools":[],"context":[]}}`,
		`{"runId":"a","threadId":"t","type":"RUN_FINISHED","outcome":{"type":"cancelled"}}`:                                            `{"type":"RUN_FINISHED","threadId":"t","runId":"b","outcome":{"type":"cancelled"}}`,
		`{"type":"CUSTOM","name":"runId","value":"a"}`:                                                                                 `{"type":"CUSTOM","name":"runId","value":"a"}`,
	} {
		got, err := Relabel([]byte(in), "b")
		if err != nil || string(got) != want {
			t.Errorf("%s\ngot  %s %v\nwant %s", in, got, err, want)
		}
	}
}
